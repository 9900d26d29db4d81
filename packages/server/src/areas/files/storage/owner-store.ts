import { isInTexts } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { BlobOwner, BlobOwners } from '../../../ports/blobs/inspect.js'
import type { BlobKey } from '../../../ports/blobs/port.js'

/** Served by file_part_by_blob (blob_key). */
const ofFiles = prepared((db, p: { keys: string }, dialect) =>
  db
    .selectFrom('file_part')
    .innerJoin('file', 'file.id', 'file_part.file_id')
    .innerJoin('account', 'account.id', 'file.account_id')
    .where(isInTexts('file_part.blob_key', p.keys, dialect))
    .select(['file_part.blob_key as key', 'file.id as fileId', 'account.email']),
)

/** Served by upload_part_by_blob (blob_key). */
const ofUploads = prepared((db, p: { keys: string }, dialect) =>
  db
    .selectFrom('upload_part')
    .innerJoin('upload', 'upload.id', 'upload_part.upload_id')
    .innerJoin('account', 'account.id', 'upload.account_id')
    .where(isInTexts('upload_part.blob_key', p.keys, dialect))
    .select(['upload_part.blob_key as key', 'upload.id as uploadId', 'account.email']),
)

/** Finds the files and open uploads that objects belong to, of all accounts: system query, for the operator. */
export async function fileBlobOwners(db: Database, keys: readonly BlobKey[]): Promise<BlobOwners> {
  const given = { keys: JSON.stringify(keys) }
  // Uploads first: the parts of an upload that is finished in between become those of a file.
  const uploads = await db.all(ofUploads, given)
  const files = await db.all(ofFiles, given)
  return new Map<BlobKey, BlobOwner>([
    ...uploads.map(({ key, uploadId, email }) => [key, { email, kind: 'upload', name: String(uploadId) }] as const),
    ...files.map(({ key, fileId, email }) => [key, { email, kind: 'file', name: String(fileId) }] as const),
  ])
}
