import type { FileTable } from '../../../db/tables.js'

/** A file of an account. Times are milliseconds since the epoch. */
export interface StoredFile {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly mediaType: string
  /** In bytes. */
  readonly size: number
  /** Lower-case hexadecimal. */
  readonly sha256: string
  /** The secret part of the share link; null if the file is not shared. */
  readonly shareKey: string | null
  /** Seconds that the edge may keep the file. */
  readonly edgeTtl: number
  readonly isServed: boolean
  /** 0 for a file that was never shared. */
  readonly edgeVersion: number
  readonly createdAt: number
  readonly updatedAt: number
}

export const fileColumns = [
  'file.id',
  'file.account_id',
  'file.name',
  'file.media_type',
  'file.size',
  'file.sha256',
  'file.share_key',
  'file.edge_ttl',
  'file.serving',
  'file.edge_version',
  'file.created_at',
  'file.updated_at',
] as const

export type FileRow = Omit<FileTable, 'id'> & { readonly id: number }

export const toFile = (row: FileRow): StoredFile => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  mediaType: row.media_type,
  size: row.size,
  sha256: row.sha256,
  shareKey: row.share_key,
  edgeTtl: row.edge_ttl,
  isServed: row.serving === 1,
  edgeVersion: row.edge_version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
