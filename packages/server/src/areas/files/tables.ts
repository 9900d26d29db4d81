import { fileNameMaxBytes } from '@svc/contract/limits'
import type { Generated } from 'kysely'
import { bytes, count, flag, id, integer, nullable, sha256Text, text, time } from '../../db/columns.js'
import { ofAccount, ofParent, type AreaTables, type RowRule } from '../../db/table-declaration.js'
import { checkName } from './files/name.js'
import { newShareKey } from './files/file.js'
import { removeFilesPart } from './storage/account-removal-store.js'
import { countStorage } from './storage/usage-store.js'

declare module '../../db/tables.js' {
  interface Tables {
    file: FileTable
    file_part: FilePartTable
    file_content: FileContentTable
    file_traffic: FileTrafficTable
    file_traffic_day: FileTrafficDayTable
    account_traffic_day: AccountTrafficDayTable
    edge_purge: EdgePurgeTable
    upload: UploadTable
    upload_part: UploadPartTable
    storage_use: StorageUseTable
  }
}

/** A file of an account. */
interface FileTable {
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
interface FilePartTable {
  file_id: number
  /** The position of its first byte in the file, from 0. */
  start: number
  blob_key: string
  /** In bytes. */
  size: number
}

/** The contents of a small file, which has no parts. */
interface FileContentTable {
  file_id: number
  bytes: Buffer
}

/** Requests for the share links of a file since it exists. */
interface FileTrafficTable {
  file_id: number
  requests: number
  hits: number
  misses: number
  bytes_served: number
}

/** The requests for a shared file on one day. */
interface FileTrafficDayTable extends FileTrafficTable {
  /** Number of the day since 1970-01-01, in UTC. */
  day: number
}

/** The requests for all shared files of an account on one day, with those for files that have been deleted since. */
interface AccountTrafficDayTable extends Omit<FileTrafficDayTable, 'file_id'> {
  account_id: number
}

/** A purge that the edge has not confirmed. The row is written with the change of the file, and may outlive the file. */
interface EdgePurgeTable {
  file_id: number
  /** Copies of earlier versions must not be served. */
  version: number
}

/** A large upload. */
interface UploadTable {
  id: Generated<number>
  account_id: number
  expires_at: number
  /** The file that the upload became; null while it is open. */
  file_id: number | null
  /** Bytes of the whole file, as the client declared them; null if it did not. */
  size: number | null
}

/** A part of an open upload. */
interface UploadPartTable {
  upload_id: number
  part: number
  blob_key: string
  /** In bytes. */
  size: number
}

/** What an account uses of its limits. Rows exist from the first upload. */
interface StorageUseTable {
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

const blobKey = text(64)
const day = integer(0, 400_000)

const file: RowRule<'file'> = {
  columns: {
    id,
    account_id: id,
    name: text(fileNameMaxBytes),
    media_type: text(255),
    size: count,
    sha256: sha256Text,
    share_key: nullable(text(22, /^[\w-]{22}$/)),
    edge_ttl: count,
    serving: flag,
    edge_version: count,
    created_at: time,
    updated_at: time,
  },
  request: ({ name, media_type }) => ({ operation: 'files.update', body: { id: 1, name, media_type } }),
  check: ({ name }) => void checkName(name),
}

const file_part: RowRule<'file_part'> = { columns: { file_id: id, start: count, blob_key: blobKey, size: count } }

/** More than the contents of a small file (`SVC_SMALL_FILE_BYTES`). */
const contentMaxBytes = 16 * 1024 * 1024

const file_content: RowRule<'file_content'> = { columns: { file_id: id, bytes: bytes(contentMaxBytes, 0) } }

const traffic = { requests: count, hits: count, misses: count, bytes_served: count }
const file_traffic: RowRule<'file_traffic'> = { columns: { file_id: id, ...traffic } }
const file_traffic_day: RowRule<'file_traffic_day'> = { columns: { file_id: id, day, ...traffic } }
const account_traffic_day: RowRule<'account_traffic_day'> = { columns: { account_id: id, day, ...traffic } }

const storage_use: RowRule<'storage_use'> = {
  columns: { account_id: id, files: count, shared: count, bytes: count, uploads: count, objects: count },
}

const ofFile = ofParent('file_id', 'file')

export const filesTables = {
  tables: {
    file: {
      ...ofAccount,
      hasGeneratedId: true,
      rule: file,
      unique: {
        column: 'share_key',
        kind: 'text',
        ifTaken: ({ id, name }) => ({
          columns: { share_key: newShareKey() },
          change: `The file ${String(id)} (${name}) has a new share link: its link is taken here.`,
        }),
      },
    },
    file_part: { ...ofFile, references: { file_id: 'file', blob_key: 'blob' }, rule: file_part },
    file_content: { ...ofFile, rule: file_content },
    file_traffic: { ...ofFile, rule: file_traffic },
    file_traffic_day: { ...ofFile, rule: file_traffic_day },
    account_traffic_day: { ...ofAccount, rule: account_traffic_day },
    edge_purge: { ...ofFile, leftOut: 'the edge of another installation has no copies' },
    upload: {
      ...ofAccount,
      references: { account_id: 'account', file_id: 'file' },
      hasGeneratedId: true,
      leftOut: 'its client sends the parts to the address where it began',
    },
    upload_part: {
      ...ofParent('upload_id', 'upload'),
      references: { upload_id: 'upload', blob_key: 'blob' },
      leftOut: 'a part of an upload',
    },
    storage_use: { ...ofAccount, rule: storage_use, counts: { table: 'file', query: countStorage } },
  },
  removePart: removeFilesPart,
} satisfies AreaTables
