import { sql } from 'kysely'
import { isOwnBefore } from '../../../db/account-page.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import type { Account } from '../../../shared/account.js'
import { cutPage, type Page, type PageKey } from '../../../shared/page.js'
import { turns } from '../../../shared/turns.js'
import { accountLockKey, lockUsage } from '../storage/usage-store.js'
import { removeUpload } from './upload-removal.js'
import { lockOwnUpload, requireUnfinished } from './upload-row-store.js'

/** Uploads that are not finished. */

/** An upload that waits for further parts. */
export interface OpenUpload {
  readonly id: number
  /** Bytes of the whole file; null if not declared. */
  readonly size: number | null
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** Number of the received parts. */
  readonly parts: number
  /** Bytes of the received parts. */
  readonly bytes: number
}

/** Served by upload_open (account_id, id), read backwards, and by the primary key of upload_part. */
const page = prepared((db, p: { accountId: number; before: number; rows: number }, dialect) =>
  db
    .selectFrom('upload')
    .where(isOwnBefore('upload', p, dialect))
    .where('file_id', 'is', null)
    .select(['id', 'size', 'expires_at as expiresAt'])
    .select([
      sql<number>`(select count(*) from upload_part where upload_part.upload_id = upload.id)`.as('parts'),
      sql<number>`(select cast(coalesce(sum(upload_part.size), 0) as bigint) from upload_part where upload_part.upload_id = upload.id)`.as(
        'bytes',
      ),
    ])
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(p.rows),
)

const discardUpload = unit(
  import.meta,
  'discardUpload',
  accountLockKey,
  async (tx, accountId: number, id: number): Promise<BlobKey[]> => {
    await lockUsage(tx, accountId)
    const upload = await lockOwnUpload(tx, accountId, id)
    requireUnfinished(upload)
    return removeUpload(tx, accountId, upload)
  },
)

export function openUploadStore(db: Database) {
  const oneEachTurn = turns()
  return {
    /** Open uploads of an account, newest first. One page in each turn of the event loop: an upload may have 10,000 parts. */
    list: ({ id }: Account, { limit, before }: PageKey): Promise<Page<OpenUpload>> =>
      oneEachTurn(async () => cutPage(await db.all(page, { accountId: id, before, rows: limit + 1 }), limit)),

    /**
     * Deletes an open upload with its parts, also an expired one.
     * @returns the objects to remove
     * @throws ApiError `not_found`; `forbidden` for an upload of another account; `bad_request` for a finished one
     */
    discard: (account: Account, id: number): Promise<BlobKey[]> => db.write(discardUpload, account.id, id),
  }
}
