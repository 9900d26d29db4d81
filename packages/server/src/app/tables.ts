import { sql, type RawBuilder } from 'kysely'
import type { Dialect } from '../db/dialect.js'
import { installationTables } from '../db/installation-tables.js'
import { isIn } from '../db/json-list.js'
import type { AreaTables, Ownership, TableDeclaration, TableName } from '../db/table-declaration.js'
import { journalTables } from '../journal/tables.js'
import { blobTables } from '../ports/blobs/tables.js'
import { certificateTables } from '../ports/certificates/tables.js'
import { mailTables } from '../ports/mail/tables.js'
import { accountTables } from '../areas/account/tables.js'
import { credentialTables } from '../areas/cred/tables.js'
import { deploymentsTables } from '../areas/deployments/tables.js'
import { dnsTables } from '../areas/dns/tables.js'
import { domainsTables } from '../areas/domains/tables.js'
import { filesTables } from '../areas/files/tables.js'
import { packagesTables } from '../areas/packages/tables.js'
import { sitesTables } from '../areas/sites/tables.js'
import { smsTables } from '../areas/sms/tables.js'
import { tlsTables } from '../areas/tls/tables.js'

/**
 * The tables of all areas and ports: a table comes after those to which its rows refer. An account is deleted backwards, but the areas
 * with a `removePart` come first, in this order: zones are not served while the rest is removed.
 */
const declared = {
  account: accountTables,
  installation: installationTables,
  dns: dnsTables,
  journal: journalTables,
  blobs: blobTables,
  certificates: certificateTables,
  mail: mailTables,
  files: filesTables,
  sites: sitesTables,
  packages: packagesTables,
  deployments: deploymentsTables,
  cred: credentialTables,
  sms: smsTables,
  domains: domainsTables,
  tls: tlsTables,
}

export const areaTables: readonly AreaTables[] = Object.values(declared)

export interface AnyTable extends Omit<TableDeclaration<TableName>, 'ownership' | 'references'> {
  readonly ownership: Ownership<string>
  readonly references: Readonly<Record<string, TableName>>
}

type NamesOf<D> = D extends unknown ? keyof D : never
type DeclaredName = NamesOf<(typeof declared)[keyof typeof declared]['tables']>

const byName = Object.assign({}, ...areaTables.map((area) => area.tables)) as Record<DeclaredName, AnyTable>

/** By name, referenced tables first. Does not compile while a table has no declaration. */
export const tables: Readonly<Record<TableName, AnyTable>> = byName

export const tableNames = Object.keys(tables) as readonly TableName[]

/**
 * The condition that a row of a table belongs to an account. Takes time in proportion to the rows of the account, by the indexes of the
 * columns.
 * @returns undefined for a table of the installation
 */
export const ownedRows = (table: TableName, accountId: number, dialect: Dialect): RawBuilder<boolean> | undefined =>
  rowsOf(table, accountId, dialect, ownedRows)

/** The same for the rows that an export copies. @returns undefined for a table that it leaves out */
export function exportedRows(table: TableName, accountId: number, dialect: Dialect): RawBuilder<boolean> | undefined {
  const { leftOut, exported } = tables[table]
  if (leftOut !== undefined) return undefined
  return exported?.(accountId, dialect) ?? rowsOf(table, accountId, dialect, exportedRows)
}

/** @param parentRows the condition on the rows of a table that this one refers to */
function rowsOf(
  table: TableName,
  accountId: number,
  dialect: Dialect,
  parentRows: typeof ownedRows,
): RawBuilder<boolean> | undefined {
  const { ownership } = tables[table]
  const select = (column: string, from: TableName) => {
    const rows = parentRows(from, accountId, dialect)
    return rows && sql`select ${sql.ref(`${from}.${column}`)} from ${sql.table(from)} where ${rows}`
  }
  switch (ownership.by) {
    case 'installation':
      return undefined
    case 'condition':
      return ownership.rows(accountId, dialect)
    case 'account':
      return sql`${sql.ref(`${table}.${ownership.column}`)} = ${accountId}`
    case 'parent': {
      const ids = select('id', ownership.parent)
      return ids && isIn(`${table}.${ownership.column}`, sql`(${ids})`, dialect)
    }
    case 'referrer': {
      const keys = referencesTo(table).map(([referrer, column]) => select(column, referrer))
      return isIn(`${table}.key`, sql`(${sql.join(keys.filter(Boolean), sql` union `)})`, dialect)
    }
  }
}

const referencesTo = (table: TableName) =>
  tableNames.flatMap((name) =>
    Object.entries(tables[name].references).flatMap(([column, to]) => (to === table ? [[name, column] as const] : [])),
  )
