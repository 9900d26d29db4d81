import type { AreaName } from '@svc/contract'
import { removeAccessPart } from '../areas/account/accounts/account-removal-store.js'
import { removeCredentialsPart } from '../areas/cred/account-removal-store.js'
import { removeDeploymentsPart } from '../areas/deployments/account-removal-store.js'
import { removeZonesPart } from '../areas/dns/claims/account-removal-store.js'
import type { Publisher } from '../areas/dns/publisher.js'
import { removeDomainsPart } from '../areas/domains/portfolio/account-removal-store.js'
import { removeFilesPart } from '../areas/files/storage/account-removal-store.js'
import { removePackagesPart } from '../areas/packages/storage/account-removal-store.js'
import { removeMessagesPart } from '../areas/sms/messages/account-removal-store.js'
import { removeSitesPart } from '../areas/sites/versions/account-removal-store.js'
import type { RemovedPart } from '../db/account-removal.js'
import type { Database } from '../db/port.js'

/** What the deletion of an account needs. */
export interface RemovalParts {
  readonly db: Database
  readonly publisher: Publisher
}

type RemovePart = (parts: RemovalParts, accountId: number) => Promise<RemovedPart>

/** An area without rows of accounts. */
const nothing: RemovePart = async () => ({ isDone: true, objects: [] })

/** How each area removes what an account has there. The types require an entry for every area. */
const removals: Readonly<Record<AreaName, RemovePart>> = {
  // First, so that the zones are not served while the rest is removed.
  dns: ({ db, publisher }, id) => removeZonesPart(db, publisher, id),
  files: ({ db }, id) => removeFilesPart(db, id),
  // Their rows are those of files.
  cdn: nothing,
  sites: ({ db }, id) => removeSitesPart(db, id),
  packages: ({ db }, id) => removePackagesPart(db, id),
  deployments: ({ db }, id) => removeDeploymentsPart(db, id),
  sms: ({ db }, id) => removeMessagesPart(db, id),
  cred: ({ db }, id) => removeCredentialsPart(db, id),
  domains: ({ db }, id) => removeDomainsPart(db, id),
  whois: nothing,
  public: nothing,
  catalogue: nothing,
  // Last: a request that was authenticated before can have created a token meanwhile.
  account: ({ db }, id) => removeAccessPart(db, id),
}

/**
 * Removes what an account has in all areas, in bounded parts.
 * @param done called after each part has been committed
 */
export async function removeFromAreas(
  parts: RemovalParts,
  accountId: number,
  done: (part: RemovedPart) => Promise<void>,
): Promise<void> {
  for (const removePart of Object.values(removals))
    for (let isDone = false; !isDone;) {
      const part = await removePart(parts, accountId)
      await done(part)
      isDone = part.isDone
    }
}
