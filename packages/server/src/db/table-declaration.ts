import type { RawBuilder, Selectable } from 'kysely'
import type { SecretIdentity } from '../shared/secret-identity.js'
import type { RemovePart } from './account-removal.js'
import type { ColumnCheck } from './columns.js'
import type { Dialect } from './dialect.js'
import type { Prepared } from './prepared.js'
import type { Tables } from './tables.js'
import type { Transaction } from './transaction.js'

/**
 * What the commands that count, delete, export, import and check the rows of an account know of a table. Each area declares its tables
 * in its `tables.ts`, and `app/tables.ts` lists them.
 */
export interface TableDeclaration<T extends TableName> {
  readonly ownership: Ownership<ColumnOf<T>>
  /** The columns with ids of other tables (of `blob`, keys), whether or not the database has a foreign key. */
  readonly references: Readonly<Partial<Record<ColumnOf<T>, TableName>>>
  /** References to rows that may be deleted. */
  readonly mayDangle?: readonly ColumnOf<T>[]
  /** Whether the database assigns the column `id`; false if left out. */
  readonly hasGeneratedId?: true
  /** The primary key of a table without generated ids; the column of the account if left out. For areas without a `removePart`. */
  readonly key?: readonly ColumnOf<T>[]
  /** Why an export leaves the rows out; undefined for rows that it copies. */
  readonly leftOut?: string
  /** Which rows an export copies, if they are not those of the ownership. */
  readonly exported?: Condition
  /** Required for rows that an export copies. */
  readonly rule?: RowRule<T>
  /** What the secret in `sealed` and `master_key_id` belongs to. Both columns may be null together. */
  readonly sealed?: (accountId: number, row: RowOf<T>) => SecretIdentity
  readonly unique?: UniqueColumn<T>
  /** Columns of an imported row that are not taken from the file. */
  readonly imported?: (row: RowOf<T>, terms: ImportTerms) => Partial<RowOf<T>>
  /** The row counts those of another table: an import writes it with this query. */
  readonly counts?: { readonly table: TableName; readonly query: Prepared<{ accountId: number }, unknown> }
}

export type TableDeclarations = { readonly [T in TableName]?: TableDeclaration<T> }

/** The rows of one area. */
export interface AreaTables {
  /** Referenced tables first. */
  readonly tables: TableDeclarations
  /** Removes the rows of a deleted account, if objects, DNS or more than their deletion depends on them. */
  readonly removePart?: RemovePart
  /** The certificates that the area wants for accounts: a query. It names only zones that are verified for the account. */
  readonly wantedCertificates?: (dialect: Dialect) => RawBuilder<WantedCertificate>
  /** Called in the transaction of an import, after all rows. */
  readonly afterImport?: (tx: Transaction, accountId: number) => void
}

/** A certificate that is ordered for an account: for a host, or for a zone and all names one label below it. */
export interface WantedCertificate {
  readonly account_id: number
  /** The verified zone that the names are in. */
  readonly zone: string
  /** The site that has the host; null for a zone. */
  readonly site: string | null
  /** Null for a zone. */
  readonly host: string | null
}

export type TableName = keyof Tables

export type ColumnOf<T extends TableName> = keyof Tables[T] & string

export type RowOf<T extends TableName> = Selectable<Tables[T]>

/** A condition in SQL on the rows of one table, which its columns name: `file.account_id = 7`. */
type Condition = (accountId: number, dialect: Dialect) => RawBuilder<boolean>

/** Which rows of a table belong to an account. */
export type Ownership<Column extends string> =
  /** Those with the id of the account in a column. */
  | { readonly by: 'account'; readonly column: Column }
  /** Those whose parent row belongs to it. */
  | { readonly by: 'parent'; readonly column: Column; readonly parent: TableName }
  /** Those to whose keys a row of it refers. */
  | { readonly by: 'referrer' }
  /** A condition that the other kinds cannot say. */
  | { readonly by: 'condition'; readonly rows: Condition }
  /** None: the rows are those of the installation. */
  | { readonly by: 'installation' }

/** Rows with the id of their account in `account_id`. */
export const ofAccount = {
  ownership: { by: 'account', column: 'account_id' },
  references: { account_id: 'account' },
} as const

/** Rows with the id of their parent row in a column. */
export const ofParent = <C extends string, P extends TableName>(column: C, parent: P) => ({
  ownership: { by: 'parent', column, parent } as const,
  references: { [column]: parent } as Record<C, P>,
})

/** Rows of no account. @param leftOut why an export leaves them out */
export const ofInstallation = (leftOut: string) =>
  ({ ownership: { by: 'installation' }, references: {}, leftOut }) as const

/**
 * What the rows of a table must be. A request checks its input before it becomes a row. A row that came another way, such as from the
 * file of an import or by hand, passes the same checks here.
 */
export interface RowRule<T extends TableName> {
  readonly columns: Readonly<Record<ColumnOf<T>, ColumnCheck>>
  /** The request that stores such a row: the schema of its operation checks the body. */
  readonly request?: (row: RowOf<T>) => RowRequest
  /** The rules of the area. @throws ApiError `bad_request` */
  readonly check?: (row: RowOf<T>, context: RowContext) => void
}

export interface RowRequest {
  /** The id of an operation. */
  readonly operation: string
  readonly body: object
}

/** What a check must know besides the row. */
export interface RowContext {
  /** The name of a zone; undefined for an unknown id. */
  readonly zoneOf: (id: number) => string | undefined
  readonly serverNames: ServerNames
}

/** The names of the server itself, in lower case. */
export interface ServerNames {
  readonly sitesDomain: string
  readonly hosts: readonly string[]
}

/** What an import knows besides the row. */
export interface ImportTerms {
  readonly now: number
  /** How much the ids of the records of a zone have grown. */
  readonly shiftOf: (zone: string) => number
}

/** A column whose values are unique among all accounts: what an import does with a row whose value another row has. */
export interface UniqueColumn<T extends TableName> {
  readonly column: ColumnOf<T>
  readonly kind: 'bytes' | 'text'
  /** The tables that have the values in a column of this name, if they are others than that of the row. */
  readonly tables?: readonly TableName[]
  /** The values are unique among the rows with an equal value in this column, which is one of these. */
  readonly within?: { readonly column: ColumnOf<T>; readonly values: readonly string[] }
  /** Values that no account may have. */
  readonly isReserved?: (value: string, names: ServerNames) => boolean
  readonly ifTaken: (row: RowOf<T>, terms: TakenTerms) => Replacement<T> | Promise<Replacement<T>>
}

export interface TakenTerms {
  /** Whether another value can be used. From then on no further row of the import gets it. */
  readonly isFree: (value: string) => Promise<boolean>
}

/** What becomes of a row whose value is taken. */
export interface Replacement<T extends TableName> {
  /** The columns that get other values; undefined to leave the row out. */
  readonly columns: Partial<RowOf<T>> | undefined
  /** A sentence for the operator; undefined if the account misses nothing. */
  readonly change?: string
}
