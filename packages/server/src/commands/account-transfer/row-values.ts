import type { Row, Value } from '../../db/table-shape.js'

/** A row by the names of its columns. */
export type RowValues = Readonly<Record<string, Value>>

export const toValues = (columns: readonly string[], row: Row): RowValues =>
  Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null]))

export const toRow = (columns: readonly string[], values: RowValues): Row => columns.map((name) => values[name] ?? null)
