import { claimStore } from '../areas/dns/claims/store.js'
import { zoneListStore, type ListedZone, type ZoneShare } from '../areas/dns/claims/zone-list-store.js'
import { importStore } from '../areas/dns/zone-file/import-store.js'
import { zoneStore } from '../areas/dns/publishing/zone-store.js'
import { domainStore } from '../areas/sites/domains/store.js'
import type { Config } from '../config/config.js'
import type { DatabaseConfig } from '../db/connect.js'
import type { Database } from '../db/port.js'
import { OperatorError } from '../shared/operator-error.js'
import type { Account } from '../shared/account.js'
import { timestamp } from '../shared/timestamp.js'
import { actingBy, withAccount } from './accounts.js'
import { zone } from './input.js'
import { withExistingDatabase } from './with-database.js'
import { withPublisher } from './with-publisher.js'

export type { ZoneShare }

/** In the order of the columns. */
export const zoneToJson = ({ zone, status, method, account, records, since }: ListedZone) => ({
  zone,
  status,
  method,
  account,
  records,
  since: since === null ? null : timestamp(since),
})

/**
 * `svc dns zones`: every claim, and every zone that is served without a verified claim.
 * @param email only those of this account
 * @param show prints pages, in the order of the names
 */
export async function listZones(
  config: DatabaseConfig,
  email: string | undefined,
  show: (pages: AsyncIterable<readonly ListedZone[]>) => Promise<void>,
): Promise<void> {
  if (email === undefined) await withExistingDatabase(config, (db) => show(zoneListStore(db).all()))
  else await withAccount(config, email, (account, db) => show(onePage(zonesOf(db, account))))
}

async function* onePage<T>(page: Promise<T>): AsyncGenerator<T> {
  yield await page
}

/** The claims of an account, and the zones that are served with its records after their release. */
export async function zonesOf(db: Database, { id, email }: Account): Promise<ListedZone[]> {
  const zones = zoneListStore(db)
  return (await zones.entries(await zones.namesOf(id))).filter(({ account }) => account === email)
}

/** What depends on a zone. */
export interface ZoneUse {
  readonly zone: string
  /** Email of the account with the verified claim. */
  readonly holder: string | undefined
  /** Of all accounts. Only those of the holder are served. */
  readonly shares: readonly ZoneShare[]
  /** Own domains of the holder's sites, which are served only while its claim is verified. */
  readonly domains: readonly { readonly host: string; readonly site: string }[]
  /** Emails of the accounts with a pending claim. */
  readonly pending: readonly string[]
}

/** What a change of a zone affects: shown before the operator confirms it. @throws OperatorError for a zone that svc does not serve */
export const zoneUse = (config: DatabaseConfig, zoneName: string): Promise<ZoneUse> => {
  const name = zone(zoneName)
  return withExistingDatabase(config, async (db) => {
    if (await zoneStore(db).has(name)) return useOf(db, name)
    throw new OperatorError(`svc does not serve a zone ${name}; svc dns zones lists the zones.`)
  })
}

async function useOf(db: Database, name: string): Promise<ZoneUse> {
  const holder = await importStore(db).holder(name)
  const domains = holder === undefined ? [] : await domainStore(db).list(holder)
  const zones = zoneListStore(db)
  const claims = await zones.entries([name])
  return {
    zone: name,
    holder: holder?.email,
    shares: await zones.shares(name),
    domains: domains.filter((domain) => domain.zone === name).map(({ host, name: site }) => ({ host, site })),
    pending: claims.flatMap(({ status, account }) => (status === 'pending' && account !== null ? [account] : [])),
  }
}

/**
 * `svc dns release`: ends the verified claim, as its account can do itself. The zone is still served.
 * @throws OperatorError for a zone without a verified claim
 */
export const releaseZone = (config: DatabaseConfig, zoneName: string): Promise<ZoneUse> => {
  const name = zone(zoneName)
  return withExistingDatabase(config, async (db) => {
    const holder = await importStore(db).holder(name)
    if (holder === undefined) throw new OperatorError(`${name} is not verified for any account.`)
    const use = await useOf(db, name)
    await claimStore(db).release(actingBy(holder, 'svc dns release'), name)
    return use
  })
}

/**
 * `svc dns delete`: ends the verified claim, removes the records of all accounts, and serves the zone no more.
 * @throws ApiError `upstream_error` when a provider fails: then nothing is changed
 */
export const deleteZone = (config: Pick<Config, 'database' | 'dns'>, name: string): Promise<void> =>
  withExistingDatabase(config.database, (db) => withPublisher(config, db, (publisher) => publisher.deleteZone(name)))
