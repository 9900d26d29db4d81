import { ApiError, consoleOperations, operations, type Operation } from '@svc/contract'
import { tableNames, tables, type AnyTable } from '../app/tables.js'
import type { ColumnCheck } from '../db/columns.js'
import type { RowContext, RowRequest, TableName } from '../db/table-declaration.js'
import type { RowValues } from './account-transfer/row-values.js'
import { inputChecks } from '../http/validate.js'
import { shortened } from '../shared/quoted.js'

export const checkedTables: ReadonlySet<string> = new Set(
  tableNames.filter((table) => tables[table].rule !== undefined),
)

/** Checks rows with the schemas of the requests that store them, and with the rules of their areas. */
export class RowChecks {
  readonly #bodies = new Map<string, (body: object) => unknown>()
  readonly #checksOf = inputChecks()

  constructor(private readonly context: RowContext) {}

  /** @returns what is wrong, as a sentence; undefined for a valid row, and for one of a table without rules */
  problemOf(table: string, row: RowValues): string | undefined {
    const rule = (tables as Readonly<Record<string, AnyTable | undefined>>)[table]?.rule
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
  tables[table].hasGeneratedId
    ? ['id']
    : Object.keys(row).filter(
        (column) => /^(?:id|key|host|path|day|kind|slug)$|_id$/.test(column) && row[column] !== null,
      )
