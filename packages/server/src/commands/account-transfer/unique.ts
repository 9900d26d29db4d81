import { sql } from 'kysely'
import { tableNames, tables, type AnyTable } from '../../app/tables.js'
import { isInBytes, isInTexts } from '../../db/json-list.js'
import type { Reader } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import type { ServerNames, TableName } from '../../db/table-declaration.js'
import type { RowValues } from './row-values.js'

/** Looks up which values of unique columns are taken. Operator store: it reads the rows of all accounts. */

/** Served by the unique indexes. */
const takenIn = (table: TableName, { column, kind, tables: searched = [table], within }: AnyTable['unique'] & object) =>
  prepared((db, p: { values: string; group: string }, dialect) => {
    const isGiven = (kind === 'bytes' ? isInBytes : isInTexts)(column, p.values, dialect)
    const isInGroup = within === undefined ? sql`true` : sql`${sql.ref(within.column)} = ${p.group}`
    const selects = searched.map(
      (from) => sql`select ${sql.ref(column)} as value from ${sql.table(from)} where ${isGiven} and ${isInGroup}`,
    )
    return { compile: () => sql<{ value: string | Buffer }>`${sql.join(selects, sql` union `)}`.compile(db) }
  })

const queries = new Map(
  tableNames.flatMap((table) => {
    const { unique } = tables[table]
    return unique === undefined ? [] : [[table, { ...unique, taken: takenIn(table, unique) }] as const]
  }),
)

export interface UniqueTerms {
  readonly reader: Reader
  /** Of the server: sites cannot have them. */
  readonly serverNames: ServerNames
  /** Reports a change, in one sentence. */
  readonly note: (change: string) => void
}

/** Replaces or leaves out values that must be unique in an installation and are taken here. @param rows with their new ids */
export async function replaceTaken(
  table: TableName,
  rows: readonly RowValues[],
  terms: UniqueTerms,
): Promise<readonly RowValues[]> {
  const within = queries.get(table)?.within
  if (within === undefined) return replaceInGroup(table, rows, '', terms)
  const kept: RowValues[] = []
  for (const group of within.values) {
    const ofGroup = rows.filter((row) => row[within.column] === group)
    kept.push(...(await replaceInGroup(table, ofGroup, group, terms)))
  }
  return kept
}

const toText = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('hex') : String(value))

async function replaceInGroup(
  table: TableName,
  rows: readonly RowValues[],
  group: string,
  { reader, serverNames, note }: UniqueTerms,
): Promise<readonly RowValues[]> {
  const unique = queries.get(table)
  if (unique === undefined) return rows
  const { column, taken: query, isReserved, ifTaken } = unique
  const takenOf = async (values: readonly string[]): Promise<ReadonlySet<string>> => {
    const found = values.length === 0 ? [] : await reader.all(query, { values: JSON.stringify(values), group })
    return new Set(found.map(({ value }) => toText(value)))
  }
  const used = new Set(
    rows
      .map((row) => row[column] ?? null)
      .filter((value) => value !== null)
      .map(toText),
  )
  const taken = await takenOf([...used])
  const isTaken = (value: string) => taken.has(value) || isReserved?.(value, serverNames) === true
  const isFree = async (value: string) => {
    const isOther = used.has(value) || isTaken(value) || (await takenOf([value])).has(value)
    used.add(value)
    return !isOther
  }
  const kept: RowValues[] = []
  for (const row of rows) {
    const value = row[column] ?? null
    if (value === null || !isTaken(toText(value))) {
      kept.push(row)
      continue
    }
    const { columns, change } = await ifTaken(row, { isFree })
    if (change !== undefined) note(change)
    if (columns !== undefined) kept.push({ ...row, ...columns })
  }
  return kept
}
