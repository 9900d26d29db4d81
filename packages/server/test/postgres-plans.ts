import pg from 'pg'
import type { Compiled } from '../src/db/prepared.js'

/** Rows of each table. `pretendRows` tells the planner of more. */
const rows = 1_000
/** Rows with the same account, zone or other parent. */
const rowsOfParent = 8

interface Column {
  readonly name: string
  readonly type: string
  readonly isParent: boolean
}

interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly checks: readonly string[] | null
}

/** `isParent`: a foreign key, declared or not (account_id, deployment_id), that several rows may share. */
const tablesSql = `
  select relname as name,
    (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, null),
        'isParent', (attname in ('account_id', 'deployment_id')
            or exists (select from pg_constraint where conrelid = t.oid and contype = 'f' and conkey = array[attnum]))
          and not exists (select from pg_index where indrelid = t.oid and indisunique and indkey::text = attnum::text)
      ) order by attnum)
      from pg_attribute where attrelid = t.oid and attnum > 0 and not attisdropped) as columns,
    (select json_agg(conname) from pg_constraint where conrelid = t.oid and contype = 'c') as checks
  from pg_class t where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'kysely%'`

const uniqueKeysSql = `
  select indrelid::regclass::text as "table",
    (select json_agg(attname) from pg_attribute where attrelid = indrelid and attnum = any (indkey)) as columns
  from pg_index join pg_class t on t.oid = indrelid
  where indisunique and indpred is null and relnamespace = 'public'::regnamespace`

const valueOf = ({ type, isParent }: Column): string => {
  if (isParent) return `(i - 1) / ${rowsOfParent} + 1`
  if (type === 'text') return 'md5(i::text)'
  return type === 'bytea' ? 'sha256(i::text::bytea)' : 'i'
}

/** A node of `explain (format json)`. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly 'Join Filter'?: string
  readonly Plans?: readonly PlanNode[]
}

interface UniqueKey {
  readonly table: string
  readonly columns: readonly string[]
}

/**
 * A transaction on a migrated database in which all tables have rows, spread over many accounts.
 * @param url of a superuser
 */
export async function filledPostgres(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  // Foreign keys are not checked: the rows refer to rows of tables that are filled later.
  await client.query(
    'begin; set local session_replication_role = replica; set local plan_cache_mode = force_generic_plan',
  )
  for (const { name, columns, checks } of (await client.query<Table>(tablesSql)).rows) {
    for (const check of checks ?? []) await client.query(`alter table ${name} drop constraint ${check}`)
    await client.query(`delete from ${name}`)
    await client.query(
      `insert into ${name} (${columns.map((column) => column.name).join()}) overriding system value
        select ${columns.map(valueOf).join()} from generate_series(1, ${rows}) i`,
    )
  }
  await client.query('analyze')
  const uniqueKeys = (await client.query<UniqueKey>(uniqueKeysSql)).rows
  return {
    /** Changes the statistics as if each table had this many rows: to insert them would take minutes. */
    async pretendRows(count: number): Promise<void> {
      await client.query('deallocate all')
      await client.query(
        `update pg_class set reltuples = $1 where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
        [count],
      )
    },

    /** How the generic plan of a query reads more than it needs. Empty for TRUNCATE, which has no plan. */
    async excessReads({ name, sql, bind }: Compiled<never>): Promise<string[]> {
      if (sql.startsWith('truncate')) return []
      const params = bind({} as never).map(() => 'null')
      await client.query(`prepare ${name} as ${sql}`)
      const call = params.length === 0 ? name : `${name} (${params.join()})`
      const explained = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (format json) execute ${call}`,
      )
      return excessOf(explained.rows[0]!['QUERY PLAN'][0].Plan, undefined, uniqueKeys)
    },
    close: () => client.end(),
  }
}

function excessOf(node: PlanNode, parent: PlanNode | undefined, uniqueKeys: readonly UniqueKey[]): string[] {
  const excess = scanExcess(node, parent, uniqueKeys) ?? joinExcess(node)
  const inner = (node.Plans ?? []).flatMap((child) => excessOf(child, node, uniqueKeys))
  return excess === undefined ? inner : [excess, ...inner]
}

function scanExcess(node: PlanNode, parent: PlanNode | undefined, uniqueKeys: readonly UniqueKey[]) {
  const { 'Node Type': type, 'Index Name': index, 'Index Cond': condition = '' } = node
  // The scan of a bitmap has its table and filter in the node above.
  const scanned = type === 'Bitmap Index Scan' && parent !== undefined ? parent : node
  const table = scanned['Relation Name'] ?? ''
  if (type === 'Seq Scan') return `reads all of ${table}`
  if (index === undefined) return undefined
  if (condition === '' && !isFirstRows(node, parent)) return `reads all of ${table}`
  const isOfAccount = /\baccount_id = \$/.test(scanned.Filter ?? '')
  return isOfAccount && !isOneRow(table, condition, uniqueKeys)
    ? `reads rows of other accounts from ${table}`
    : undefined
}

/** The planner expects few rows, but an account may have many: then the time grows with their square. */
function joinExcess({ 'Join Filter': filter = '', Plans: plans = [] }: PlanNode): string | undefined {
  const kept = plans.find((plan) => plan['Node Type'] === 'Materialize')?.Plans?.[0]
  return kept !== undefined && filter.includes(' = ')
    ? `compares each row with all that it has read from ${kept['Relation Name'] ?? 'a subquery'}`
    : undefined
}

const isFirstRows = (node: PlanNode, parent: PlanNode | undefined) =>
  parent?.['Node Type'] === 'Limit' && node.Filter === undefined

const isOneRow = (table: string, condition: string, uniqueKeys: readonly UniqueKey[]) =>
  uniqueKeys.some(
    (key) => key.table === table && key.columns.every((column) => new RegExp(`\\b${column} = `).test(condition)),
  )
