import type { Database as Handle } from 'better-sqlite3'
import type { BulkTransaction } from '../bulk-transaction.js'
import type { Row } from '../table-shape.js'
import { openSqlite, SqliteConnection } from './connection.js'

/** `runBulkTransaction` on a database file. */
export async function runSqliteBulk<R>(file: string, work: (tx: BulkTransaction) => Promise<R>): Promise<R> {
  const tx = new SqliteBulk(openSqlite(file))
  try {
    tx.handle.exec('begin immediate')
    const result = await work(tx)
    tx.handle.exec('commit')
    return result
  } finally {
    // Undoes a transaction that is not committed.
    tx.handle.close()
  }
}

class SqliteBulk extends SqliteConnection implements BulkTransaction {
  async insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    insertRows(this.handle, table, columns, rows)
  }

  async takeIds(table: string, count: number): Promise<number[]> {
    const last = this.handle.prepare('select seq from sqlite_sequence where name = ?').pluck().get(table) as
      | number
      | undefined
    const change =
      last === undefined
        ? 'insert into sqlite_sequence (seq, name) values (?, ?)'
        : 'update sqlite_sequence set seq = ? where name = ?'
    const first = (last ?? 0) + 1
    this.handle.prepare(change).run(first + count - 1, table)
    return Array.from({ length: count }, (_, index) => first + index)
  }
}

export function insertRows(handle: Handle, table: string, columns: readonly string[], rows: readonly Row[]): void {
  const names = columns.map((name) => `"${name}"`).join(', ')
  const statement = handle.prepare(`insert into "${table}" (${names}) values (${columns.map(() => '?').join(', ')})`)
  for (const row of rows) statement.run(row)
}
