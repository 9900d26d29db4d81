import { sql, type CompiledQuery, type RawBuilder } from 'kysely'
import type { Dialect } from './dialect.js'
import { queryBuilders } from './prepared.js'
import type { TableShape } from './table-shape.js'

/** Kysely's own tables, which are not copied: the migrator writes them. */
export const migrationTables = ['kysely_migration', 'kysely_migration_lock']

/**
 * Reads the rows of a table in the order of its primary key. PostgreSQL sorts texts by their bytes, as SQLite does, which its index can
 * serve only if the column has the collation "C": otherwise the server sorts the keys.
 */
export function rowsQuery(dialect: Dialect, table: TableShape, where?: RawBuilder<unknown>): CompiledQuery {
  const kinds = new Map(table.columns.map(({ name, kind }) => [name, kind]))
  const columns = sql.join(table.columns.map(({ name }) => sql.ref(name)))
  const order = sql.join(
    table.primaryKey.map((name) =>
      dialect === 'postgres' && kinds.get(name) === 'text' ? sql`${sql.ref(name)} collate "C"` : sql.ref(name),
    ),
  )
  return sql`select ${columns} from ${sql.table(table.name)} where ${where ?? sql`true`} order by ${order}`.compile(
    queryBuilders[dialect],
  )
}
