import { ApiError } from '@svc/contract/errors'
import type { Deadline } from '../../ports/dns/deadline.js'
import type { Dns } from '../../ports/dns/port.js'
import type { ZoneStore } from './zone-store.js'

/** How often a zone is set once more because it has changed meanwhile. */
const attemptsMax = 5

/**
 * Has a provider serve what the database has of a zone. To be called under the zone's lock; a zone that changes all the
 * same while the provider is asked (its lock was lost with its connection) is read and set once more.
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
