import { isInTexts } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { BlobOwner, BlobOwners } from '../../../ports/blobs/inspect.js'
import type { BlobKey } from '../../../ports/blobs/port.js'

/** Served by the unique index on blob_key. */
const ofArtifacts = prepared((db, p: { keys: string }, dialect) =>
  db
    .selectFrom('package_artifact')
    .innerJoin('package_version', 'package_version.id', 'package_artifact.version_id')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .innerJoin('account', 'account.id', 'package.account_id')
    .where(isInTexts('package_artifact.blob_key', p.keys, dialect))
    .select(['package_artifact.blob_key as key', 'account.email'])
    .select(['package.slug', 'package_version.version', 'package_artifact.name']),
)

/** Finds the artifacts that objects belong to, of all accounts: system query, for the operator. */
export async function packageBlobOwners(db: Database, keys: readonly BlobKey[]): Promise<BlobOwners> {
  const rows = await db.all(ofArtifacts, { keys: JSON.stringify(keys) })
  return new Map<BlobKey, BlobOwner>(
    rows.map(({ key, email, slug, version, name }) => [
      key,
      { email, kind: 'artifact', name: `${slug}/${version}/${name}` },
    ]),
  )
}
