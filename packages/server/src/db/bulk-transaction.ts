import type { Row } from './table-shape.js'
import type { Transaction } from './transaction.js'

/** A transaction that inserts many rows with all their values. */
export interface BulkTransaction extends Transaction {
  /** @param rows the values of each row, in the order of the columns */
  insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void>

  /** Takes ids of a table with generated ids: no other row gets them, also after a rollback. @returns in ascending order */
  takeIds(table: string, count: number): Promise<number[]>
}
