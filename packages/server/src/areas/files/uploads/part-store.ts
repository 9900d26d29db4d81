import { badRequest } from '@svc/contract/errors'
import type { Database, Transaction } from '../../../db/port.js'
import { sql } from 'kysely'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import { addBlob, deleteBlobs } from '../../../ports/blobs/writer-store.js'
import type { Account } from '../../../shared/account.js'
import {
  requireFileSize,
  requireObject,
  requireRoom,
  requireUpload,
  storageLimitsOf,
  type StorageLimits,
} from '../storage/limits.js'
import { accountLockKey, addUsage, lockUsage, type Usage } from '../storage/usage-store.js'
import { declaredSize, lockOwnUpload, requireOpen, requireOwnUpload, uploadLifetimeMs } from './upload-row-store.js'

/** A part as it arrives. */
interface NewPart {
  /** Null for the first part of a new upload. */
  readonly uploadId: number | null
  readonly index: number
  readonly blob: BlobKey
  /** In bytes. */
  readonly size: number
  /** Bytes of the whole file, if the part declares them. */
  readonly fileSize?: number | undefined
}

interface AddedPart {
  readonly uploadId: number
  /** The indexes of all parts of the upload, in order. */
  readonly received: readonly number[]
  /** The objects that the part has replaced. */
  readonly replaced: readonly BlobKey[]
}

const insertUpload = prepared((db, p: { accountId: number; expiresAt: number; size: number | null }) =>
  db
    .insertInto('upload')
    .values({ account_id: p.accountId, expires_at: p.expiresAt, file_id: null, size: p.size })
    .returning('id'),
)

const extend = prepared((db, p: { id: number; expiresAt: number; size: number | null }) =>
  db.updateTable('upload').set({ expires_at: p.expiresAt, size: p.size }).where('id', '=', p.id),
)

interface PartKey {
  readonly uploadId: number
  readonly index: number
}

const removePart = prepared((db, p: PartKey) =>
  db
    .deleteFrom('upload_part')
    .where('upload_id', '=', p.uploadId)
    .where('part', '=', p.index)
    .returning(['blob_key', 'size']),
)

/** Served by the primary key (upload_id, part). */
const partSize = prepared((db, p: PartKey) =>
  db.selectFrom('upload_part').where('upload_id', '=', p.uploadId).where('part', '=', p.index).select('size'),
)

const insertPart = prepared((db, p: PartKey & { blob: BlobKey; size: number }) =>
  db.insertInto('upload_part').values({ upload_id: p.uploadId, part: p.index, blob_key: p.blob, size: p.size }),
)

/** The indexes joined with commas. PostgreSQL adds bigints to a numeric, which the driver returns as text. */
const received = prepared((db, p: { uploadId: number }) =>
  db
    .selectFrom('upload_part')
    .where('upload_id', '=', p.uploadId)
    .select([
      sql<string>`string_agg(cast(part as text), ',' order by part)`.as('indexes'),
      sql<number>`cast(sum(size) as bigint)`.as('bytes'),
    ]),
)

/** An upload that a part belongs to. */
interface Target {
  readonly id: number
  /** Bytes of the whole file; null if not declared. */
  readonly size: number | null
}

async function openUpload(tx: Transaction, accountId: number, usage: Usage, limits: StorageLimits, given: Extension) {
  requireUpload(usage, limits)
  addUsage(tx, accountId, { uploads: 1 })
  const size = given.size ?? null
  return { id: (await tx.only(insertUpload, { accountId, expiresAt: given.expiresAt, size })).id, size }
}

interface Extension {
  readonly expiresAt: number
  /** Bytes of the whole file, if the part declares them. */
  readonly size: number | undefined
}

async function continueUpload(tx: Transaction, accountId: number, id: number, now: number, given: Extension) {
  const upload = await lockOwnUpload(tx, accountId, id)
  requireOpen(upload, now)
  const size = declaredSize(upload, given.size)
  tx.send(extend, { id, expiresAt: given.expiresAt, size })
  return { id, size }
}

/** Refuses a part of an upload whose remaining bytes the account cannot take. @param received bytes with this part */
function requireDeclared(usage: Usage, growth: number, received: number, size: number, limits: StorageLimits): void {
  requireFileSize(size, limits, 'size')
  if (received > size)
    throw badRequest('content', `results in ${received} bytes, but the upload was declared with ${size}`)
  requireRoom(usage, growth + size - received, limits, 'size')
}

const addPart = unit(
  import.meta,
  'addPart',
  accountLockKey,
  async (tx, accountId: number, part: NewPart, limits: StorageLimits, now: number): Promise<AddedPart> => {
    const usage = await lockUsage(tx, accountId)
    const extension = { expiresAt: now + uploadLifetimeMs, size: part.fileSize }
    const upload: Target =
      part.uploadId === null
        ? await openUpload(tx, accountId, usage, limits, extension)
        : await continueUpload(tx, accountId, part.uploadId, now, extension)
    const key = { uploadId: upload.id, index: part.index }
    const replaced = await tx.one(removePart, key)
    const growth = part.size - (replaced?.size ?? 0)
    requireRoom(usage, growth, limits)
    if (replaced === undefined) requireObject(usage, limits)
    await addBlob(tx, part.blob, part.size)
    tx.send(insertPart, { ...key, blob: part.blob, size: part.size })
    const { indexes, bytes } = await tx.only(received, { uploadId: upload.id })
    requireFileSize(bytes, limits)
    if (upload.size !== null) requireDeclared(usage, growth, bytes, upload.size, limits)
    addUsage(tx, accountId, { bytes: growth, objects: replaced === undefined ? 1 : 0 })
    const blobs = replaced ? [replaced.blob_key] : []
    deleteBlobs(tx, blobs)
    return { uploadId: upload.id, received: indexes.split(',').map(Number), replaced: blobs }
  },
)

/** Parts of uploads of an account. */
export const partStore = (db: Database, limits: StorageLimits) => ({
  /** The bytes of a part of an open upload; undefined if it has not arrived. @throws as `add` for the upload */
  sizeOf: async (account: Account, key: PartKey): Promise<number | undefined> => {
    requireOpen(await requireOwnUpload(db, account.id, key.uploadId), Date.now())
    return (await db.one(partSize, key))?.size
  },

  /**
   * Adds a part, or replaces the part with the same index.
   * @throws ApiError `not_found` for an unknown or expired upload; `forbidden` for one of another account; `bad_request` for
   *   a finished one, and beyond a limit, also one that the declared size would exceed
   */
  add: (account: Account, part: NewPart): Promise<AddedPart> =>
    db.write(addPart, account.id, part, storageLimitsOf(account, limits), Date.now()),
})
