import { randomBytes } from 'node:crypto'
import type { Tables } from '../../../db/tables.js'

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

export type FileRow = Omit<Tables['file'], 'id'> & { readonly id: number }

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

/** How a file is named and shared when it is made. */
export interface FileDetails {
  readonly name: string
  readonly mediaType: string
  /** The secret part of its share link; null for a file that is not shared. */
  readonly shareKey: string | null
}

export interface FileContent {
  /** In bytes. */
  readonly size: number
  /** Lower-case hexadecimal. */
  readonly sha256: string
}

/** Changes of a file. Only supplied fields change. */
export interface FileChanges {
  readonly name?: string
  readonly mediaType?: string
  /** A key to share the file under, unless it is shared already; null to unshare it. */
  readonly shareKey?: string | null
}

/**
 * The file after a change; the same object if nothing changes.
 * @param now milliseconds since the epoch
 */
export function changedFile(file: StoredFile, changes: FileChanges, now: number): StoredFile {
  const { name = file.name, mediaType = file.mediaType } = changes
  const shareKey = changedKey(file, changes.shareKey)
  const isRelabelled = name !== file.name || mediaType !== file.mediaType
  if (!isRelabelled && shareKey === file.shareKey) return file
  // The first share makes the version 1. A file that was never shared has no copies that could be out of date.
  const isKnownToEdge = file.edgeVersion > 0 || shareKey !== null
  return {
    ...file,
    name,
    mediaType,
    shareKey,
    updatedAt: now,
    edgeVersion: isKnownToEdge ? file.edgeVersion + 1 : 0,
    // A new link works, also if the edge stopped serving an earlier one.
    isServed: file.isServed || (file.shareKey === null && shareKey !== null),
  }
}

/** A file that is shared keeps its key until it is unshared. */
function changedKey({ shareKey }: StoredFile, wanted: string | null | undefined): string | null {
  if (wanted === undefined) return shareKey
  return wanted === null ? null : (shareKey ?? wanted)
}

/** The secret part of a share link: 128 random bits in base64url. */
export const newShareKey = (): string => randomBytes(16).toString('base64url')

/** Whether a text has the form of a key. */
export const isShareKey = (text: string): boolean => /^[\w-]{22}$/.test(text)
