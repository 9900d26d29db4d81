import type { Database as Handle } from 'better-sqlite3'

/** Finds what of a migration is more than an addition (`isAdditive`): a version without the migration would fail on it. */

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
}

export interface Schema {
  /** The columns by table. */
  readonly tables: ReadonlyMap<string, readonly Column[]>
  /** The statements of indexes, triggers and views, by name. */
  readonly others: ReadonlyMap<string, { readonly sql: string; readonly type: string; readonly tbl_name: string }>
  /** The references to other tables, as `table.column to on-delete`, by table. */
  readonly references: ReadonlyMap<string, readonly { readonly table: string; readonly on_delete: string }[]>
}

/** The schema of a SQLite database. */
export function schemaOf(handle: Handle): Schema {
  const rows = handle
    .prepare<[], { name: string; type: string; tbl_name: string; sql: string | null }>(
      `select name, type, tbl_name, sql from sqlite_schema where name not like 'sqlite\\_%' escape '\\'`,
    )
    .all()
  const names = rows.filter(({ type }) => type === 'table').map(({ name }) => name)
  const pragma = <T>(of: string, name: string) => handle.prepare<[string], T>(`select * from pragma_${of}(?)`).all(name)
  return {
    tables: new Map(names.map((name) => [name, pragma<Column>('table_info', name)])),
    others: new Map(
      rows.flatMap(({ name, sql, ...rest }) => (rest.type === 'table' ? [] : [[name, { sql: sql ?? '', ...rest }]])),
    ),
    references: new Map(names.map((name) => [name, pragma('foreign_key_list', name)])),
  }
}

/** @returns a sentence for each change that is not an addition */
export const changesBetween = (before: Schema, after: Schema): string[] => [
  ...[...before.tables].flatMap(([table, columns]) => columnChanges(table, columns, after.tables.get(table))),
  ...[...before.others].flatMap(([name, { sql }]) =>
    after.others.get(name)?.sql === sql ? [] : [`${name} is dropped or changed`],
  ),
  ...[...after.others].flatMap(([name, { sql, type, tbl_name: table }]) => {
    const isHarmless = !before.tables.has(table) || (type === 'index' && !/^create unique/i.test(sql))
    return before.others.has(name) || isHarmless ? [] : [`${name} restricts or changes the writes of ${table}`]
  }),
  ...[...after.references].flatMap(([name, references]) =>
    references.flatMap(({ table, on_delete: onDelete }) => {
      const isHarmless = before.tables.has(name) || !before.tables.has(table) || /cascade|set null/i.test(onDelete)
      return isHarmless ? [] : [`rows of ${name} prevent the deletion of rows of ${table}`]
    }),
  ),
]

function columnChanges(table: string, before: readonly Column[], after: readonly Column[] | undefined): string[] {
  if (after === undefined) return [`${table} is dropped`]
  const shapeOf = (column: Column | undefined) => JSON.stringify(column)
  const changed = before.filter(({ name }) => {
    const [old, now] = [before, after].map((columns) => columns.find((column) => column.name === name))
    return shapeOf(old) !== shapeOf(now)
  })
  const required = after.filter(
    ({ name, notnull, dflt_value: fallback }) =>
      !before.some((column) => column.name === name) && notnull === 1 && fallback === null,
  )
  return [
    ...changed.map(({ name }) => `${table}.${name} is dropped or changed`),
    ...required.map(({ name }) => `${table}.${name} has no default`),
  ]
}
