import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import type { Job } from '../../../shared/job.js'
import { accountLockKey, lockUsage } from '../storage/usage-store.js'
import { removeUpload } from './upload-removal.js'

/** Uploads that wait for no further part. System store: it deletes those of all accounts. */

interface Expired {
  readonly id: number
  readonly accountId: number
}

/** Served by upload_by_expiry (expires_at). */
const expired = prepared((db, p: { now: number; limit: number }) =>
  db
    .selectFrom('upload')
    .where('expires_at', '<=', p.now)
    .select(['id', 'account_id as accountId'])
    .orderBy('expires_at')
    .limit(p.limit),
)

/** Locked until the transaction ends. Undefined if a part has arrived in the meantime. */
const stillExpired = prepared((db, p: { id: number; now: number }, dialect) =>
  db
    .selectFrom('upload')
    .where('id', '=', p.id)
    .where('expires_at', '<=', p.now)
    .select(['id', 'file_id'])
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const expireUpload = unit(
  import.meta,
  'expireUpload',
  accountLockKey,
  async (tx, accountId: number, id: number, now: number): Promise<BlobKey[]> => {
    await lockUsage(tx, accountId)
    const upload = await tx.one(stillExpired, { id, now })
    if (upload === undefined) return []
    return removeUpload(tx, accountId, upload)
  },
)

type ExpiryStore = ReturnType<typeof expiryStore>

/** Times are milliseconds since the epoch. */
export const expiryStore = (db: Database) => ({
  /** At most `limit` uploads that have expired, the oldest first. */
  expired: (now: number, limit: number): Promise<Expired[]> => db.all(expired, { now, limit }),

  /** Deletes an upload that has expired. The file of a finished one stays. @returns the objects to remove */
  expire: ({ accountId, id }: Expired, now: number): Promise<BlobKey[]> => db.write(expireUpload, accountId, id, now),
})

/** How many uploads are read at a time. */
const batch = 100

/** Deletes uploads whose last part is a day old. */
export const expiryJob = (uploads: ExpiryStore, removeBlobs: (keys: readonly BlobKey[]) => void): Job => ({
  name: 'files.expired-uploads',
  everyMs: 60_000,
  runsIn: 'one process',
  failureMessage: 'expired uploads could not be deleted',
  run: async (signal) => {
    const now = Date.now()
    // An upload that cannot be deleted must not keep the job from those that follow.
    const failures: unknown[] = []
    let found
    do {
      found = await uploads.expired(now, batch)
      for (const upload of found) {
        if (signal.aborted) return
        await uploads.expire(upload, now).then(removeBlobs, (error: unknown) => failures.push(error))
      }
    } while (found.length === batch && failures.length === 0)
    if (failures.length > 0) throw failures[0]
  },
})
