import { removedRows, type RemovePart } from '../../../db/account-removal.js'
import { secondaryStore } from '../secondaries/store.js'
import { zoneListStore } from './zone-list-store.js'

/**
 * Removes an account that is being deleted from one of its zones, also from those that it held before. Those that serve its records are
 * served no more. Its secondaries are removed after the last zone. Operator store.
 * @throws ApiError `upstream_error` when a provider fails
 */
export const removeZonesPart: RemovePart = async ({ db, publisher }, accountId) => {
  const [zone] = await zoneListStore(db).namesOf(accountId)
  if (zone === undefined) await secondaryStore(db).removeAll(accountId)
  else await publisher.removeFromZone({ id: accountId }, zone)
  return removedRows(zone === undefined)
}
