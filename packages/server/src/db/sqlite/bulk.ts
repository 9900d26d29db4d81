import type { Statement } from 'better-sqlite3'
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
  readonly #inserts = new Map<string, Statement>()

  async insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    const text = `insert into "${table}" (${columns.map((name) => `"${name}"`).join(', ')})
      values (${columns.map(() => '?').join(', ')})`
    const statement = this.#inserts.get(text) ?? this.handle.prepare(text)
    this.#inserts.set(text, statement)
    for (const row of rows) statement.run(row)
  }

  async takeIds(table: string, count: number): Promise<number[]> {
    const last = this.handle.prepare('select seq from sqlite_sequence where name = ?').pluck().get(table) as
      number | undefined
    const change =
      last === undefined
        ? 'insert into sqlite_sequence (seq, name) values (?, ?)'
        : 'update sqlite_sequence set seq = ? where name = ?'
    const first = (last ?? 0) + 1
    this.handle.prepare(change).run(first + count - 1, table)
    return Array.from({ length: count }, (_, index) => first + index)
  }
}
