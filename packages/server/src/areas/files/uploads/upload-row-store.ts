import { ApiError, badRequest } from '@svc/contract/errors'
import type { Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import { requireOwner } from '../../../shared/require-owner.js'

/** The row of an upload and those of its parts. */

/** How long an upload waits for its next part, in milliseconds. */
export const uploadLifetimeMs = 24 * 60 * 60 * 1000

/** A large upload in parts. */
export type UploadRow = Omit<Tables['upload'], 'id'> & { readonly id: number }

const uploadColumns = ['id', 'account_id', 'expires_at', 'file_id', 'size'] as const

const byId = prepared((db, p: { id: number }) => db.selectFrom('upload').where('id', '=', p.id).select(uploadColumns))

/** Locked until the transaction ends. SQLite has one writer at a time and no row locks. */
const lockedById = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('upload')
    .where('id', '=', p.id)
    .select(uploadColumns)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** Served by the primary key (upload_id, part). */
const parts = prepared((db, p: { uploadId: number }) =>
  db
    .selectFrom('upload_part')
    .where('upload_id', '=', p.uploadId)
    .select(['part', 'blob_key as key', 'size'])
    .orderBy('part'),
)

/** How many parts of an upload are read at a time. It may have 10,000, and reading all of them would block the event loop. */
export const partsAtOnce = 1_000

/** Served by the same key. */
const partsAfter = prepared((db, p: { uploadId: number; part: number }) =>
  db
    .selectFrom('upload_part')
    .where('upload_id', '=', p.uploadId)
    .where('part', '>', p.part)
    .select(['part', 'blob_key as key', 'size'])
    .orderBy('part')
    .limit(partsAtOnce),
)

/** A part of an open upload. */
export interface UploadPart {
  /** Its index, from 0. */
  readonly part: number
  readonly key: BlobKey
  /** In bytes. */
  readonly size: number
}

/** @throws ApiError `not_found`; `forbidden` for an upload of another account */
export const requireOwnUpload = async (reader: Reader, accountId: number, id: number): Promise<UploadRow> =>
  own(accountId, id, await reader.one(byId, { id }))

/** The same, locked until the transaction ends. The caller has locked what the account uses (`usage-store.ts`). */
export const lockOwnUpload = async (tx: Transaction, accountId: number, id: number): Promise<UploadRow> =>
  own(accountId, id, await tx.one(lockedById, { id }))

function own(accountId: number, id: number, row: UploadRow | undefined): UploadRow {
  requireOwner(row, accountId, 'upload', id)
  return row
}

/** The parts of an upload, by index, at once: for a transaction. */
export const uploadParts = (tx: Transaction, uploadId: number): Promise<UploadPart[]> => tx.all(parts, { uploadId })

/** The next `partsAtOnce` parts of an upload, by index. @param part the last index that is known, at first -1 */
export const uploadPartsAfter = (reader: Reader, uploadId: number, part: number): Promise<UploadPart[]> =>
  reader.all(partsAfter, { uploadId, part })

/** @param now milliseconds since the epoch @throws ApiError `not_found` for an upload that has expired */
export function requireUnexpired({ id, expires_at }: UploadRow, now: number): void {
  if (expires_at <= now)
    throw new ApiError('not_found', `The upload ${id} has expired: a day has passed since its last part. Start again.`)
}

/** @throws ApiError `bad_request` for a finished upload */
export function requireUnfinished({ file_id }: UploadRow): void {
  if (file_id !== null) throw badRequest('upload_id', `names a finished upload (file ${file_id}): start another upload`)
}

/** @throws ApiError `bad_request` for a finished upload; `not_found` for an expired one */
export function requireOpen(row: UploadRow, now: number): void {
  requireUnfinished(row)
  requireUnexpired(row, now)
}

/**
 * The size of the whole file after a part that may declare it; null if no part has declared it.
 * @throws ApiError `bad_request` if another part has declared another size
 */
export function declaredSize({ id, size }: Pick<UploadRow, 'id' | 'size'>, given: number | undefined): number | null {
  if (given === undefined || size === null) return given ?? size
  if (given !== size) throw badRequest('size', `is ${given}, but the upload ${id} was declared with ${size} bytes`)
  return size
}
