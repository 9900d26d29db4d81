import { ApiError } from '@svc/contract/errors'
import type { Deadline } from '../../../ports/dns/deadline.js'
import type { DnsProvider } from '../../../ports/dns/port.js'
import type { ZoneStore } from './zone-store.js'

/** How often a zone is published again because it has changed in the meantime. */
const attemptsMax = 5

type StoredZones = Pick<ZoneStore, 'contents' | 'serial'>

/**
 * Publishes the stored records of a zone at the provider. Call it under the zone's lock. If the zone still changes during
 * the call (the lock was lost with its connection), it is read and published again.
 * @throws ApiError `upstream_error`
 */
export async function publishStored(
  zones: StoredZones,
  provider: Pick<DnsProvider, 'setZone' | 'removeZone'>,
  zone: string,
  deadline?: Deadline,
): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const serial = await zones.serial(zone)
    const stored = await zones.contents(zone)
    if (stored.isDeleted === true) await provider.removeZone(zone, stored.serial, deadline)
    else await provider.setZone(stored, deadline)
    if ((await zones.serial(zone)) === serial) return
  }
  throw new ApiError('upstream_error', 'The zone changes faster than it can be published at the DNS provider.', {
    zone,
  })
}

/**
 * Takes over a foreign zone whose records are in the database: marks it as this installation's, and publishes it with svc's
 * SOA and NS records.
 * @throws ApiError `upstream_error`; `svc dns sync` completes the rest
 */
export async function markAndPublish(
  zones: StoredZones,
  provider: Pick<DnsProvider, 'mark' | 'setZone' | 'removeZone'>,
  zone: string,
  deadline?: Deadline,
): Promise<void> {
  await provider.mark(zone, deadline)
  await publishStored(zones, provider, zone, deadline)
}
