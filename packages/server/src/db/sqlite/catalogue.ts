import type { Database as Handle } from 'better-sqlite3'
import { migrationTables } from '../rows-query.js'
import { inReferenceOrder, type ColumnShape, type TableShape } from '../table-shape.js'

/** SQLite keeps the types as they are declared in a migration (`columnTypes`). */
const kinds: Readonly<Record<string, ColumnShape['kind']>> = {
  TEXT: 'text',
  INTEGER: 'number',
  BIGINT: 'number',
  BLOB: 'bytes',
}

/** The tables of svc in a SQLite file: a table comes after those to which it refers. */
export function sqliteTables(handle: Handle): TableShape[] {
  const found = handle
    .prepare<[], { name: string; sql: string }>(
      `select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    )
    .all()
    .filter(({ name }) => !migrationTables.includes(name))
  const referencesOf = handle.prepare<[string], string>('select "table" from pragma_foreign_key_list(?)').pluck()
  return inReferenceOrder(
    found.map((table) => shapeOf(handle, table)),
    (table) => referencesOf.all(table),
  )
}

function shapeOf(handle: Handle, { name, sql }: { name: string; sql: string }): TableShape {
  const columns = handle
    .prepare<[string], { name: string; type: string; pk: number }>('select name, type, pk from pragma_table_info(?)')
    .all(name)
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, kind: kindOf(name, column) })),
    primaryKey: columns
      .filter(({ pk }) => pk > 0)
      .toSorted((a, b) => a.pk - b.pk)
      .map((column) => column.name),
    hasGeneratedId: /\bautoincrement\b/i.test(sql),
  }
}

function kindOf(table: string, { name, type }: { name: string; type: string }): ColumnShape['kind'] {
  const kind = kinds[type.toUpperCase()]
  if (kind === undefined) throw new Error(`The column ${name} of the table ${table} has the unknown type ${type}.`)
  return kind
}

/** The applied migrations. Empty for a file that svc has not opened yet. */
export function sqliteMigrations(handle: Handle): string[] {
  const exists = handle.prepare(`select 1 from sqlite_schema where type = 'table' and name = 'kysely_migration'`).get()
  if (exists === undefined) return []
  return handle.prepare<[], string>('select name from kysely_migration order by name').pluck().all()
}

/** The last id that each table with generated ids has given out. */
export function sqliteLastIds(handle: Handle): ReadonlyMap<string, number> {
  const exists = handle.prepare(`select 1 from sqlite_schema where name = 'sqlite_sequence'`).get()
  if (exists === undefined) return new Map()
  const rows = handle.prepare<[], { name: string; seq: number }>('select name, seq from sqlite_sequence').all()
  return new Map(rows.map(({ name, seq }) => [name, seq]))
}
