import { isProvider, type Dns } from '../../../ports/dns/port.js'
import type { ZoneStore } from '../zones/store.js'
import { afterCommit } from './after-commit.js'
import { beforeCommit } from './before-commit.js'
import type { Publisher, RestoreFailed } from './publisher.js'
import type { DnsStores } from './stores.js'
import { followZones, noFollower, type ChangePublished, type ZoneFollower } from './zone-follower.js'
import type { WithZoneLock } from './zone-lock.js'

/**
 * The choice between the embedded nameserver and an external provider, for everything that publishes zones. Only the commands
 * that exist for providers alone (`svc dns sync`, `svc dns adopt`) look at the configuration themselves.
 */

interface PublisherParts {
  readonly stores: DnsStores
  /** Shared by all writes to a provider, so that they exclude each other. */
  readonly withZoneLock: WithZoneLock
  readonly published: ChangePublished
  readonly restoreFailed: RestoreFailed
}

/** How changes are published. @param dns undefined in an operator's command without a provider: the running server follows the database */
export const selectPublisher = (
  dns: Dns | undefined,
  { stores, withZoneLock, published, restoreFailed }: PublisherParts,
): Publisher =>
  dns !== undefined && isProvider(dns)
    ? beforeCommit({ stores, provider: dns, withZoneLock, restoreFailed })
    : afterCommit({ stores, nameserver: dns, published })

/** The follower for the embedded nameserver; a no-op for an external provider. Parameters as of `followZones`. */
export const selectFollower = (
  dns: Dns,
  zones: ZoneStore,
  since: number,
  failed: (error: unknown) => void,
): ZoneFollower => (isProvider(dns) ? noFollower : followZones(zones, dns, since, failed))
