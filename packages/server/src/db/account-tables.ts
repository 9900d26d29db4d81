import { sql, type RawBuilder } from 'kysely'
import type { Dialect } from './dialect.js'
import { isIn } from './json-list.js'
import type { Tables } from './tables.js'

/**
 * How the rows of every table belong to accounts: for the commands that export, import, count or delete an account. The types require
 * an entry for every table, and `account-tables.test.ts` compares the entries with a migrated database.
 */

export type TableName = keyof Tables

type ColumnOf<T extends TableName> = keyof Tables[T] & string

/** A condition in SQL on the rows of one table, which its columns name: `file.account_id = 7`. */
type Condition = (accountId: number, dialect: Dialect) => RawBuilder<boolean>

/** Which rows of a table belong to an account. */
type Ownership<T extends TableName> =
  /** Those with the id of the account in a column. */
  | { readonly by: 'account'; readonly column: ColumnOf<T> }
  /** Those whose parent row belongs to it. */
  | { readonly by: 'parent'; readonly column: ColumnOf<T>; readonly parent: TableName }
  /** The objects whose keys are in the column `blob_key` of a row of it. */
  | { readonly by: 'referrer'; readonly referrers: readonly TableName[] }
  /** A condition that the other kinds cannot say. */
  | { readonly by: 'condition'; readonly rows: Condition }
  /** None: the rows are those of the installation. */
  | { readonly by: 'installation' }

type AnyOwnership = { [T in TableName]: Ownership<T> }[TableName]

interface AccountTable<T extends TableName> {
  readonly ownership: Ownership<T>
  /** The columns with ids of other tables (of `blob`, keys), whether or not the database has a foreign key. */
  readonly references: Readonly<Partial<Record<ColumnOf<T>, TableName>>>
  /** Whether the database assigns the column `id`. */
  readonly hasGeneratedId: boolean
  /** Why an export leaves the rows out; undefined for rows that it copies. */
  readonly leftOut?: string
  /** Which rows an export copies, if they are not those of the ownership. */
  readonly exported?: Condition
}

const installation = (leftOut: string) =>
  ({ ownership: { by: 'installation' }, references: {}, hasGeneratedId: false, leftOut }) as const

const byAccount = { by: 'account', column: 'account_id' } as const
const ofAccount = { ownership: byAccount, references: { account_id: 'account' } } as const
const ofFile = {
  ownership: { by: 'parent', column: 'file_id', parent: 'file' },
  references: { file_id: 'file' },
} as const
const byDeployment = { by: 'parent', column: 'deployment_id', parent: 'deployment' } as const
const generated = { hasGeneratedId: true } as const
const given = { hasGeneratedId: false } as const

/** The zones that the account holds, and those in which it may have records that are not served. */
const zoneIds = (accountId: number) =>
  sql`(select id from dns_zone where holder_id = ${accountId} union
    select claimed.id from dns_claim join dns_zone as claimed on claimed.name = dns_claim.zone
      where dns_claim.account_id = ${accountId}
    union select zone_id from dns_former_holder where account_id = ${accountId})`

const siteIds = (accountId: number) => sql`(select id from site where account_id = ${accountId})`

