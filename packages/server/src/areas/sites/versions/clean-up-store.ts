import { groupBy } from '@svc/contract/group-by'
import { isInNumbers, isInTexts } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import { deleteBlobs } from '../../../ports/blobs/writer-store.js'
import { queuePacks } from './compaction-store.js'
import { bytesOf } from './content-store.js'
import { accountLockKey, addUse, lockUse } from './use-store.js'

/** What no site needs any more. System store: it removes that of all accounts. */

/** A row of an account. */
interface Owned {
  readonly id: number
  readonly accountId: number
}

/** Versions that are no longer kept, and those of deploys that have been given up. Served by site_version_by_site. */
const unneededVersions = prepared((db, p: { before: number; limit: number }) =>
  db
    .selectFrom('site_version')
    .where('site_id', 'is', null)
    .where((condition) =>
      condition.or([condition('deployed_at', 'is not', null), condition('created_at', '<', p.before)]),
    )
    .select(['id', 'account_id as accountId'])
    .limit(p.limit),
)

/** Undefined for a version that a deploy has published meanwhile. Served by the primary key or site_version_by_site (site_id, id desc). */
const stillUnneeded = prepared((db, p: { id: number }) =>
  db.selectFrom('site_version').where('id', '=', p.id).where('site_id', 'is', null).select('id'),
)

/** Served by the primary key (version_id, path). */
export const removeFiles = prepared((db, p: { versionId: number; limit: number }) =>
  db
    .deleteFrom('site_file')
    .where('version_id', '=', p.versionId)
    .where('path', 'in', (from) =>
      from.selectFrom('site_file').where('version_id', '=', p.versionId).select('path').orderBy('path').limit(p.limit),
    )
    .returning('content_id as contentId'),
)

/** Served by the primary key, and by site_file_by_content. */
const markUnused = prepared((db, p: { ids: string; now: number }, dialect) =>
  db
    .updateTable('site_content')
    .set({ unused_at: p.now })
    .where(isInNumbers('id', p.ids, dialect))
    .where((condition) =>
      condition.not(
        condition.exists((from) =>
          from.selectFrom('site_file').whereRef('site_file.content_id', '=', 'site_content.id').select('version_id'),
        ),
      ),
    ),
)

export const removeVersion = prepared((db, p: { id: number }) => db.deleteFrom('site_version').where('id', '=', p.id))

/** Served by site_content_unused (unused_at, id). */
const unusedContents = prepared((db, p: { before: number; limit: number }) =>
  db
    .selectFrom('site_content')
    .where('unused_at', 'is not', null)
    .where('unused_at', '<', p.before)
    .select(['id', 'account_id as accountId'])
    .orderBy('unused_at')
    .orderBy('id')
    .limit(p.limit),
)

/** Those that no deploy has claimed meanwhile. Served by the primary key. */
const removeContents = prepared((db, p: { ids: string; before: number }, dialect) =>
  db
    .deleteFrom('site_content')
    .where(isInNumbers('id', p.ids, dialect))
    .where('unused_at', '<', p.before)
    .returning(['blob_key as key', 'size', 'gzip_size', 'br_size']),
)

/** Those of the objects that hold no contents any more. Served by the primary key of blob, and by site_content_by_blob. */
export const emptyBlobs = prepared((db, p: { keys: string }, dialect) =>
  db
    .selectFrom('blob')
    .where(isInTexts('key', p.keys, dialect))
    .where((condition) =>
      condition.not(
        condition.exists((from) =>
          from.selectFrom('site_content').whereRef('site_content.blob_key', '=', 'blob.key').select('site_content.id'),
        ),
      ),
    )
    .select('key'),
)

const shrinkVersion = unit(
  import.meta,
  'shrinkVersion',
  accountLockKey,
  async (tx, accountId: number, id: number, limit: number, now: number) => {
    await lockUse(tx, accountId)
    if ((await tx.one(stillUnneeded, { id })) === undefined) return true
    const removed = await tx.all(removeFiles, { versionId: id, limit })
    await tx.run(markUnused, { ids: JSON.stringify(removed.map(({ contentId }) => contentId)), now })
    const isEmpty = removed.length < limit
    if (isEmpty) await tx.run(removeVersion, { id })
    return isEmpty
  },
)

const removeUnused = unit(
  import.meta,
  'removeUnused',
  accountLockKey,
  async (tx, accountId: number, ids: readonly number[], before: number): Promise<BlobKey[]> => {
    await lockUse(tx, accountId)
    const removed = await tx.all(removeContents, { ids: JSON.stringify(ids), before })
    const keys = [...new Set(removed.map(({ key }) => key))]
    const empty = new Set((await tx.all(emptyBlobs, { keys: JSON.stringify(keys) })).map(({ key }) => key))
    deleteBlobs(tx, [...empty])
    queuePacks(
      tx,
      accountId,
      keys.filter((key) => !empty.has(key)),
    )
    addUse(tx, accountId, -bytesOf(removed))
    return [...empty]
  },
)

export type CleanUpStore = ReturnType<typeof cleanUpStore>

/** Times are milliseconds since the epoch. */
export const cleanUpStore = (db: Database) => ({
  /** Versions that are no longer kept, and those without publication that were begun before a time. */
  versions: (before: number, limit: number): Promise<Owned[]> => db.all(unneededVersions, { before, limit }),

  /** Removes some files of such a version, and at last the version. @returns whether it is gone */
  shrink: ({ id, accountId }: Owned, limit: number): Promise<boolean> =>
    db.write(shrinkVersion, accountId, id, limit, Date.now()),

  /** Contents that no file has needed since a time, by account. */
  async contents(before: number, limit: number): Promise<Map<number, Owned[]>> {
    return groupBy(await db.all(unusedContents, { before, limit }), ({ accountId }) => accountId)
  },

  /** Removes contents unless a deploy has claimed them meanwhile. @returns the objects to remove */
  remove: (accountId: number, contents: readonly Owned[], before: number): Promise<BlobKey[]> =>
    db.write(
      removeUnused,
      accountId,
      contents.map(({ id }) => id),
      before,
    ),
})
