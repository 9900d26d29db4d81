import { noteChange } from '../../../db/change-clock-store.js'
import type { RemovePart, RemovedPart } from '../../../db/account-removal.js'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { deleteBlobs } from '../../../ports/blobs/writer-store.js'
import { emptyBlobs, removeFiles, removeVersion } from './clean-up-store.js'
import { accountLockKey, lockUse } from './use-store.js'

/** Removes the sites of an account that is being deleted. Operator store. */

const rowsAtOnce = 1_000

interface OfAccount {
  readonly accountId: number
}

const removeDomains = prepared((db, p: OfAccount) => db.deleteFrom('site_domain').where('account_id', '=', p.accountId))

/** Served by site_version_by_account: at most five versions of each site. */
const detachVersions = prepared((db, p: OfAccount) =>
  db
    .updateTable('site_version')
    .set({ site_id: null })
    .where('account_id', '=', p.accountId)
    .where('site_id', 'is not', null),
)

const removeSites = prepared((db, p: OfAccount) => db.deleteFrom('site').where('account_id', '=', p.accountId))

/** Served by site_version_by_account. */
const firstVersion = prepared((db, p: OfAccount) =>
  db.selectFrom('site_version').where('account_id', '=', p.accountId).select('id').limit(1),
)

/** Served by site_content_once (account_id, sha256). */
const removeContents = prepared((db, p: OfAccount) =>
  db
    .deleteFrom('site_content')
    .where('id', 'in', (from) =>
      from.selectFrom('site_content').where('account_id', '=', p.accountId).select('id').limit(rowsAtOnce),
    )
    .returning('blob_key as key'),
)

/** Objects whose contents have moved to others. Served by site_compaction_by_account. */
const movedBlobs = prepared((db, p: OfAccount) =>
  db.selectFrom('site_compaction').where('account_id', '=', p.accountId).select('blob_key as key').limit(rowsAtOnce),
)

const removeUse = prepared((db, p: OfAccount) => db.deleteFrom('site_use').where('account_id', '=', p.accountId))

/** @returns the objects that hold no contents any more; undefined if the account has no contents */
async function removeSomeContents(tx: Transaction, accountId: number): Promise<string[] | undefined> {
  const removed = await tx.all(removeContents, { accountId })
  if (removed.length === 0) return undefined
  const keys = JSON.stringify([...new Set(removed.map(({ key }) => key))])
  return (await tx.all(emptyBlobs, { keys })).map(({ key }) => key)
}

const removePart = unit(
  import.meta,
  'removeSitesOfAccount',
  accountLockKey,
  async (tx, accountId: number): Promise<RemovedPart> => {
    await lockUse(tx, accountId)
    tx.send(removeDomains, { accountId })
    tx.send(detachVersions, { accountId })
    if ((await tx.run(removeSites, { accountId })) > 0) {
      noteChange(tx, 'sites')
      return { isDone: false, objects: [] }
    }
    const version = await tx.one(firstVersion, { accountId })
    if (version !== undefined) {
      const removed = await tx.all(removeFiles, { versionId: version.id, limit: rowsAtOnce })
      if (removed.length < rowsAtOnce) tx.send(removeVersion, { id: version.id })
      return { isDone: false, objects: [] }
    }
    const emptied = await removeSomeContents(tx, accountId)
    const objects = emptied ?? (await tx.all(movedBlobs, { accountId })).map(({ key }) => key)
    deleteBlobs(tx, objects)
    const isDone = emptied === undefined && objects.length === 0
    if (isDone) tx.send(removeUse, { accountId })
    return { isDone, objects }
  },
)

export const removeSitesPart: RemovePart = ({ db }, accountId) => db.write(removePart, accountId)
