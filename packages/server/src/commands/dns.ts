import type { Claim } from '../areas/dns/claims/claim.js'
import { claimStore } from '../areas/dns/claims/store.js'
import { operatorZones } from '../areas/dns/claims/operator-zones.js'
import { reservedStore } from '../areas/dns/claims/reserved-store.js'
import { importStore } from '../areas/dns/zone-file/import-store.js'
import { registrableDomain } from '../ports/dns/domain-names.js'
import { operatorNames, type Config } from '../config/config.js'
import type { DatabaseConfig } from '../db/connect.js'
import { actingBy, withAccount } from './accounts.js'
import { zone } from './input.js'
import { withExistingDatabase } from './with-database.js'
import { withPublisher } from './with-publisher.js'

type ClaimConfig = Pick<Config, 'database' | 'dns' | 'publicUrl' | 'sitesDomain'>

/**
 * `svc dns claim-legacy`: creates a pending claim that the zone's live NS answers will prove (specification, section
 * 3), for accounts migrated from another system.
 * @throws ApiError if the account has a claim, or another account or the operator has the zone
 */
export async function claimLegacy(config: ClaimConfig, email: string, zoneName: string): Promise<Claim> {
  const checked = zone(zoneName)
  const terms = { isHeldByOperator: operatorZones(operatorNames(config)).has(checked) }
  return withAccount(config.database, email, (account, db) =>
    claimStore(db).claimLegacy(actingBy(account, 'svc dns claim-legacy'), checked, terms),
  )
}

export interface Assigned {
  readonly zone: string
  readonly account: string
  /** Whether the account had the zone already. */
  readonly wasHolder: boolean
}

/**
 * `svc dns assign`: gives any zone to an account. Only that account's records are served from now on; an account
 * that had the zone falls back to pending. @throws ApiError `upstream_error` when a provider fails
 */
export async function assignZone(config: ClaimConfig, zoneName: string, email: string): Promise<Assigned> {
  const name = zone(zoneName)
  return withAccount(config.database, email, async (account, db) => {
    const wasHolder = (await claimStore(db).find(account, name))?.status === 'verified'
    await withPublisher(config, db, (publisher) => publisher.assign(actingBy(account, 'svc dns assign'), name))
    return { zone: name, account: account.email, wasHolder }
  })
}

export interface Reserved {
  readonly zone: string
  /** False if nothing had to be changed. */
  readonly changed: boolean
  /** Email of the account that has verified the zone; undefined if no account has. */
  readonly holder: string | undefined
}

/** `svc dns reserve`: accounts can claim the zone with a TXT challenge only. */
export async function reserveZone(config: DatabaseConfig, zoneName: string): Promise<Reserved> {
  const name = zone(zoneName)
  return withExistingDatabase(config, async (db) => ({
    zone: name,
    changed: await reservedStore(db).add(name),
    holder: (await importStore(db).holder(name))?.email,
  }))
}

/** `svc dns reserve --remove`: undoes `svc dns reserve`. Claims stay as they are. */
export async function unreserveZone(config: DatabaseConfig, zoneName: string): Promise<Omit<Reserved, 'holder'>> {
  const name = zone(zoneName)
  return withExistingDatabase(config, async (db) => ({ zone: name, changed: await reservedStore(db).remove(name) }))
}

/** `svc dns reserve` without a zone: every reserved zone, with its source. */
export async function listReserved(config: ClaimConfig): Promise<{ zone: string; source: string }[]> {
  const { nameservers, publicUrl, sitesDomain } = operatorNames(config)
  const of = (source: string, hosts: readonly string[]) =>
    hosts.flatMap((host) => {
      const apex = registrableDomain(host)
      return apex === null ? [] : [{ zone: apex, source }]
    })
  const reserved = await withExistingDatabase(config.database, (db) => reservedStore(db).list())
  const all = [
    ...of('SVC_NAMESERVERS', nameservers),
    ...of('SVC_PUBLIC_URL', publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
    ...of('SVC_SITES_DOMAIN', [sitesDomain]),
    ...reserved.map((name) => ({ zone: name, source: 'svc dns reserve' })),
  ]
  return [...new Map(all.map((entry) => [`${entry.zone} ${entry.source}`, entry])).values()]
}
