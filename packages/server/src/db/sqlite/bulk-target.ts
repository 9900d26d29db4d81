import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import BetterSqlite, { type Database as Handle } from 'better-sqlite3'
import { SqliteDialect } from 'kysely'
import { codeOf, makePrivate } from '../../shared/private-file.js'
import { databaseFile, makeDirectory } from '../../shared/usable-path.js'
import type { BulkOptions, BulkTarget } from '../bulk-target.js'
import { migrate } from '../migrate.js'
import type { Row, TableShape } from '../table-shape.js'
import { insertRows } from './bulk.js'
import { sqliteTables } from './catalogue.js'
import { databaseInUse } from './database-in-use.js'
import { readRows } from './snapshot.js'

/** Where the new database is until it is complete. One process at a time writes it: it holds the lock of the database. */
const temporaryOf = (file: string) => `${file}.new`

/** Fills a temporary file beside the database, which replaces it at the end. @throws OperatorError if a process uses the database */
export async function openSqliteBulkTarget(file: string, { migrations }: BulkOptions): Promise<BulkTarget> {
  await makeDirectory(dirname(file), { ...databaseFile, name: 'The directory' })
  const replaced = lockDatabase(file)
  try {
    const temporary = temporaryOf(file)
    for (const name of [temporary, `${temporary}-journal`]) await rm(name, { force: true })
    makePrivate(temporary)
    await migrate('sqlite', new SqliteDialect({ database: openFast(temporary) }), migrations.at(-1))
    return new SqliteBulkTarget(file, temporary, replaced)
  } catch (error) {
    replaced.release()
    throw error
  }
}

/** The database at the place of the new one, which no other process can open until `release`. */
interface ReplacedDatabase {
  /** After the rename: a process that has waited for the lock of the old file must not use it. */
  readonly invalidate: () => void
  readonly release: () => void
}

/**
 * Locks a database that no process uses, also one that does not exist: it is made empty. Changing the journal mode fails while another
 * connection is open; it also removes the write-ahead log, which SQLite would apply to the new file.
 */
function lockDatabase(file: string): ReplacedDatabase {
  const isNew = makePrivate(file)
  const handle = new BetterSqlite(file, { timeout: 1_000 })
  try {
    handle.pragma('journal_mode = delete')
    handle.pragma('journal_mode = memory')
    handle.exec('begin exclusive')
  } catch (error) {
    handle.close()
    if (!String(codeOf(error)).startsWith('SQLITE_BUSY')) throw error
    throw databaseInUse(file, error)
  }
  const descriptor = openSync(file, 'r+')
  return {
    invalidate: () => void writeSync(descriptor, 'This database was replaced.', 0),
    release: () => {
      if (!handle.open) return
      handle.close()
      closeSync(descriptor)
      if (isNew && statSync(file).size === 0) rmSync(file)
    },
  }
}

/** A connection to the temporary file, which is thrown away after a failure: it needs no journal. */
function openFast(file: string): Handle {
  const handle = new BetterSqlite(file)
  for (const pragma of ['journal_mode = memory', 'synchronous = off', 'foreign_keys = on']) handle.pragma(pragma)
  return handle
}

class SqliteBulkTarget implements BulkTarget {
  readonly tables: readonly TableShape[]
  readonly #handle: Handle

  constructor(
    private readonly file: string,
    private readonly temporary: string,
    private readonly replaced: ReplacedDatabase,
  ) {
    this.#handle = openFast(temporary)
    this.tables = sqliteTables(this.#handle)
    this.#handle.exec('begin; delete from installation')
  }

  countRows(): Promise<number> {
    return Promise.resolve(0)
  }

  async insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    insertRows(this.#handle, table, columns, rows)
  }

  rows(table: TableShape): AsyncIterable<readonly Row[]> {
    return readRows(this.#handle, table)
  }

  async complete(lastIds: ReadonlyMap<string, number>, installationId: string): Promise<void> {
    for (const { name } of this.tables.filter(({ hasGeneratedId }) => hasGeneratedId))
      this.#setLastId(name, lastIds.get(name) ?? 0)
    this.#handle.prepare('insert into installation (id) values (?)').run(installationId)
    this.#handle.exec('commit')
    this.#handle.close()
    await migrate('sqlite', new SqliteDialect({ database: openFast(this.temporary) }))
    verify(this.temporary)
    await syncPath(this.temporary)
    await rename(this.temporary, this.file)
    this.replaced.invalidate()
    await syncPath(dirname(this.file))
    this.replaced.release()
  }

  async abandon(): Promise<void> {
    this.#handle.close()
    await rm(this.temporary, { force: true })
    this.replaced.release()
  }

  #setLastId(table: string, given: number): void {
    const highest = this.#handle.prepare<[], number | null>(`select max(id) from "${table}"`).pluck().get() ?? 0
    this.#handle.prepare('delete from sqlite_sequence where name = ?').run(table)
    const last = Math.max(highest, given)
    if (last > 0) this.#handle.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, last)
  }
}

/** @throws Error if the file or a reference is broken, which would be a bug */
function verify(file: string): void {
  const handle = openFast(file)
  try {
    const integrity = handle.pragma('integrity_check', { simple: true })
    if (integrity !== 'ok') throw new Error(`SQLite found damage in the new database: ${String(integrity)}.`)
    const broken = handle.pragma('foreign_key_check') as { table: string }[]
    if (broken[0] !== undefined) throw new Error(`Rows of the table ${broken[0].table} refer to missing rows.`)
    // As every connection of a server sets it: a backup before the first start must not hold up that start.
    handle.pragma('journal_mode = wal')
  } finally {
    handle.close()
  }
}

async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}
