import { removedRows, type RemovedPart } from '../../../db/account-removal.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Publisher } from '../publisher.js'
import { deletionStore } from './deletion-store.js'
import { zoneListStore } from './zone-list-store.js'

/** Removes an account that is being deleted from its zones. Operator store. */

/** How many zones are searched at a time for records that the account has left there. */
const zonesAtOnce = 500

/** Served by the primary key. */
const nextZones = prepared((db, p: { after: number }) =>
  db.selectFrom('dns_zone').where('id', '>', p.after).select(['id', 'name']).orderBy('id').limit(zonesAtOnce),
)

/** Served by the primary key (zone_id, id). No index has the account alone: it would cost time at each new record. */
const zonesWithRecords = prepared((db, p: { first: number; last: number; accountId: number }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '>=', p.first)
    .where('zone_id', '<=', p.last)
    .where('account_id', '=', p.accountId)
    .select('zone_id')
    .distinct(),
)

/** The zones in which the account has records from an earlier verification, although it has no claim on them any more. */
async function* formerZones(db: Database, accountId: number): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const zones = await db.all(nextZones, { after })
    const [first, last] = [zones[0], zones.at(-1)]
    if (first === undefined || last === undefined) return
    const found = await db.all(zonesWithRecords, { first: first.id, last: last.id, accountId })
    const ids = new Set(found.map(({ zone_id }) => zone_id))
    for (const { id, name } of zones) if (ids.has(id)) yield name
    after = last.id
  }
}

/**
 * Removes the account from one of its zones. Those that serve its records are served no more; in the end, the records that it has left
 * in zones of others are removed.
 * @throws ApiError `upstream_error` when a provider fails
 */
export async function removeZonesPart(db: Database, publisher: Publisher, accountId: number): Promise<RemovedPart> {
  const [zone] = await zoneListStore(db).namesOf(accountId)
  if (zone !== undefined) {
    await publisher.removeFromZone({ id: accountId }, zone)
    return removedRows(false)
  }
  for await (const former of formerZones(db, accountId)) await deletionStore(db).removeFromZone(former, accountId)
  return removedRows(true)
}