/** Referenced tables first. To delete an account, read the keys of its objects, and then go through the tables backwards. */
export const accountTables: { readonly [T in TableName]: AccountTable<T> } = {
  account: { ownership: { by: 'account', column: 'id' }, references: {}, ...generated },
  token: { ...ofAccount, ...generated },
  session: { ...ofAccount, ...generated, leftOut: 'a session belongs to the address of its installation' },
  sign_in_failure: installation('its keys are hashes of emails and networks'),
  exchange_rates: installation('a cache'),
  installation: installation('identifies the installation'),
  change_clock: installation('counts the changes of the installation'),
  job_run: installation('of the jobs of the installation'),
  master_key: installation('the key of the installation'),
  master_key_handover: installation('keys of the installation'),
  registration: installation('a cache'),
  rdap_bootstrap: installation('a cache'),
  dns_reserved: installation('chosen by the operator'),

  dns_claim: { ...ofAccount, ...generated },
  dns_zone: {
    ownership: { by: 'account', column: 'holder_id' },
    references: { holder_id: 'account' },
    ...generated,
    exported: (accountId, dialect) => isIn('dns_zone.id', zoneIds(accountId), dialect),
  },
  dns_record: {
    ownership: {
      by: 'condition',
      rows: (accountId, dialect) =>
        sql`dns_record.account_id = ${accountId} and ${isIn('dns_record.zone_id', zoneIds(accountId), dialect)}`,
    },
    references: { zone_id: 'dns_zone', account_id: 'account' },
    ...given,
  },

  dns_former_holder: {
    ownership: byAccount,
    references: { account_id: 'account', zone_id: 'dns_zone' },
    ...given,
    leftOut: 'an import adds the zones in which records wait',
  },

  blob_writer: installation('the running processes'),
  blob_writer_ended: installation('processes of the installation'),
  blob: {
    ownership: { by: 'referrer', referrers: ['file_part', 'upload_part', 'site_content', 'package_artifact'] },
    references: {},
    ...given,
  },
  file: { ...ofAccount, ...generated },
  file_part: { ownership: ofFile.ownership, references: { file_id: 'file', blob_key: 'blob' }, ...given },
  file_content: { ...ofFile, ...given },
  file_traffic: { ...ofFile, ...given },
  file_traffic_day: { ...ofFile, ...given },
  account_traffic_day: { ...ofAccount, ...given },
  edge_purge: { ...ofFile, ...given, leftOut: 'the edge of another installation has no copies' },
  upload: {
    ownership: byAccount,
    references: { account_id: 'account', file_id: 'file' },
    ...generated,
    leftOut: 'its client sends the parts to the address where it began',
  },
  upload_part: {
    ownership: { by: 'parent', column: 'upload_id', parent: 'upload' },
    references: { upload_id: 'upload', blob_key: 'blob' },
    ...given,
    leftOut: 'a part of an upload',
  },
  storage_use: { ...ofAccount, ...given },

  site: { ownership: byAccount, references: { account_id: 'account', version_id: 'site_version' }, ...generated },
  site_version: {
    ownership: {
      by: 'condition',
      rows: (accountId, dialect) => sql`site_version.account_id = ${accountId}
        and (site_version.site_id is null or ${isIn('site_version.site_id', siteIds(accountId), dialect)})`,
    },
    references: { account_id: 'account', site_id: 'site' },
    ...generated,
    // The others are being deployed, or wait for their removal.
    exported: (accountId, dialect) => isIn('site_version.site_id', siteIds(accountId), dialect),
  },
  site_content: {
    ownership: byAccount,
    references: { account_id: 'account', blob_key: 'blob' },
    ...generated,
    exported: (accountId) => sql`site_content.account_id = ${accountId} and exists (
      select site_file.content_id from site_file join site_version on site_version.id = site_file.version_id
        where site_file.content_id = site_content.id and site_version.site_id is not null)`,
  },
  site_file: {
    ownership: { by: 'parent', column: 'version_id', parent: 'site_version' },
    references: { version_id: 'site_version', content_id: 'site_content' },
    ...given,
  },
  site_domain: { ownership: byAccount, references: { account_id: 'account', site_id: 'site' }, ...given },
  site_use: { ...ofAccount, ...given },
  site_compaction: {
    ownership: byAccount,
    references: { account_id: 'account', blob_key: 'blob' },
    ...given,
    leftOut: 'work of the installation',
  },

  package: { ...ofAccount, ...generated },
  package_version: {
    ownership: { by: 'parent', column: 'package_id', parent: 'package' },
    references: { package_id: 'package' },
    ...generated,
  },
  package_artifact: {
    ownership: { by: 'parent', column: 'version_id', parent: 'package_version' },
    references: { version_id: 'package_version', blob_key: 'blob' },
    ...generated,
  },
  package_use: { ...ofAccount, ...given },
  package_slug_retired: installation('of deleted accounts'),

  deployment: { ...ofAccount, ...generated },
  // Behind the deployments: an import gives those whose slugs are taken other ones.
  deployment_slug: { ...ofAccount, ...given },
  deployment_use_day: { ownership: byDeployment, references: { deployment_id: 'deployment' }, ...given },
  deployment_deleted: installation('what is left of deleted deployments, which a job removes'),
  form_submission: { ownership: byDeployment, references: { deployment_id: 'deployment' }, ...given },
  webhook_request: { ownership: byDeployment, references: { deployment_id: 'deployment' }, ...given },
  webhook_delivery: {
    ownership: byDeployment,
    references: { deployment_id: 'deployment', account_id: 'account' },
    ...given,
  },

  credential: { ...ofAccount, ...generated },
  sms_key: { ...ofAccount, ...generated },
  sms_inbox: { ...ofAccount, ...given },
  // The key of a message may be revoked.
  sms_message: { ownership: byAccount, references: { account_id: 'account', key_id: 'sms_key' }, ...given },

  domain: { ...ofAccount, ...generated },
  domain_calendar: { ...ofAccount, ...given },
}

/**
 * The condition that a row of a table belongs to an account. Takes time in proportion to the rows of the account, by the indexes of the
 * columns.
 * @returns undefined for a table of the installation
 */
export const ownedRows = (table: TableName, accountId: number, dialect: Dialect): RawBuilder<boolean> | undefined =>
  rowsOf(table, accountId, dialect, ownedRows)

/** The same for the rows that an export copies. @returns undefined for a table that it leaves out */
export function exportedRows(table: TableName, accountId: number, dialect: Dialect): RawBuilder<boolean> | undefined {
  const { leftOut, exported } = accountTables[table]
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
  const ownership: AnyOwnership = accountTables[table].ownership
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
      const keys = ownership.referrers
        .map((referrer) => select('blob_key', referrer))
        .filter((rows) => rows !== undefined)
      return isIn(`${table}.key`, sql`(${sql.join(keys, sql` union `)})`, dialect)
    }
  }
}
