import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountStore } from '../src/areas/account/accounts/store.js'
import { connect, type DatabaseConfig } from '../src/db/connect.js'
import type { Database } from '../src/db/port.js'
import type { Account } from '../src/shared/account.js'
import type { DatabaseKind } from './app.js'
import { createMigratedFile, migratedPostgres } from './migrated-database.js'

/** One database with forty accounts, opened twice like by two processes. */
export interface TwoProcesses {
  readonly config: DatabaseConfig
  readonly db: Database
  readonly otherDb: Database
  readonly people: readonly Account[]
  readonly stop: () => Promise<void>
}

export async function twoProcesses(kind: DatabaseKind): Promise<TwoProcesses> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-two-'))
  const config: DatabaseConfig =
    kind === 'sqlite' ? { kind, file: join(folder, 'svc.db') } : { kind, url: await migratedPostgres() }
  if (config.kind === 'sqlite') await createMigratedFile(config.file)
  const open = () =>
    connect(config, (error) => {
      throw error
    })
  const db = await open()
  const otherDb = await open()
  const people = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      accountStore(db).add({ email: `p${i}@example.com`, nickname: '', passwordHash: 'x', now: 1 }),
    ),
  )
  return {
    config,
    db,
    otherDb,
    people,
    stop: async () => {
      await Promise.all([db.close(), otherDb.close()])
      await rm(folder, { recursive: true })
    },
  }
}
