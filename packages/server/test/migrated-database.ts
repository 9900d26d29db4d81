import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { freshPostgres } from '../../../test/servers/index.js'
import { migrate } from '../src/db/migrate.js'
import { openSqlite } from '../src/db/sqlite/connection.js'

/**
 * Databases as the first start of svc leaves them, copied from one that each test worker migrates once: the migrations took a third of
 * the CPU time of a start. Each copy is a separate installation.
 */

const newInstallation = () => `update installation set id = '${randomBytes(8).toString('hex')}'`

let sqliteTemplate: Promise<Buffer> | undefined

/** Creates the file of a SQLite database with all tables, unless it exists. */
export async function createMigratedFile(file: string): Promise<void> {
  if (existsSync(file)) return
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, await (sqliteTemplate ??= migratedFile()), { mode: 0o600 })
  const handle = new BetterSqlite(file)
  handle.exec(newInstallation())
  handle.close()
}

async function migratedFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-template-'))
  const file = join(folder, 'svc.db')
  await migrate('sqlite', new SqliteDialect({ database: openSqlite(file) }))
  const bytes = await readFile(file)
  await rm(folder, { recursive: true })
  return bytes
}

let postgresTemplate: Promise<string> | undefined

/** Creates a PostgreSQL database with all tables. @returns its URL */
export async function migratedPostgres(): Promise<string> {
  const template = new URL(await (postgresTemplate ??= migratedDatabase())).pathname.slice(1)
  const name = `${template}_${randomBytes(6).toString('hex')}`
  const adminUrl = inject('postgresAdminUrl')
  await runOn(adminUrl, `create database ${name} template ${template}`)
  const url = new URL(adminUrl)
  url.pathname = name
  await runOn(url.href, newInstallation())
  return url.href
}

async function migratedDatabase(): Promise<string> {
  const url = await freshPostgres()
  await migrate('postgres', new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) }))
  return url
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}
