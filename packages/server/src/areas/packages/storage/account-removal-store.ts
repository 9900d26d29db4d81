import type { RemovePart, RemovedPart } from '../../../db/account-removal.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { deleteBlobs } from '../../../ports/blobs/writer-store.js'
import { accountLockKey, lockUsage } from './usage-store.js'

/** Removes the packages of an account that is being deleted. Their slugs stay used. Operator store. */

const rowsAtOnce = 500

/** Served by package_of_account. */
const firstPackage = prepared((db, p: { accountId: number }) =>
  db.selectFrom('package').where('account_id', '=', p.accountId).select('id').limit(1),
)

/** Served by package_version_key (package_id, precedence) and package_artifact_key (version_id, name). */
const removeArtifacts = prepared((db, p: { packageId: number }) =>
  db
    .deleteFrom('package_artifact')
    .where('id', 'in', (from) =>
      from
        .selectFrom('package_version')
        .innerJoin('package_artifact', 'package_artifact.version_id', 'package_version.id')
        .where('package_id', '=', p.packageId)
        .select('package_artifact.id')
        .limit(rowsAtOnce),
    )
    .returning('blob_key as key'),
)

/** Served by package_version_key (package_id, precedence). */
const removeVersions = prepared((db, p: { packageId: number }) =>
  db
    .deleteFrom('package_version')
    .where('id', 'in', (from) =>
      from.selectFrom('package_version').where('package_id', '=', p.packageId).select('id').limit(rowsAtOnce),
    ),
)

/** No other account may use the addresses of its downloads, which caches keep. */
const retireSlug = prepared((db, p: { id: number }) =>
  db
    .insertInto('package_slug_retired')
    .columns(['slug'])
    .expression((from) => from.selectFrom('package').where('id', '=', p.id).select('slug')),
)

const removePackage = prepared((db, p: { id: number }) => db.deleteFrom('package').where('id', '=', p.id))

const removeUse = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('package_use').where('account_id', '=', p.accountId),
)

const removePart = unit(
  import.meta,
  'removePackagesOfAccount',
  accountLockKey,
  async (tx, accountId: number): Promise<RemovedPart> => {
    await lockUsage(tx, accountId)
    const found = await tx.one(firstPackage, { accountId })
    if (found === undefined) {
      tx.send(removeUse, { accountId })
      return { isDone: true, objects: [] }
    }
    const objects = (await tx.all(removeArtifacts, { packageId: found.id })).map(({ key }) => key)
    deleteBlobs(tx, objects)
    const isEmpty = objects.length < rowsAtOnce && (await tx.run(removeVersions, { packageId: found.id })) < rowsAtOnce
    if (isEmpty) {
      tx.send(retireSlug, { id: found.id })
      tx.send(removePackage, { id: found.id })
    }
    return { isDone: false, objects }
  },
)

export const removePackagesPart: RemovePart = ({ db }, accountId) => db.write(removePart, accountId)
