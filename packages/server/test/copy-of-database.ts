import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type DatabaseConfig } from '../src/db/connect.js'
import type { Database } from '../src/db/port.js'
import { migratedPostgres } from './migrated-database.js'
import { runSql } from './site.js'

/** A second database with the rows of a first one, as a backup has them. */
export interface DatabaseCopy {
  readonly db: Database
  readonly stop: () => Promise<void>
}

/** The tables that a blob store depends on. */
const tables = ['installation', 'blob_writer', 'blob_writer_ended', 'blob']

export async function copyOfDatabase(original: DatabaseConfig): Promise<DatabaseCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-copy-'))
  const config: DatabaseConfig =
    original.kind === 'sqlite'
      ? { kind: 'sqlite', file: join(folder, 'svc.db') }
      : { kind: 'postgres', url: await migratedPostgres() }
  const db = await connect(config, (error) => {
    throw error
  })
  await runSql(config, 'delete from installation')
  for (const table of tables)
    for (const row of await runSql(original, `select * from ${table}`)) {
      const values = Object.values(row).map((value) => `'${String(value)}'`)
      await runSql(config, `insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')})`)
    }
  return {
    db,
    stop: async () => {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}
