import { removedRows, type RemovedPart } from '../../../db/account-removal.js'
import type { Database } from '../../../db/port.js'
import type { Publisher } from '../publisher.js'
import { zoneListStore } from './zone-list-store.js'

/**
 * Removes an account that is being deleted from one of its zones, also from those that it held before. Those that serve its records are
 * served no more. Operator store.
 * @throws ApiError `upstream_error` when a provider fails
 */
export async function removeZonesPart(db: Database, publisher: Publisher, accountId: number): Promise<RemovedPart> {
  const [zone] = await zoneListStore(db).namesOf(accountId)
  if (zone !== undefined) await publisher.removeFromZone({ id: accountId }, zone)
  return removedRows(zone === undefined)
}
