import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import { deleteBlobs } from '../../../ports/blobs/writer-store.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { turns } from '../../../shared/turns.js'
import { fingerprintOf } from '../contents/content-store.js'
import type { FileContent, FileDetails, StoredFile } from '../files/file.js'
import { requireOwnFile } from '../files/read-store.js'
import { insertFile } from '../files/store.js'
import { accountLockKey, addUsage, lockUsage } from '../storage/usage-store.js'
import { receivedParts, type ReceivedParts } from './received-parts.js'
import {
  lockOwnUpload,
  partsAtOnce,
  requireOwnUpload,
  requireUnexpired,
  uploadParts,
  uploadPartsAfter,
  type UploadPart,
} from './upload-row-store.js'

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

/** An upload that is not finished. */
export interface OpenUpload extends ReceivedParts {
  /** The size of the file as declared; null if it was not. */
  readonly size: number | null
}

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
    actor: Actor,
  ): Promise<Finished | null> => {
    await lockUsage(tx, accountId)
    const upload = await lockOwnUpload(tx, accountId, uploadId)
    if (upload.file_id !== null) return { file: await requireOwnFile(tx, accountId, upload.file_id), unused: [] }
    requireUnexpired(upload, now)
    const parts = await uploadParts(tx, uploadId)
    if (fingerprintOf(parts) !== hashed) return null
    const created = await insertFile(tx, accountId, file, now, actor)
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

  /** All parts of an upload, by index. One page in each turn of the event loop. */
  async function* pages(uploadId: number): AsyncGenerator<readonly UploadPart[]> {
    let parts: UploadPart[] = []
    do {
      const last = parts.at(-1)?.part ?? -1
      parts = await oneEachTurn(() => uploadPartsAfter(db, uploadId, last))
      yield parts
    } while (parts.length === partsAtOnce)
  }

  return {
    /**
     * The file of a finished upload, otherwise what has arrived.
     * @throws ApiError `not_found` for an unknown or expired upload, or a deleted file; `forbidden` for one of another account
     */
    async find(account: Account, uploadId: number): Promise<OpenUpload | { readonly file: StoredFile }> {
      // The parts first: they leave an upload when it is finished, so those of one that is open afterwards are complete.
      const parts = await receivedParts(pages(uploadId))
      const upload = await requireOwnUpload(db, account.id, uploadId)
      if (upload.file_id !== null) return { file: await requireOwnFile(db, account.id, upload.file_id) }
      requireUnexpired(upload, Date.now())
      return { ...parts, size: upload.size }
    },

    /** @returns undefined for a finished upload @throws as `find` */
    async openParts(account: Account, uploadId: number): Promise<readonly UploadPart[] | undefined> {
      const parts: UploadPart[] = []
      for await (const page of pages(uploadId)) parts.push(...page)
      const upload = await requireOwnUpload(db, account.id, uploadId)
      const isOpen = upload.file_id === null
      if (isOpen) requireUnexpired(upload, Date.now())
      return isOpen ? parts : undefined
    },

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
    ): Promise<Finished | null> =>
      db.write(finishUpload, account.id, uploadId, file, hashed, Date.now(), account.actor),
  }
}
