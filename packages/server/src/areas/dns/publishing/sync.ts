import { ApiError } from '@svc/contract/errors'
import type { DnsProvider, Drift } from '../../../ports/dns/port.js'
import { serveStored } from './stored-zone.js'
import type { WithZoneLock } from './zone-lock.js'
import type { ZoneStore } from '../zones/store.js'

/** What is to be found out about a zone at a provider, and what came of it. */
export interface SyncedZone extends Drift {
  readonly zone: string
  readonly outcome: 'in_sync' | 'drifted' | 'repaired' | 'failed'
  /** Why it failed. */
  readonly problem: string | undefined
}

interface SyncParts {
  readonly zones: ZoneStore
  readonly provider: DnsProvider
  /** What all writes to a provider share, so that none comes between. */
  readonly withZoneLock: WithZoneLock
}

/**
 * Compares a zone with what a provider has of it and repairs that: the database is the truth. RRsets that it does not know
 * are removed, unless they are of a type that svc does not manage. A zone that is not marked as this installation's, because
 * an earlier version made it, is marked; one that is marked as another's fails.
 * @param dryRun only finds out
 */
export async function syncZone(
  { zones, provider, withZoneLock }: SyncParts,
  zone: string,
  dryRun: boolean,
): Promise<SyncedZone> {
  const look = async () => provider.drift(await zones.contents(zone))
  async function sync(): Promise<SyncedZone> {
    const drift = await look()
    if (isNone(drift)) return told(drift, 'in_sync')
    if (dryRun) return told(drift, 'drifted')
    await serveStored(zones, provider, zone)
    if (isNone(await look())) return told(drift, 'repaired')
    return told(drift, 'failed', 'The DNS provider does not keep what it is given.')
  }
  const told = (drift: Drift, outcome: SyncedZone['outcome'], problem?: string): SyncedZone => ({
    ...{ zone, ...drift, outcome, problem },
  })
  try {
    return await withZoneLock(zone, sync)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return told(nothingKnown, 'failed', error.message)
  }
}

const isNone = ({ mark, differences, keepsSerial }: Drift): boolean =>
  mark === 'own' && differences.length === 0 && !keepsSerial

const nothingKnown: Drift = { missing: false, mark: 'own', differences: [], keepsSerial: false, unmanaged: [] }
