import { groupBy } from '@svc/contract/group-by'
import { OperatorError } from '../../shared/operator-error.js'
import { migrationTables } from '../rows-query.js'
import { inReferenceOrder, type ColumnShape, type TableShape } from '../table-shape.js'
import type { Connection } from './client.js'

/** PostgreSQL's names of the types that migrations declare (`columnTypes`). */
const kinds: Readonly<Record<string, ColumnShape['kind']>> = {
  text: 'text',
  'character varying': 'text',
  integer: 'number',
  bigint: 'number',
  bytea: 'bytes',
}

/** `key` is the position in the primary key, from 1; null for other columns. */
interface ColumnRow {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isGenerated: boolean
  readonly key: number | null
}

const columnsQuery = `
  select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type,
    a.attidentity <> '' as "isGenerated", array_position(i.indkey::int2[], a.attnum) + 1 as key
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
  order by c.relname, a.attnum`

const referencesQuery = `
  select c.relname as "table", t.relname as "to"
  from pg_constraint r join pg_class c on c.oid = r.conrelid join pg_class t on t.oid = r.confrelid
  where r.contype = 'f' and c.relnamespace = current_schema()::regnamespace`

/** The tables of svc in the schema of the connection: a table comes after those to which it refers. */
export async function postgresTables(client: Connection): Promise<TableShape[]> {
  const columns = groupBy((await client.query<ColumnRow>(columnsQuery)).rows, ({ table }) => table)
  const { rows: references } = await client.query<{ table: string; to: string }>(referencesQuery)
  return inReferenceOrder(
    [...columns].filter(([name]) => !migrationTables.includes(name)).map(([name, rows]) => shapeOf(name, rows)),
    (table) => references.filter((reference) => reference.table === table).map(({ to }) => to),
  )
}

const shapeOf = (name: string, columns: readonly ColumnRow[]): TableShape => ({
  name,
  columns: columns.map((column) => ({ name: column.name, kind: kindOf(column) })),
  primaryKey: columns
    .filter(({ key }) => key !== null)
    .toSorted((a, b) => (a.key ?? 0) - (b.key ?? 0))
    .map((column) => column.name),
  hasGeneratedId: columns.some(({ isGenerated }) => isGenerated),
})

function kindOf({ table, name, type }: ColumnRow): ColumnShape['kind'] {
  const kind = kinds[type]
  if (kind === undefined)
    throw new OperatorError(
      `The table ${table} is not one of svc: its column ${name} has the type ${type}. Give svc a separate database.`,
    )
  return kind
}

/** The applied migrations. Empty for a database that svc has not opened yet. */
export async function postgresMigrations(client: Connection): Promise<string[]> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    `select to_regclass('kysely_migration') is not null as exists`,
  )
  if (found[0]?.exists !== true) return []
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name collate "C"')
  return rows.map(({ name }) => name)
}

/** The last id that each table with generated ids has given out. Sequences are in no snapshot: the ids are those of now. */
export async function postgresLastIds(client: Connection): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ table: string; last: number | null }>(`
    select c.relname as "table", pg_sequence_last_value(d.objid) as last
    from pg_class c
    join pg_depend d on d.refobjid = c.oid and d.deptype = 'i' and d.classid = 'pg_class'::regclass
    join pg_class s on s.oid = d.objid and s.relkind = 'S'
    where c.relnamespace = current_schema()::regnamespace`)
  return new Map(rows.flatMap(({ table, last }) => (last === null ? [] : [[table, last]])))
}
