import { adoptionStore } from '../areas/dns/claims/adoption-store.js'
import { markAndPublish } from '../areas/dns/publishing/stored-zone.js'
import { planImport } from '../areas/dns/zone-file/import-plan.js'
import { readInventory } from '../areas/dns/claims/inventory.js'
import { importStore } from '../areas/dns/zone-file/import-store.js'
import { commandZoneLock } from '../areas/dns/publishing/zone-lock.js'
import { writeRecord } from '../areas/dns/zone-file/writer.js'
import { zoneStore } from '../areas/dns/publishing/zone-store.js'
import type { Config } from '../config/config.js'
import type { Database } from '../db/port.js'
import type { Account } from '../shared/account.js'
import { timestamp } from '../shared/timestamp.js'
import { OperatorError } from '../shared/operator-error.js'
import type { DnsProvider } from '../ports/dns/port.js'
import { actingBy, withAccount } from './accounts.js'
import { zone } from './input.js'
import { withProvider } from './with-provider.js'

type AdoptConfig = Pick<Config, 'database' | 'dns'>

export interface DnsAdopt {
  readonly zone: string
  readonly email: string
  /** Reports the changes without making them. */
  readonly dryRun: boolean
}

export interface Adopted {
  readonly zone: string
  readonly account: string
  /** Whether the account had the zone already; then only the mark may change. */
  readonly wasHolder: boolean
  /** The records that the account takes over, as lines of a zone file. */
  readonly records: readonly string[]
  /** Differences from the provider's records, and records that are left alone. */
  readonly notes: readonly string[]
}

/**
 * `svc dns adopt`: gives an account a zone of the external provider that svc did not create, with its records.
 * @throws OperatorError with every record that svc cannot represent: then nothing is changed
 */
export async function adoptZone(config: AdoptConfig, { zone: given, email, dryRun }: DnsAdopt): Promise<Adopted> {
  const name = zone(given)
  if (config.dns.provider.kind === 'embedded')
    throw new OperatorError('The embedded nameserver has only the zones of svc: there is nothing to adopt.')
  return withAccount(config.database, email, (account, db) =>
    withProvider(config.dns, db, (provider) => {
      if (provider === undefined) throw new Error('No external provider is configured.')
      const adoption = { config, db, provider, account: actingBy(account, 'svc dns adopt'), name, dryRun }
      return commandZoneLock(db.withLock)(name, () => adopt(adoption))
    }),
  )
}

interface Adoption {
  readonly config: AdoptConfig
  readonly db: Database
  readonly provider: DnsProvider
  readonly account: Account
  readonly name: string
  readonly dryRun: boolean
}

async function adopt({ config, db, provider, account, name, dryRun }: Adoption): Promise<Adopted> {
  const zones = zoneStore(db)
  const adopted = { zone: name, account: account.email }
  if (await zones.has(name)) {
    await requireHolder(db, account, name)
    if (!dryRun && (await provider.markOf(name)) !== 'own') await provider.mark(name)
    return { ...adopted, wasHolder: true, records: [], notes: [] }
  }
  const inventory = await provider.inventory(name)
  if (inventory === undefined)
    throw new OperatorError(`The DNS provider has no zone ${name}: claim it with POST /v1/dns/zones.`)
  const { records, notes, problems } = readInventory(name, inventory)
  if (problems.length > 0)
    throw new OperatorError(`${problems.join('\n')}\nThese records cannot be taken over: nothing was changed.`)
  const caps = { recordsMax: config.dns.recordsMax, zoneBytesMax: config.dns.zoneBytesMax }
  const { after } = planImport([], records, 0, { ...caps, replace: true, now: timestamp(Date.now()) })
  if (!dryRun) {
    await adoptionStore(db, caps).adopt(account, name, records)
    await markAndPublish(zones, provider, name)
  }
  return {
    ...adopted,
    wasHolder: false,
    records: after.map(writeRecord),
    notes: [
      ...notes,
      ...inventory.unmanaged.map(
        ({ name: of, type }) => `${of} ${type}: of a type that svc does not manage, left alone`,
      ),
    ],
  }
}

async function requireHolder(db: Database, { email }: Account, name: string): Promise<void> {
  const holder = await importStore(db).holder(name)
  if (holder?.email === email) return
  const whose = holder === undefined ? 'is not verified for any account now' : `is verified for ${holder.email}`
  throw new OperatorError(`svc already serves ${name}, which ${whose}: svc dns assign gives it to an account.`)
}
