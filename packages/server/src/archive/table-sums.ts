import { createHash } from 'node:crypto'
import type { Row } from '../db/table-shape.js'
import { formatRow } from './format.js'

/** The number and the checksum of the rows of a table, in their order. */
export class TableSum {
  readonly #hash = createHash('sha256')
  rows = 0

  add(rows: readonly Row[]): void {
    this.rows += rows.length
    for (const row of rows) this.#hash.update(formatRow(row))
  }

  /** Call it once. */
  digest(): string {
    return `${String(this.rows)} rows, ${this.#hash.digest('hex')}`
  }
}
