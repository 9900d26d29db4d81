import { ApiError } from '@svc/contract/errors'
import type { DnsProvider, Drift } from '../../../ports/dns/port.js'
import { publishStored } from './stored-zone.js'
import type { WithZoneLock } from './zone-lock.js'
import type { ZoneStore } from './zone-store.js'

/** The drift of one zone at a provider, and the outcome of its repair. */
export interface SyncedZone extends Drift {
  readonly zone: string
  readonly outcome: 'in_sync' | 'drifted' | 'repaired' | 'failed'
  /** Why it failed. */
  readonly problem: string | undefined
}

interface SyncDependencies {
  readonly zones: ZoneStore
  readonly provider: DnsProvider
  /** Shared by all writes to a provider, so that they exclude each other. */
  readonly withZoneLock: WithZoneLock
}

/**
 * Compares a zone at a provider with the database, and repairs the provider. RRsets that the database does not have are
 * removed, unless svc does not manage their type. A zone without a mark, which an earlier version created, is marked as this
 * installation's; a zone of another installation fails.
 * @param dryRun reports the drift without repairing it
 */
export async function syncZone(
  { zones, provider, withZoneLock }: SyncDependencies,
  zone: string,
  dryRun: boolean,
): Promise<SyncedZone> {
  const fetchDrift = async () => provider.drift(await zones.contents(zone))
  async function sync(): Promise<SyncedZone> {
    const drift = await fetchDrift()
    if (isInSync(drift)) return toSyncedZone(drift, 'in_sync')
    if (dryRun) return toSyncedZone(drift, 'drifted')
    await publishStored(zones, provider, zone)
    if (isInSync(await fetchDrift())) return toSyncedZone(drift, 'repaired')
    return toSyncedZone(drift, 'failed', 'The DNS provider accepted the records, but still differs from the database.')
  }
  const toSyncedZone = (drift: Drift, outcome: SyncedZone['outcome'], problem?: string): SyncedZone => ({
    zone,
    ...drift,
    outcome,
    problem,
  })
  try {
    return await withZoneLock(zone, sync)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return toSyncedZone(unknownDrift, 'failed', error.message)
  }
}

/** Whether a zone needs no repair. */
export const isInSync = ({ mark, differences, keepsSerial }: Drift): boolean =>
  mark === 'own' && differences.length === 0 && !keepsSerial

const unknownDrift: Drift = { missing: false, mark: 'own', differences: [], keepsSerial: false, unmanaged: [] }
