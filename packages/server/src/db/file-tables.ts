import type { Generated } from 'kysely'

/** The tables of files and uploads (see `Tables`). */
export interface FileTables {
  file: FileTable
  file_part: FilePartTable
  file_content: FileContentTable
  edge_purge: EdgePurgeTable
  upload: UploadTable
  upload_part: UploadPartTable
  storage_use: StorageUseTable
}

/** A file of an account. */
export interface FileTable {
  id: Generated<number>
  account_id: number
  name: string
  media_type: string
  /** In bytes. */
  size: number
  /** Lower-case hexadecimal. */
  sha256: string
  /** The secret part of the share link; null if the file is not shared. */
  share_key: string | null
  /** Seconds that the edge may keep the file. */
  edge_ttl: number
  /** 1 if the edge serves the file, otherwise 0. */
  serving: number
  /** Increases with each change after which copies at the edge must not be served. 0 for a file that was never shared. */
  edge_version: number
  created_at: number
  updated_at: number
}

/**
 * One of the objects whose bytes, in the order of `start`, are the contents of a file. None of them is empty. An empty or a small file
 * has none.
 */
export interface FilePartTable {
  file_id: number
  /** The position of its first byte in the file, from 0. */
  start: number
  blob_key: string
  /** In bytes. */
  size: number
}

/** The contents of a small file, which has no parts. */
export interface FileContentTable {
  file_id: number
  bytes: Buffer
}

/** A purge that the edge has not confirmed. The row is written with the change of the file, and may outlive the file. */
export interface EdgePurgeTable {
  file_id: number
  /** Copies of earlier versions must not be served. */
  version: number
}

/** A large upload. */
export interface UploadTable {
  id: Generated<number>
  account_id: number
  expires_at: number
  /** The file that the upload became; null while it is open. */
  file_id: number | null
  /** Bytes of the whole file, as the client declared them; null if it did not. */
  size: number | null
}

/** A part of an open upload. */
export interface UploadPartTable {
  upload_id: number
  part: number
  blob_key: string
  /** In bytes. */
  size: number
}

/** What an account uses of its limits. Rows exist from the first upload. */
export interface StorageUseTable {
  account_id: number
  files: number
  /** Files with a share link. */
  shared: number
  /** Of files and of open uploads. */
  bytes: number
  /** Open uploads. */
  uploads: number
  /** Objects of files and of open uploads; an empty file counts as one. */
  objects: number
}
