import type { ArchivedTable } from './format.js'
import { columnOf, type Row } from '../db/table-shape.js'

/**
 * Tables whose rows are meaningless in another database. `change_clock` counts what processes keep in memory: its rows have other names
 * on PostgreSQL, and a process compares counts only with those that it has read itself. A setup code is for the users of one server.
 */
const leftOut: ReadonlySet<string> = new Set(['change_clock', 'setup_code'])

/** Whether the rows of a table enter another database. */
export const isCopied = (table: string): boolean => !leftOut.has(table)

/**
 * Rows as they enter another database. The versions of zones are ids of transactions on PostgreSQL, which another server has not
 * reached, and counts on SQLite. A process compares them only with those that it has read itself, so they start at 0.
 */
export function asInOtherDatabase(table: ArchivedTable, rows: readonly Row[]): readonly Row[] {
  if (table.name !== 'dns_zone') return rows
  const version = columnOf(table, 'version')
  return rows.map((row) => row.with(version, 0))
}
