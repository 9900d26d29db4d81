import BetterSqlite, { type Database as Handle } from 'better-sqlite3'
import type { RawBuilder } from 'kysely'
import { rowsQuery } from '../rows-query.js'
import { RowBatch, type Row, type Snapshot, type TableShape } from '../table-shape.js'
import { sqliteLastIds, sqliteMigrations, sqliteTables } from './catalogue.js'

/** How long a statement waits for another process's lock: WAL readers wait only during recovery and checkpoints at a close. */
const busyTimeoutMs = 10_000

/** Opens a read transaction on a file that exists. @throws the error of SQLite, with its `code` */
export function openSqliteSnapshot(file: string): Snapshot {
  const handle = new BetterSqlite(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs })
  try {
    return new SqliteSnapshot(handle)
  } catch (error) {
    handle.close()
    throw error
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

  async *rows(table: TableShape, where?: RawBuilder<unknown>): AsyncGenerator<readonly Row[]> {
    const { sql, parameters } = rowsQuery('sqlite', table, where)
    const batch = new RowBatch()
    for (const row of this.handle
      .prepare<unknown[], Row>(sql)
      .raw()
      .iterate(...parameters)) {
      const full = batch.add(row)
      if (full !== undefined) yield full
    }
    const rest = batch.take()
    if (rest !== undefined) yield rest
  }

  close(): Promise<void> {
    this.handle.close()
    return Promise.resolve()
  }
}
