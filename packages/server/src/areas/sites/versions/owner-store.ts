import { isInTexts } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { BlobOwner, BlobOwners } from '../../../ports/blobs/inspect.js'
import type { BlobKey } from '../../../ports/blobs/port.js'

/** Served by site_content_by_blob. */
const ofContents = prepared((db, p: { keys: string }, dialect) =>
  db
    .selectFrom('site_content')
    .innerJoin('account', 'account.id', 'site_content.account_id')
    .where(isInTexts('site_content.blob_key', p.keys, dialect))
    .select(['site_content.blob_key as key', 'account.email'])
    .distinct(),
)

/** Finds the accounts whose sites objects belong to: system query, for the operator. Several sites may share an object. */
export async function siteBlobOwners(db: Database, keys: readonly BlobKey[]): Promise<BlobOwners> {
  const rows = await db.all(ofContents, { keys: JSON.stringify(keys) })
  return new Map<BlobKey, BlobOwner>(rows.map(({ key, email }) => [key, { email, kind: 'site' }]))
}
