import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { addUse } from '../storage/use-store.js'
import { fileColumns, toFile, type StoredFile } from './file.js'

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

/** Seconds that the edge may keep a file, until its owner sets another time. */
const edgeTtlDefault = 3600

const insert = prepared((db, p: FileDetails & FileContent & { accountId: number; edgeVersion: number; now: number }) =>
  db
    .insertInto('file')
    .values({
      account_id: p.accountId,
      name: p.name,
      media_type: p.mediaType,
      size: p.size,
      sha256: p.sha256,
      share_key: p.shareKey,
      edge_ttl: edgeTtlDefault,
      serving: 1,
      edge_version: p.edgeVersion,
      created_at: p.now,
      updated_at: p.now,
    })
    .returning(fileColumns),
)

/** Inserts a file without its parts, and counts it. Its bytes and objects are counted by the caller. */
export async function insertFile(
  tx: Transaction,
  accountId: number,
  file: FileDetails & FileContent,
  now: number,
): Promise<StoredFile> {
  const shared = file.shareKey === null ? 0 : 1
  await addUse(tx, accountId, { files: 1, shared })
  return toFile(await tx.only(insert, { ...file, accountId, edgeVersion: shared, now }))
}
