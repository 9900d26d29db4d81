import { ApiError, consoleOperations, operations, type Operation } from '@svc/contract'
import { accountRowRules } from '../areas/account/row-rules.js'
import { credentialRowRules } from '../areas/cred/row-rules.js'
import { deploymentsRowRules } from '../areas/deployments/row-rules.js'
import { dnsRowRules } from '../areas/dns/row-rules.js'
import { domainsRowRules } from '../areas/domains/row-rules.js'
import { filesRowRules } from '../areas/files/row-rules.js'
import { packagesRowRules } from '../areas/packages/row-rules.js'
import { sitesRowRules } from '../areas/sites/row-rules.js'
import { smsRowRules } from '../areas/sms/row-rules.js'
import { accountTables, type TableName } from '../db/account-tables.js'
import type { ColumnCheck } from '../db/columns.js'
import type { RowContext, RowRequest, RowRule, RowRules } from '../db/row-rules.js'
import type { RowValues } from './account-transfer/row-values.js'
import { inputChecks } from '../http/validate.js'
import { shortened } from '../shared/quoted.js'

/** The rules of all tables with rows of accounts that an export copies. */
const rules = {
  ...accountRowRules,
  ...dnsRowRules,
  ...filesRowRules,
  ...sitesRowRules,
  ...packagesRowRules,
  ...deploymentsRowRules,
  ...credentialRowRules,
  ...smsRowRules,
  ...domainsRowRules,
} satisfies RowRules

export const checkedTables: ReadonlySet<string> = new Set(Object.keys(rules))

const ruleOf = (table: string): RowRule<TableName> | undefined =>
  (rules as unknown as Readonly<Record<string, RowRule<TableName> | undefined>>)[table]

/** Checks rows with the schemas of the requests that store them, and with the rules of their areas. */
export class RowChecks {
  readonly #bodies = new Map<string, (body: object) => unknown>()
  readonly #checksOf = inputChecks()

  constructor(private readonly context: RowContext) {}

  /** @returns what is wrong, as a sentence; undefined for a valid row, and for one of a table without rules */
  problemOf(table: string, row: RowValues): string | undefined {
    const rule = ruleOf(table)
    if (rule === undefined) return undefined
    for (const [column, check] of Object.entries<ColumnCheck>(rule.columns)) {
      const problem = check(row[column] ?? null)
      if (problem !== undefined) return `${column} ${problem}.`
    }
    try {
      const request = rule.request?.(row)
      if (request !== undefined) this.#checkBody(request)
      rule.check?.(row, this.context)
      return undefined
    } catch (error) {
      if (error instanceof ApiError) return error.message
      throw error
    }
  }

  #checkBody({ operation, body }: RowRequest): void {
    const check = this.#bodies.get(operation) ?? this.#checksOf(operationOf(operation)).body
    this.#bodies.set(operation, check)
    check(body)
  }
}

function operationOf(id: string): Operation {
  const found = [...operations, ...consoleOperations].find((operation) => operation.id === id)
  if (found === undefined) throw new Error(`There is no operation ${id}.`)
  return found
}

/** A row for a message: `token 7`, or `dns_record zone_id 1 id 2`. */
export function nameOfRow(table: TableName, row: RowValues): string {
  const keys = keyColumnsOf(table, row)
  if (keys.join() === 'id') return `${table} ${String(row['id'])}`
  return [table, ...keys.map((column) => `${column} ${shortened(String(row[column]))}`)].join(' ')
}

/** Columns that identify a row. */
export const keyColumnsOf = (table: TableName, row: RowValues): readonly string[] =>
  accountTables[table].hasGeneratedId
    ? ['id']
    : Object.keys(row).filter(
        (column) => /^(?:id|key|host|path|day|kind|slug)$|_id$/.test(column) && row[column] !== null,
      )

/** A row of an archive with its values that are not taken from the file. */
export const asNewRow = (table: string, row: RowValues, now: number): RowValues => ({
  ...row,
  ...(ruleOf(table)?.asNew?.(row, now) as RowValues | undefined),
})
