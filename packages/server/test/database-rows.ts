import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freshPostgres } from '../../../test/servers/index.js'
import { connect, openBulkTarget, openSnapshot, type DatabaseConfig } from '../src/db/connect.js'
import { migrationNames } from '../src/db/migrations/index.js'
import type { Database } from '../src/db/port.js'
import { openSqlite } from '../src/db/sqlite/connection.js'
import type { Row } from '../src/db/table-shape.js'
import type { DatabaseKind } from './app.js'
import { runSql } from './site.js'

/** A folder for databases, stores and archives, which is removed at the end of the test. */
export async function emptyFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'svc-archive-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** A database that does not exist, or has no tables. */
export const newDatabase = async (kind: DatabaseKind, folder: string, name = 'svc'): Promise<DatabaseConfig> =>
  kind === 'sqlite' ? { kind, file: join(folder, `${name}.db`) } : { kind, url: await freshPostgres() }

export const openDatabase = (config: DatabaseConfig): Promise<Database> =>
  connect(config, (error) => {
    throw error
  })

/** Makes a database with the tables of this version. Unlike `openDatabase`, it starts no thread. */
export async function createDatabase(config: DatabaseConfig): Promise<void> {
  const target = await openBulkTarget(config, { migrations: migrationNames, resumes: false })
  await target.complete(new Map(), '0123456789abcdef')
}

/** A connection as a server has it. @returns a function that closes it */
export async function connectLikeServer(config: DatabaseConfig): Promise<() => Promise<unknown>> {
  if (config.kind === 'sqlite') {
    const handle = openSqlite(config.file)
    handle.prepare('select count(*) from sqlite_schema').get()
    return () => Promise.resolve(handle.close())
  }
  const client = new pg.Client({ connectionString: config.url, application_name: 'svc' })
  await client.connect()
  return () => client.end()
}

/** @returns its id */
export async function addAccount(config: DatabaseConfig, email: string): Promise<number> {
  const [row] = await runSql(
    config,
    `insert into account (email, nickname, password_hash, created_at) values ('${email}', '', 'x', 1) returning id`,
  )
  return Number(row?.['id'])
}

/** Every row of every table that has rows, by table: the values by column, sorted by name. */
export async function allRows(config: DatabaseConfig): Promise<Record<string, unknown[]>> {
  const snapshot = await openSnapshot(config)
  const found: Record<string, unknown[]> = {}
  const asObject = (names: readonly string[], row: Row) =>
    Object.fromEntries(names.map((name, i) => [name, row[i]] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  for (const table of snapshot.tables)
    for await (const rows of snapshot.rows(table)) {
      const names = table.columns.map(({ name }) => name)
      found[table.name] = [...(found[table.name] ?? []), ...rows.map((row) => asObject(names, row))]
    }
  await snapshot.close()
  return found
}

/** All rows after a command, without its own event, which is the last one in the operator's journal. */
export async function rowsAfter(command: string, config: DatabaseConfig): Promise<Record<string, unknown[]>> {
  const { operator_event: events = [], ...rows } = await allRows(config)
  const earlier = (events as readonly { readonly command: string }[]).slice(0, -1)
  const [last] = events.slice(-1) as readonly { readonly command: string }[]
  if (last?.command !== command) throw new Error(`The operator's journal does not end with ${command}.`)
  return earlier.length === 0 ? rows : { ...rows, operator_event: [...earlier] }
}
