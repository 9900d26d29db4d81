import type { BulkTransaction } from '../bulk-transaction.js'
import type { Row } from '../table-shape.js'
import { Connections } from './connections.js'
import { runWork, PostgresTransaction } from './transaction.js'

/** Maximum duration of a statement, and of a pause between two. */
const statementMs = 60_000
const connectMs = 10_000

/** PostgreSQL takes at most 65,535 values in a statement. */
const valuesMax = 60_000

/** `runBulkTransaction` on a server. */
export async function runPostgresBulk<R>(url: string, work: (tx: BulkTransaction) => Promise<R>): Promise<R> {
  // A lost connection fails the next statement.
  const connections = new Connections({ url, max: 1, statementMs, runsTransactions: true, onLost: () => undefined })
  try {
    const { client, release } = await connections.checkOut(performance.now() + connectMs)
    try {
      return await runWork(client, new PostgresBulk(client, 'begin read write'), work)
    } finally {
      release()
    }
  } finally {
    await connections.end()
  }
}

class PostgresBulk extends PostgresTransaction implements BulkTransaction {
  async insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    const names = columns.map((name) => `"${name}"`).join(', ')
    const rowsMax = Math.floor(valuesMax / columns.length)
    for (let at = 0; at < rows.length; at += rowsMax) {
      const part = rows.slice(at, at + rowsMax)
      const places = part.map(
        (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(', ')})`,
      )
      const text = `insert into "${table}" (${names}) overriding system value values ${places.join(', ')}`
      await this.execute({ text, values: part.flat() })
    }
  }

  /** Other sessions may take ids of the sequence at the same time. */
  async takeIds(table: string, count: number): Promise<number[]> {
    const text = `select nextval(pg_get_serial_sequence($1, 'id')) as id from generate_series(1, $2::int)`
    const { rows } = await this.execute({ text, values: [table, count] })
    return (rows as { id: number }[]).map(({ id }) => id)
  }
}
