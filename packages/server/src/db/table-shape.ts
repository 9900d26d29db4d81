import type { RawBuilder } from 'kysely'
import type { Dialect } from './dialect.js'

/** A value of a column: of the kind `text`, `number` (an integer below 2^53) or `bytes`, or null. */
export type Value = string | number | Buffer | null

/** The values of a row, in the order of the columns of its table. */
export type Row = readonly Value[]

export interface ColumnShape {
  readonly name: string
  readonly kind: 'text' | 'number' | 'bytes'
}

/** A table, as the catalogue of its database describes it. */
export interface TableShape {
  readonly name: string
  /** In the order of their declaration, which differs between databases that were migrated from different versions. */
  readonly columns: readonly ColumnShape[]
  /** The columns of the primary key, in its order. */
  readonly primaryKey: readonly string[]
  /** Whether the database gives out the values of `id`, and never gives one out twice. */
  readonly hasGeneratedId: boolean
}

export interface SnapshotOptions {
  /** Whether no other process may use the database. No other process can write it until `close`. */
  readonly isExclusive?: boolean
}

/** The position of a column in the rows of a table; -1 if it has no such column. */
export const columnOf = (table: Pick<TableShape, 'columns'>, name: string): number =>
  table.columns.findIndex((column) => column.name === name)

/** All tables at one moment, beside processes that write. Uses a separate connection. */
export interface Snapshot extends AsyncDisposable {
  readonly dialect: Dialect

  /** The names of the applied migrations, in their order. Empty for a database that svc has not opened yet. */
  readonly migrations: readonly string[]

  /** The tables of svc: a table comes after those to which its rows refer. Without Kysely's tables and SQLite's. */
  readonly tables: readonly TableShape[]

  /** The last id that each table with generated ids has given out, by table. A table that has given out none is missing. */
  lastIds(): Promise<ReadonlyMap<string, number>>

  /**
   * Reads rows in the order of the primary key, with texts in the order of their bytes. Each batch has about 1 MiB.
   * @param where a condition on the table: sql`account_id = ${7}`
   */
  rows(table: TableShape, where?: RawBuilder<unknown>): AsyncIterable<readonly Row[]>

  close(): Promise<void>
}

/** The size of a batch of rows, in bytes. */
const batchBytes = 1024 * 1024

/** A row costs memory for each value, however short. */
const valueBytes = 16

/** The memory of a row in bytes, roughly. */
const sizeOfRow = (row: Row): number =>
  row.reduce<number>(
    (sum, value) => sum + valueBytes + (value === null || typeof value === 'number' ? 0 : value.length),
    0,
  )

/** Collects rows, which arrive in pieces of any size, to batches of about 1 MiB. No batch is empty. */
export async function* inBatches(
  pieces: Iterable<Iterable<Row>> | AsyncIterable<Iterable<Row>>,
): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for await (const rows of pieces)
    for (const row of rows) {
      batch.push(row)
      bytes += sizeOfRow(row)
      if (bytes < batchBytes) continue
      yield batch
      batch = []
      bytes = 0
    }
  if (batch.length > 0) yield batch
}

/**
 * Sorts tables so that each one comes after those to which it refers.
 * @param references the names of the tables to which a table refers
 * @throws Error if tables refer to each other
 */
export function inReferenceOrder(
  tables: readonly TableShape[],
  references: (table: string) => readonly string[],
): TableShape[] {
  const sorted: TableShape[] = []
  const waiting = new Set(tables.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
  while (waiting.size > 0) {
    const names = new Set([...waiting].map(({ name }) => name))
    const next = [...waiting].filter(({ name }) => !references(name).some((to) => to !== name && names.has(to)))
    if (next.length === 0) throw new Error(`These tables refer to each other: ${[...names].join(', ')}.`)
    for (const table of next) waiting.delete(table)
    sorted.push(...next)
  }
  return sorted
}
