import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import { deleteBlobs } from '../../../ports/blobs/writer-store.js'
import { addUsage } from '../storage/usage-store.js'
import type { UploadRow } from './upload-row-store.js'

const removeParts = prepared((db, p: { id: number }) =>
  db.deleteFrom('upload_part').where('upload_id', '=', p.id).returning(['blob_key', 'size']),
)

const remove = prepared((db, p: { id: number }) => db.deleteFrom('upload').where('id', '=', p.id))

/**
 * Deletes an upload with its parts. The file of a finished one stays. The caller has locked the row, and before it what the account
 * uses (`usage-store.ts`).
 * @returns the objects to remove
 */
export async function removeUpload(
  tx: Transaction,
  accountId: number,
  { id, file_id }: Pick<UploadRow, 'id' | 'file_id'>,
): Promise<BlobKey[]> {
  const parts = await tx.all(removeParts, { id })
  const blobs = parts.map(({ blob_key }) => blob_key)
  deleteBlobs(tx, blobs)
  tx.send(remove, { id })
  const bytes = parts.reduce((sum, { size }) => sum + size, 0)
  addUsage(tx, accountId, { bytes: -bytes, uploads: file_id === null ? -1 : 0, objects: -parts.length })
  return blobs
}
