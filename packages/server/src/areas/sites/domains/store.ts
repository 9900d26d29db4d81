import { ApiError, badRequest, badRequestSentence, forbidden, notFound } from '@svc/contract/errors'
import { noteChange } from '../../../db/change-clock-store.js'
import { byBytes } from '../../../db/dialect.js'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { retryFirstOrder } from '../../../ports/certificates/acme/certificate-store.js'
import type { Account } from '../../../shared/account.js'
import { otherAccountActor, type Actor } from '../../../shared/actor.js'
import type { HostRecord, HostTarget } from '../../../shared/host-records.js'
import { recordSiteEvent, type SiteEvent } from '../sites/events.js'
import { lockOwnSite } from '../sites/read-store.js'
import type { DomainHost } from './host.js'

/** The most domains of an account. */
const domainsMax = 100

/** A domain of a site. */
export interface StoredDomain extends DomainHost {
  /** Of its site. */
  readonly name: string
  /** Whether its zone is verified for the account: only then it is served. */
  readonly isActive: boolean
  /** Its DNS records, with their ids once they are created. */
  readonly records: readonly (HostTarget | HostRecord)[]
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

interface Key {
  readonly accountId: number
  readonly host: string
}

interface NewDomain extends Key {
  readonly siteId: number
  readonly zone: string
  /** JSON. */
  readonly records: string
  readonly now: number
}

/**
 * Served by site_domain_by_account (account_id, host), and by the primary key of site. The claims are looked up, by
 * dns_claim_of_account: PostgreSQL could compare all domains of the account with all its claims.
 */
const ofAccount = prepared((db, p: { accountId: number }, dialect) =>
  db
    .selectFrom('site_domain')
    .innerJoin('site', 'site.id', 'site_domain.site_id')
    .where('site_domain.account_id', '=', p.accountId)
    .select(['site_domain.host', 'site_domain.zone', 'site_domain.records', 'site_domain.created_at', 'site.name'])
    .select((domain) =>
      domain
        .selectFrom('dns_claim')
        .whereRef('dns_claim.account_id', '=', 'site_domain.account_id')
        .whereRef('dns_claim.zone', '=', 'site_domain.zone')
        .select('dns_claim.status')
        .as('status'),
    )
    .orderBy('site_domain.host', byBytes(dialect)),
)

/** Served by the primary key. */
const byHost = prepared((db, p: { host: string }) =>
  db.selectFrom('site_domain').where('host', '=', p.host).select(['account_id', 'site_id', 'zone', 'records']),
)

/** With its site. The row of the domain is locked until the transaction ends. Served by the primary keys. */
const lockedByHost = prepared((db, p: { host: string }, dialect) =>
  db
    .selectFrom('site_domain')
    .innerJoin('site', 'site.id', 'site_domain.site_id')
    .where('site_domain.host', '=', p.host)
    .select(['site_domain.account_id', 'site_id', 'site.name', 'records'])
    .$if(dialect === 'postgres', (query) => query.forUpdate('site_domain')),
)

/** Served by dns_claim_of_account or dns_claim_by_zone. */
const verifiedClaim = prepared((db, p: { accountId: number; zone: string }) =>
  db
    .selectFrom('dns_claim')
    .where('account_id', '=', p.accountId)
    .where('zone', '=', p.zone)
    .where('status', '=', 'verified')
    .select('zone'),
)

/** Served by site_domain_by_account. */
const counted = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('site_domain')
    .where('account_id', '=', p.accountId)
    .select((query) => query.fn.countAll<number>().as('domains')),
)

const insert = prepared((db, p: NewDomain) =>
  db
    .insertInto('site_domain')
    .values({
      host: p.host,
      site_id: p.siteId,
      account_id: p.accountId,
      zone: p.zone,
      records: p.records,
      created_at: p.now,
    })
    .onConflict((conflict) => conflict.column('host').doNothing()),
)

/**
 * Gives the host to another account, unless the account that has it holds its zone. Served by the primary key, and by
 * dns_claim_of_account.
 */
const takeOver = prepared((db, p: NewDomain) =>
  db
    .updateTable('site_domain')
    .set({ site_id: p.siteId, account_id: p.accountId, zone: p.zone, records: p.records, created_at: p.now })
    .where('host', '=', p.host)
    .where((condition) =>
      condition.not(
        condition.exists((from) =>
          from
            .selectFrom('dns_claim')
            .whereRef('dns_claim.account_id', '=', 'site_domain.account_id')
            .whereRef('dns_claim.zone', '=', 'site_domain.zone')
            .where('dns_claim.status', '=', 'verified')
            .select('dns_claim.zone'),
        ),
      ),
    ),
)

const setRecords = prepared((db, p: Key & { records: string }) =>
  db
    .updateTable('site_domain')
    .set({ records: p.records })
    .where('host', '=', p.host)
    .where('account_id', '=', p.accountId),
)

/** @param records JSON: a domain whose records have changed is kept. */
const remove = prepared((db, p: Key & { records: string }) =>
  db
    .deleteFrom('site_domain')
    .where('host', '=', p.host)
    .where('account_id', '=', p.accountId)
    .where('records', '=', p.records),
)

async function requireZone(reader: Reader, accountId: number, zone: string): Promise<void> {
  if ((await reader.one(verifiedClaim, { accountId, zone })) !== undefined) return
  const message = `host must be in a zone that is verified for this account: verify ${zone} first.`
  throw new ApiError('forbidden_zone', message, { zone })
}

