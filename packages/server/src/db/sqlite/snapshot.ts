import BetterSqlite, { type Database as Handle } from 'better-sqlite3'
import type { RawBuilder } from 'kysely'
import { rowsQuery } from '../rows-query.js'
import { inBatches, type Row, type Snapshot, type SnapshotOptions, type TableShape } from '../table-shape.js'
import { codeOf } from '../../shared/private-file.js'
import { databaseInUse } from './database-in-use.js'
import { sqliteLastIds, sqliteMigrations, sqliteTables } from './catalogue.js'

/** How long a statement waits for another process's lock: WAL readers wait only during recovery and checkpoints at a close. */
const busyTimeoutMs = 10_000

/** How long to wait for the end of other processes. */
const lockTimeoutMs = 1_000

/**
 * Opens a read transaction on a file that exists.
 * @param isExclusive whether the file is locked for all other processes
 * @throws the error of SQLite, with its `code`; OperatorError if another process uses a file that is to be locked
 */
export function openSqliteSnapshot(file: string, { isExclusive = false }: SnapshotOptions): Snapshot {
  const timeout = isExclusive ? lockTimeoutMs : busyTimeoutMs
  const handle = new BetterSqlite(file, { readonly: !isExclusive, fileMustExist: true, timeout })
  try {
    if (isExclusive) lockFile(handle, file)
    return new SqliteSnapshot(handle)
  } catch (error) {
    handle.close()
    throw error
  }
}

/** With a write-ahead log too, a connection in this mode excludes all others (SQLite, PRAGMA locking_mode). */
function lockFile(handle: Handle, file: string): void {
  try {
    handle.pragma('locking_mode = exclusive')
    handle.exec('begin exclusive; rollback')
  } catch (error) {
    if (!String(codeOf(error)).startsWith('SQLITE_BUSY')) throw error
    throw databaseInUse(file, error)
  }
}

class SqliteSnapshot implements Snapshot {
  readonly dialect = 'sqlite'
  readonly migrations: readonly string[]
  readonly tables: readonly TableShape[]

  constructor(private readonly handle: Handle) {
    handle.exec('begin')
    // The first read decides which commits the transaction sees.
    this.migrations = sqliteMigrations(handle)
    this.tables = sqliteTables(handle)
  }

  lastIds(): Promise<ReadonlyMap<string, number>> {
    return Promise.resolve(sqliteLastIds(this.handle))
  }

  rows(table: TableShape, where?: RawBuilder<unknown>): AsyncIterable<readonly Row[]> {
    return readRows(this.handle, table, where)
  }

  close(): Promise<void> {
    this.handle.close()
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Reads rows as a snapshot does. */
export function readRows(
  handle: Handle,
  table: TableShape,
  where?: RawBuilder<unknown>,
): AsyncIterable<readonly Row[]> {
  const { sql, parameters } = rowsQuery('sqlite', table, where)
  const statement = handle.prepare<unknown[], Row>(sql).raw()
  return inBatches([statement.iterate(...parameters)])
}
