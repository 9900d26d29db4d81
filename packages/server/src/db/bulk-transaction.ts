import type { DatabaseConfig } from './connect.js'
import type { Row } from './table-shape.js'
import type { Transaction } from './transaction.js'

/** A transaction that inserts many rows with all their values. */
export interface BulkTransaction extends Transaction {
  /** @param rows the values of each row, in the order of the columns */
  insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void>

  /** Takes ids of a table with generated ids: no other row gets them, also after a rollback. @returns in ascending order */
  takeIds(table: string, count: number): Promise<number[]>
}

/**
 * Runs work in a transaction on a separate connection, and commits it. Unlike a unit of work, it may take minutes and await anything. On
 * SQLite, other writes wait for it meanwhile, and fail after ten seconds.
 * @throws the error of the work, and changes nothing; the error of the driver
 */
export async function runBulkTransaction<R>(
  config: DatabaseConfig,
  work: (tx: BulkTransaction) => Promise<R>,
): Promise<R> {
  switch (config.kind) {
    case 'sqlite': {
      const { runSqliteBulk } = await import('./sqlite/bulk.js')
      return runSqliteBulk(config.file, work)
    }
    case 'postgres': {
      const { runPostgresBulk } = await import('./postgres/bulk.js')
      return runPostgresBulk(config.url, work)
    }
  }
}
