import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import { deleteBlobs } from '../../../ports/blobs/writer-store.js'
import type { Account } from '../../../shared/account.js'
import { turns } from '../../../shared/turns.js'
import { fingerprintOf } from '../contents/content-store.js'
import type { FileContent, FileDetails, StoredFile } from '../files/file.js'
import { requireOwnFile } from '../files/read-store.js'
import { insertFile } from '../files/store.js'
import { accountLockKey, addUsage, lockUsage } from '../storage/usage-store.js'
import { lockOwnUpload, requireOwnUpload, requireUnexpired, uploadParts, type UploadPart } from './upload-row-store.js'

/** Turns the parts of an upload into a file. */

/** Moves the rows only: the bytes stay where they are. PostgreSQL adds bigints to a numeric. */
const moveParts = prepared((db, p: { uploadId: number; fileId: number }) =>
  db
    .insertInto('file_part')
    .columns(['file_id', 'start', 'blob_key', 'size'])
    .expression((from) =>
      from
        .selectFrom('upload_part')
        .innerJoin('file', (join) => join.on('file.id', '=', p.fileId))
        .where('upload_id', '=', p.uploadId)
        .where('upload_part.size', '>', 0)
        .select([
          'file.id',
          sql<number>`cast(sum(upload_part.size) over (order by part) - upload_part.size as bigint)`.as('start'),
          'upload_part.blob_key',
          'upload_part.size',
        ]),
    ),
)

const removeParts = prepared((db, p: { uploadId: number }) =>
  db.deleteFrom('upload_part').where('upload_id', '=', p.uploadId),
)

const close = prepared((db, p: { uploadId: number; fileId: number }) =>
  db.updateTable('upload').set({ file_id: p.fileId }).where('id', '=', p.uploadId),
)

/** An upload: the parts of an open one, by index, or the file of a finished one. */
type UploadState =
  | { readonly parts: readonly UploadPart[]; /** As declared; null if not. */ readonly size: number | null }
  | { readonly file: StoredFile }

interface Finished {
  readonly file: StoredFile
  /** The objects of empty parts, which the file does not need. */
  readonly unused: readonly BlobKey[]
}

const finishUpload = unit(
  import.meta,
  'finishUpload',
  accountLockKey,
  async (
    tx,
    accountId: number,
    uploadId: number,
    file: FileDetails & FileContent,
    hashed: string,
    now: number,
  ): Promise<Finished | null> => {
    await lockUsage(tx, accountId)
    const upload = await lockOwnUpload(tx, accountId, uploadId)
    if (upload.file_id !== null) return { file: await requireOwnFile(tx, accountId, upload.file_id), unused: [] }
    requireUnexpired(upload, now)
    const parts = await uploadParts(tx, uploadId)
    if (fingerprintOf(parts) !== hashed) return null
    const created = await insertFile(tx, accountId, file, now)
    tx.send(moveParts, { uploadId, fileId: created.id })
    tx.send(removeParts, { uploadId })
    const unused = parts.filter(({ size }) => size === 0).map(({ key }) => key)
    deleteBlobs(tx, unused)
    tx.send(close, { uploadId, fileId: created.id })
    const objects = Math.max(parts.length - unused.length, 1) - parts.length
    addUsage(tx, accountId, { uploads: -1, objects })
    return { file: created, unused }
  },
)

export type FinishStore = ReturnType<typeof finishStore>

/** What finalizing an upload reads and writes. */
export function finishStore(db: Database) {
  const oneEachTurn = turns()

  async function find(accountId: number, uploadId: number): Promise<UploadState> {
    // The parts first: they leave an upload when it is finished, so those of one that is open afterwards are complete.
    const parts = await uploadParts(db, uploadId)
    const upload = await requireOwnUpload(db, accountId, uploadId)
    if (upload.file_id !== null) return { file: await requireOwnFile(db, accountId, upload.file_id) }
    requireUnexpired(upload, Date.now())
    return { parts, size: upload.size }
  }

  return {
    /**
     * One in each turn of the event loop, because an upload may have 10,000 parts.
     * @throws ApiError `not_found` for an unknown or expired upload, or a deleted file; `forbidden` for one of another account
     */
    find: (account: Account, uploadId: number): Promise<UploadState> => oneEachTurn(() => find(account.id, uploadId)),

    /**
     * Turns the parts into a file. An upload that is finished by now stays as it is.
     * @param hashed the fingerprint of the parts that `file.sha256` was computed from
     * @returns null if the upload has other parts by now
     * @throws as `find`
     */
    finish: (
      account: Account,
      uploadId: number,
      file: FileDetails & FileContent,
      hashed: string,
    ): Promise<Finished | null> => db.write(finishUpload, account.id, uploadId, file, hashed, Date.now()),
  }
}
