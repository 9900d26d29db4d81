import type { Selectable } from 'kysely'
import type { TableName } from './account-tables.js'
import type { ColumnCheck } from './columns.js'
import type { Tables } from './tables.js'

/**
 * What the rows of a table must be. A request checks its input before it becomes a row. A row that came another way, such as from the
 * file of an import or by hand, passes the same checks here: each area declares them beside its code.
 */
export interface RowRule<T extends TableName> {
  readonly columns: Readonly<Record<keyof Tables[T] & string, ColumnCheck>>
  /** The request that stores such a row: the schema of its operation checks the body. */
  readonly request?: (row: RowOf<T>) => RowRequest
  /** The rules of the area. @throws ApiError `bad_request` */
  readonly check?: (row: RowOf<T>, context: RowContext) => void
  /** The columns of an imported row that are not taken from the file, because they are what another system says. */
  readonly asNew?: (row: RowOf<T>, now: number) => Partial<RowOf<T>>
}

export type RowOf<T extends TableName> = Selectable<Tables[T]>

export interface RowRequest {
  /** The id of an operation. */
  readonly operation: string
  readonly body: object
}

/** What a check must know besides the row. */
export interface RowContext {
  /** The name of a zone; undefined for an unknown id. */
  readonly zoneOf: (id: number) => string | undefined
  /** The names of the server itself, in lower case. */
  readonly serverNames: { readonly sitesDomain: string; readonly hosts: readonly string[] }
}

export type RowRules = { readonly [T in TableName]?: RowRule<T> }
