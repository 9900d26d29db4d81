import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TableName } from '../../db/table-declaration.js'
import type { Snapshot } from '../../db/table-shape.js'
import { counted } from '../../shared/counted.js'
import { serverNamesOf } from '../account-import.js'
import { toValues, type RowValues } from '../account-transfer/row-values.js'
import { checkedTables, keyColumnsOf, nameOfRow, RowChecks } from '../row-checks.js'
import { requireDatabase, type Check, type Context } from './check.js'

/** A larger database is checked in part: the other checks take no longer. */
const checkMs = 25_000

const listedMax = 20

/** A row that no request could have stored. */
interface BadRow {
  readonly table: TableName
  readonly row: RowValues
  readonly problem: string
}

/** Whether the rows of accounts are what requests store. Servers leave out a row that they cannot use, and log it once. */
export const rowsCheck: Check = {
  section: 'rows',
  deadlineMs: undefined,
  async run(context, report) {
    const database = await requireDatabase(context, report)
    if (database === undefined) return
    const snapshot = await database.snapshot()
    const bad: BadRow[] = []
    try {
      const { rows, isWhole } = await checkRows(snapshot, context, (found) => void bad.push(found))
      const part = isWhole ? '' : ` within ${String(checkMs / 1000)} seconds; there are more`
      if (bad.length === 0) report.ok(`Checked ${counted(rows, 'row')}${part}.`)
    } finally {
      await snapshot.close()
    }
    const [first] = bad
    if (first === undefined) return
    const more = bad.length > listedMax ? [`and ${String(bad.length - listedMax)} more`] : []
    report.warning(
      `${counted(bad.length, 'row')} ${bad.length === 1 ? 'is' : 'are'} not what svc stores: a server may leave ${bad.length === 1 ? 'it' : 'them'} out.`,
      `Look at the first one: ${selectOf(context, first)}. Make a backup with svc backup before you correct or delete it.`,
      [...bad.slice(0, listedMax).map(({ table, row, problem }) => `${nameOfRow(table, row)}: ${problem}`), ...more],
    )
  },
}

async function checkRows(snapshot: Snapshot, { config, progress }: Context, found: (row: BadRow) => void) {
  const zoneNames = new Map<number, string>()
  const checks = new RowChecks({ serverNames: serverNamesOf(config), zoneOf: (id) => zoneNames.get(id) })
  const endAt = performance.now() + checkMs
  let rows = 0
  for (const table of snapshot.tables.filter(({ name }) => checkedTables.has(name))) {
    const columns = table.columns.map(({ name }) => name)
    for await (const batch of snapshot.rows(table)) {
      for (const row of batch.map((values) => toValues(columns, values))) {
        if (table.name === 'dns_zone') zoneNames.set(Number(row['id']), String(row['name']))
        const problem = isReserved(table.name, row) ? undefined : checks.problemOf(table.name, row)
        if (problem !== undefined) found({ table: table.name as TableName, row, problem })
      }
      rows += batch.length
      progress(`Checked ${counted(rows, 'row')}.`)
      if (performance.now() > endAt) return { rows, isWhole: false }
      await nextTurn()
    }
  }
  return { rows, isWhole: true }
}

/** An address that a deleted account keeps from others. An import refuses such a row. */
const isReserved = (table: string, row: RowValues): boolean => table === 'deployment_slug' && row['account_id'] === null

/** The command that shows a row. */
function selectOf({ config: { database } }: Context, { table, row }: BadRow): string {
  const conditions = keyColumnsOf(table, row).map((column) => `${column} = ${literal(row[column] ?? null)}`)
  const statement = `select * from ${table} where ${conditions.join(' and ')}`
  return database.kind === 'sqlite'
    ? `sqlite3 ${database.file} "${statement}"`
    : `psql "$SVC_DATABASE" -c "${statement}"`
}

const literal = (value: RowValues[string]): string =>
  typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
