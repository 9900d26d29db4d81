import { syncZone, type SyncedZone } from '../areas/dns/publishing/sync.js'
import { commandZoneLock } from '../areas/dns/publishing/zone-lock.js'
import { zoneStore, type ZoneStore } from '../areas/dns/publishing/zone-store.js'
import type { Config } from '../config/config.js'
import { OperatorError } from '../shared/operator-error.js'
import type { DnsProvider } from '../ports/dns/port.js'
import { zone } from './input.js'
import { withExistingDatabase } from './with-database.js'
import { commandEventStore } from './command-event-store.js'
import { withProvider } from './with-provider.js'

export interface DnsSync {
  /** Undefined for all zones. */
  readonly zone: string | undefined
  /** Reports the changes without making them. */
  readonly dryRun: boolean
  /** Called for each zone as soon as it is done. */
  readonly done: (zone: SyncedZone) => void
}

export interface DnsSynced {
  /** Zones of the provider that are not in the database: left alone. Empty if a single zone was given. */
  readonly strangers: readonly string[]
}

/**
 * `svc dns sync`: finds and repairs drift between a provider and the database.
 * @returns undefined for the embedded nameserver, which serves the database's zones
 * @throws ApiError `upstream_error` when the provider cannot list its zones
 */
export async function syncDns(
  config: Pick<Config, 'database' | 'dns'>,
  { zone: given, dryRun, done }: DnsSync,
): Promise<DnsSynced | undefined> {
  const name = given === undefined ? undefined : zone(given)
  if (config.dns.provider.kind === 'embedded') return undefined
  return withExistingDatabase(config.database, (db) =>
    withProvider(config.dns, db, async (provider) => {
      if (provider === undefined) return undefined
      const zones = zoneStore(db)
      const withZoneLock = commandZoneLock(db.withLock)
      const sync = async (one: string) => done(await syncZone({ zones, provider, withZoneLock }, one, dryRun))
      const note = async () => (dryRun ? undefined : commandEventStore(db).note('svc dns sync', name ?? ''))
      if (name === undefined) {
        await note()
        return { strangers: await syncAll(zones, provider, sync) }
      }
      if (!(await zones.has(name))) throw new OperatorError(`There is no zone ${name}: no account has verified it yet.`)
      await note()
      await sync(name)
      return { strangers: [] }
    }),
  )
}

async function syncAll(
  zones: ZoneStore,
  provider: DnsProvider,
  sync: (zone: string) => Promise<void>,
): Promise<string[]> {
  // First, so that a provider that does not answer is reported once and not for every zone.
  const strangers = new Set(await provider.zoneNames())
  for await (const name of zones.names()) {
    strangers.delete(name)
    await sync(name)
  }
  return [...strangers].sort()
}
