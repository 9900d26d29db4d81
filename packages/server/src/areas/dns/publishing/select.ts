import { isProvider, type Dns } from '../../../ports/dns/port.js'
import { afterCommit } from './after-commit.js'
import { beforeCommit } from './before-commit.js'
import type { Publisher, ReportRestoreFailed } from '../publisher.js'
import type { DnsStores } from '../stores.js'
import { followZones, type NotePublished, type FollowerOptions, type ZoneFollower } from './zone-follower.js'
import type { WithZoneLock } from './zone-lock.js'

/**
 * The choice between the embedded nameserver and an external provider, for everything that publishes zones. Only the commands
 * that exist for providers alone (`svc dns sync`, `svc dns adopt`) look at the configuration themselves.
 */

interface PublisherDependencies {
  readonly stores: DnsStores
  /** Shared by all writes to a provider, so that they exclude each other. */
  readonly withZoneLock: WithZoneLock
  /** Undefined for an external provider, and in an operator's command. */
  readonly notePublished: NotePublished | undefined
  readonly reportRestoreFailed: ReportRestoreFailed
}

/**
 * Selects how changes are published.
 * @param dns undefined in an operator's command without a provider: the running server follows the database
 */
export const selectPublisher = (
  dns: Dns | undefined,
  { stores, withZoneLock, notePublished, reportRestoreFailed }: PublisherDependencies,
): Publisher =>
  dns !== undefined && isProvider(dns)
    ? beforeCommit({ stores, provider: dns, withZoneLock, reportRestoreFailed })
    : afterCommit({ stores, nameserver: dns, notePublished })

/** The follower of the embedded nameserver; undefined for an external provider, which is not polled. */
export const selectFollower = (dns: Dns, options: Omit<FollowerOptions, 'dns'>): ZoneFollower | undefined =>
  isProvider(dns) ? undefined : followZones({ ...options, dns })
