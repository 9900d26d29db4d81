import { ApiError } from '@svc/contract/errors'
import type { Deadline } from '../../../ports/dns/deadline.js'
import type { Dns } from '../../../ports/dns/port.js'
import type { ZoneStore } from '../zones/store.js'

/** How often a zone is set again because it has changed in the meantime. */
const attemptsMax = 5

/**
 * Publishes the stored records of a zone at the provider. Call it under the zone's lock. If the zone still changes during
 * the call (the lock was lost with its connection), it is read and set again.
 * @throws ApiError `upstream_error`
 */
export async function serveStored(
  zones: Pick<ZoneStore, 'contents' | 'version'>,
  provider: Dns,
  zone: string,
  deadline?: Deadline,
): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const version = await zones.version(zone)
    await provider.setZone(await zones.contents(zone), deadline)
    if ((await zones.version(zone)) === version) return
  }
  throw new ApiError('upstream_error', 'The zone changes faster than the DNS provider can be told.', { zone })
}