const reserveDomain = unit(
  import.meta,
  'reserveDomain',
  async (
    tx,
    accountId: number,
    name: string,
    { host, zone }: DomainHost,
    targets: readonly HostTarget[],
    now: number,
  ): Promise<boolean> => {
    const { id: siteId } = await lockOwnSite(tx, accountId, name)
    await requireZone(tx, accountId, zone)
    const domain = { accountId, host, siteId, zone, records: JSON.stringify(targets), now }
    const isInserted = (await tx.run(insert, domain)) === 1
    const existing = isInserted ? undefined : await tx.one(lockedByHost, { host })
    if (existing?.account_id === accountId) {
      if (existing.site_id !== siteId)
        throw badRequest('host', `is the domain of another site of this account: remove ${host} there first`)
      await retryFirstOrder(tx, accountId, [host], now)
      return false
    }
    if (!isInserted && (await tx.run(takeOver, domain)) === 0) throw forbidden('domain')
    if (existing) {
      const { account_id: from, name: object } = existing
      const lost = { accountId: from, at: now, object, actor: otherAccountActor, before: { host } }
      recordSiteEvent(tx, { ...lost, action: 'domain_lost' })
    }
    await requireRoom(tx, accountId)
    noteChange(tx, 'sites')
    noteChange(tx, 'wanted-certificates')
    return true
  },
)

/** Called after the insertion. */
async function requireRoom(tx: Transaction, accountId: number): Promise<void> {
  const domains = (await tx.one(counted, { accountId }))?.domains ?? 0
  if (domains > domainsMax)
    throw badRequestSentence('host', `The account has ${domainsMax} domains, which is the most: remove one first`)
}

const saveRecords = unit(
  import.meta,
  'saveRecords',
  async (tx, key: Key, records: readonly HostRecord[], at: number, actor: Actor) => {
    const domain = await tx.one(lockedByHost, key)
    if (domain?.account_id !== key.accountId) return false
    tx.send(setRecords, { ...key, records: JSON.stringify(records) })
    const { accountId, host } = key
    // An addition that fails before this is undone, and leaves no event.
    if (!toRecords(domain.records).some(isCreated))
      recordSiteEvent(tx, { accountId, at, action: 'domain_add', object: domain.name, actor, after: { host } })
    return true
  },
)

/** @param removal who removes it and when, for its event; null for the end of an addition that has failed */
const removeDomain = unit(
  import.meta,
  'removeDomain',
  async (tx, key: Key, records: readonly HostTarget[], removal: Removal | null) => {
    const domain = await tx.one(lockedByHost, key)
    const isRemoved = (await tx.run(remove, { ...key, records: JSON.stringify(records) })) === 1
    if (domain === undefined || !isRemoved) return false
    noteChange(tx, 'sites')
    noteChange(tx, 'wanted-certificates')
    const { accountId, host } = key
    if (removal)
      recordSiteEvent(tx, { ...removal, accountId, action: 'domain_remove', object: domain.name, before: { host } })
    return true
  },
)

type Removal = Pick<SiteEvent, 'at' | 'actor'>

const isCreated = (record: HostTarget | HostRecord): boolean => 'id' in record

const toRecords = (json: string): StoredDomain['records'] => JSON.parse(json) as StoredDomain['records']

export type DomainStore = ReturnType<typeof domainStore>

export const domainStore = (db: Database) => {
  const list = async ({ id }: Pick<Account, 'id'>): Promise<StoredDomain[]> =>
    (await db.all(ofAccount, { accountId: id })).map(({ created_at, status, records, ...domain }) => ({
      ...domain,
      isActive: status === 'verified',
      records: toRecords(records),
      createdAt: created_at,
    }))
  return {
    /** By host. */
    list,

    /** Checks the zone of a host before anything else is said about it. The reservation checks it again. @throws ApiError `forbidden_zone` */
    requireZone: ({ id }: Account, zone: string): Promise<void> => requireZone(db, id, zone),

    /**
     * Gives a host to a site of the account. It is served from now on.
     * @param targets of its DNS records: stored before they are created, so that a removal after a crash finds them
     * @returns false if the site has it already
     * @throws ApiError `not_found`, `forbidden`; `forbidden_zone`; `bad_request` for a host of another site of the account
     */
    reserve: (account: Account, name: string, domain: DomainHost, targets: readonly HostTarget[]): Promise<boolean> =>
      db.write(reserveDomain, account.id, name, domain, targets, Date.now()),

    /** @returns false for a domain that has been removed meanwhile */
    saveRecords: (account: Account, host: string, records: readonly HostRecord[]): Promise<boolean> =>
      db.write(saveRecords, { accountId: account.id, host }, records, Date.now(), account.actor),

    /** @throws ApiError `not_found`; `forbidden` for a host of another account */
    async find(account: Account, host: string): Promise<Pick<StoredDomain, 'zone' | 'records'>> {
      const row = await db.one(byHost, { host })
      if (row === undefined) throw notFound(`domain ${host}`)
      if (row.account_id !== account.id) throw forbidden('domain')
      return { zone: row.zone, records: toRecords(row.records) }
    },

    /** @returns false for a domain that is gone, or has other records meanwhile */
    remove: ({ id: accountId, actor }: Account, { host, records }: Pick<StoredDomain, 'host' | 'records'>) =>
      db.write(removeDomain, { accountId, host }, records, { at: Date.now(), actor }),

    /** Removes a domain whose addition has failed. @param targets that it was reserved with */
    cancel: ({ id: accountId }: Account, host: string, targets: readonly HostTarget[]): Promise<boolean> =>
      db.write(removeDomain, { accountId, host }, targets, null),
  }
}
