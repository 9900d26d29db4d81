import type { Selectable } from 'kysely'
import type { Tables } from '../../../db/tables.js'

/** A site of an account. Times are milliseconds since the epoch. */
export interface StoredSite {
  readonly id: number
  readonly accountId: number
  readonly name: string
  /** The version that is served. */
  readonly versionId: number
  readonly files: number
  /** In bytes. */
  readonly size: number
  readonly createdAt: number
  readonly deployedAt: number
  /** The number of its last deployed version. */
  readonly lastVersion: number
}

export const siteColumns = [
  'id',
  'account_id',
  'name',
  'version_id',
  'files',
  'size',
  'created_at',
  'deployed_at',
  'last_version',
] as const

type SiteRow = Selectable<Tables['site']>

export const toSite = (row: SiteRow): StoredSite => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  versionId: row.version_id,
  files: row.files,
  size: row.size,
  createdAt: row.created_at,
  deployedAt: row.deployed_at,
  lastVersion: row.last_version,
})
