import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import { addBlob, deleteBlobs } from '../../../ports/blobs/writer-store.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { rememberPurge } from '../sharing/purge-store.js'
import { requireFileSize, requireObject, requireRoom, storageLimitsOf, type StorageLimits } from '../storage/limits.js'
import { accountLockKey, addUsage, lockUsage } from '../storage/usage-store.js'
import {
  changedFile,
  fileColumns,
  toFile,
  type FileChanges,
  type FileContent,
  type FileDetails,
  type StoredFile,
} from './file.js'
import { recordChange, recordDeletion, recordUpload } from './events.js'
import { lockOwnFile, requireOwnFile } from './read-store.js'

/** A file whose bytes are one object, or few enough for the database. An empty file has neither. */
interface NewFile extends FileDetails, FileContent {
  readonly blob: BlobKey | null
  readonly bytes?: Uint8Array
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

const insertPart = prepared((db, p: { fileId: number; blob: BlobKey; size: number }) =>
  db.insertInto('file_part').values({ file_id: p.fileId, start: 0, blob_key: p.blob, size: p.size }),
)

const insertContent = prepared((db, p: { fileId: number; bytes: Buffer }) =>
  db.insertInto('file_content').values({ file_id: p.fileId, bytes: p.bytes }),
)

const update = prepared(
  (
    db,
    p: Pick<StoredFile, 'id' | 'name' | 'mediaType' | 'shareKey' | 'edgeVersion' | 'updatedAt'> & { serving: number },
  ) =>
    db
      .updateTable('file')
      .set({
        name: p.name,
        media_type: p.mediaType,
        share_key: p.shareKey,
        serving: p.serving,
        edge_version: p.edgeVersion,
        updated_at: p.updatedAt,
      })
      .where('id', '=', p.id),
)

const removeTraffic = prepared((db, p: { id: number }) => db.deleteFrom('file_traffic').where('file_id', '=', p.id))

/** Served by the primary key. */
const removeDays = prepared((db, p: { id: number }) => db.deleteFrom('file_traffic_day').where('file_id', '=', p.id))

const removeParts = prepared((db, p: { id: number }) =>
  db.deleteFrom('file_part').where('file_id', '=', p.id).returning('blob_key'),
)

const removeContent = prepared((db, p: { id: number }) => db.deleteFrom('file_content').where('file_id', '=', p.id))

const remove = prepared((db, p: { id: number }) => db.deleteFrom('file').where('id', '=', p.id))

/** Inserts a file without its parts, and counts it, with its event. Its bytes and objects are counted by the caller. */
export async function insertFile(
  tx: Transaction,
  accountId: number,
  file: FileDetails & FileContent,
  now: number,
  actor: Actor,
): Promise<StoredFile> {
  const shared = file.shareKey === null ? 0 : 1
  addUsage(tx, accountId, { files: 1, shared })
  const created = toFile(await tx.only(insert, { ...file, accountId, edgeVersion: shared, now }))
  recordUpload(tx, created, actor)
  return created
}

const createFile = unit(
  import.meta,
  'createFile',
  accountLockKey,
  async (
    tx,
    accountId: number,
    { blob, bytes, ...file }: NewFile,
    limits: StorageLimits,
    now: number,
    actor: Actor,
  ) => {
    const usage = await lockUsage(tx, accountId)
    requireFileSize(file.size, limits)
    requireRoom(usage, file.size, limits)
    requireObject(usage, limits)
    const created = await insertFile(tx, accountId, file, now, actor)
    addUsage(tx, accountId, { bytes: file.size, objects: 1 })
    if (blob !== null) {
      await addBlob(tx, blob, file.size)
      tx.send(insertPart, { fileId: created.id, blob, size: file.size })
    }
    if (bytes && bytes.length > 0) tx.send(insertContent, { fileId: created.id, bytes: Buffer.from(bytes) })
    return created
  },
)

const changeFile = unit(
  import.meta,
  'changeFile',
  accountLockKey,
  async (tx, accountId: number, id: number, changes: FileChanges, now: number, actor: Actor) => {
    await lockUsage(tx, accountId)
    const file = await lockOwnFile(tx, accountId, id)
    const changed = changedFile(file, changes, now)
    if (changed === file) return file
    tx.send(update, { ...changed, serving: changed.isServed ? 1 : 0 })
    // Version 1 is the first that is shared: the edge has no copy from before it.
    if (changed.edgeVersion > 1) rememberPurge(tx, { fileId: id, version: changed.edgeVersion })
    const shared = Number(changed.shareKey !== null) - Number(file.shareKey !== null)
    if (shared !== 0) addUsage(tx, accountId, { shared })
    recordChange(tx, file, changed, actor)
    return changed
  },
)

interface RemovedFile {
  /** The objects that held its bytes: the caller removes them. */
  readonly blobs: readonly BlobKey[]
  /** Copies of earlier versions must not be served. 0 for a file that was never shared. */
  readonly edgeVersion: number
}

const removeFile = unit(
  import.meta,
  'removeFile',
  accountLockKey,
  async (tx, accountId: number, id: number, now: number, actor: Actor): Promise<RemovedFile> => {
    await lockUsage(tx, accountId)
    const file = await lockOwnFile(tx, accountId, id)
    const edgeVersion = file.edgeVersion > 0 ? file.edgeVersion + 1 : 0
    if (edgeVersion > 0) rememberPurge(tx, { fileId: id, version: edgeVersion })
    tx.send(removeTraffic, { id })
    tx.send(removeDays, { id })
    const blobs = (await tx.all(removeParts, { id })).map(({ blob_key }) => blob_key)
    deleteBlobs(tx, blobs)
    tx.send(removeContent, { id })
    tx.send(remove, { id })
    const shared = file.shareKey === null ? 0 : -1
    addUsage(tx, accountId, { files: -1, shared, bytes: -file.size, objects: -Math.max(blobs.length, 1) })
    recordDeletion(tx, file, now, actor)
    return { blobs, edgeVersion }
  },
)

export type FileStore = ReturnType<typeof fileStore>

/** Files of an account. */
export const fileStore = (db: Database, limits: StorageLimits) => ({
  /** @throws ApiError `not_found`; `forbidden` for a file of another account */
  get: (account: Account, id: number): Promise<StoredFile> => requireOwnFile(db, account.id, id),

  /** @throws ApiError `bad_request` beyond a limit */
  create: (account: Account, file: NewFile): Promise<StoredFile> =>
    db.write(createFile, account.id, file, storageLimitsOf(account, limits), Date.now(), account.actor),

  /** @throws ApiError `not_found`; `forbidden` for a file of another account */
  change: (account: Account, id: number, changes: FileChanges): Promise<StoredFile> =>
    db.write(changeFile, account.id, id, changes, Date.now(), account.actor),

  /** @throws ApiError `not_found`; `forbidden` for a file of another account */
  remove: (account: Account, id: number): Promise<RemovedFile> =>
    db.write(removeFile, account.id, id, Date.now(), account.actor),
})
