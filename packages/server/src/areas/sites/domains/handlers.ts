import type { Areas } from '@svc/contract'
import { ApiError, badRequestSentence } from '@svc/contract/errors'
import { LockTimeout, type WithLock } from '../../../db/keyed-mutex.js'
import type { Handlers } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import type { HostRecords, HostTarget } from '../../../shared/host-records.js'
import { allows } from '../../../shared/rules.js'
import { timestamp } from '../../../shared/timestamp.js'
import { domainHost, targetsOf, type ServerNames } from './host.js'
import type { DomainStore, StoredDomain } from './store.js'

export interface DomainDependencies {
  readonly domains: DomainStore
  readonly hostRecords: HostRecords
  readonly names: ServerNames
  /** IP addresses of the server for DNS records; empty for CNAMEs. */
  readonly addresses: readonly string[]
  /** Called after each change of what a site serves. */
  readonly changed: () => void
  /** Lets the changes of one host follow each other. Those of other processes meet at the row. */
  readonly withHost: WithLock
}

/** What the removal of a domain needs. */
type RemovalDependencies = Pick<DomainDependencies, 'domains' | 'hostRecords' | 'changed' | 'withHost'>

/** How long a change waits for the earlier ones of its host, in milliseconds. */
const waitMs = 10_000

type DomainHandlers = Pick<Handlers<Areas['sites']>, 'domains' | 'domainAdd' | 'domainRemove'>

/** The own domains of sites. */
export function domainHandlers(dependencies: DomainDependencies): DomainHandlers {
  const { domains, names } = dependencies
  return {
    domains: async (_input, { account }) => ({
      domains: (await domains.list(account)).filter(isReadable(account)).map(toJson),
    }),
    async domainAdd({ body: { name, host } }, { account }) {
      const domain = domainHost(host, names)
      return toJson(await inTurn(dependencies, domain.host, () => addDomain(dependencies, account, name, domain)))
    },
    async domainRemove({ body: { host: given } }, { account }) {
      const { host } = domainHost(given, names)
      await inTurn(dependencies, host, async () =>
        removeDomain(dependencies, account, { host, ...(await domains.find(account, host)) }),
      )
      return { host, deleted: true }
    },
  }
}

/** Runs a change after the earlier ones of its host. @throws ApiError `upstream_error` */
async function inTurn<R>({ withHost }: RemovalDependencies, host: string, change: () => Promise<R>): Promise<R> {
  try {
    return await withHost(host, change, waitMs)
  } catch (error) {
    if (!(error instanceof LockTimeout)) throw error
    throw new ApiError('upstream_error', `Earlier changes of ${host} took too long. Repeat the request.`)
  }
}

/**
 * The row comes first: it decides which account has the host, and names the records. A stop in between leaves a host that can be added
 * again, or removed.
 */
async function addDomain(
  dependencies: DomainDependencies,
  account: Account,
  name: string,
  domain: ReturnType<typeof domainHost>,
): Promise<StoredDomain> {
  const { domains, hostRecords, names, addresses, changed } = dependencies
  const { host, zone } = domain
  await domains.requireZone(account, zone)
  const targets = targetsOf(domain, `${name}.${names.sitesDomain}`, addresses)
  hostRecords.requireAllowed(account, zone, host, targets)
  const isNew = await domains.reserve(account, name, domain, targets)
  changed()
  /** Records that this addition creates. If it fails, these are removed from the zone, and those of others stay. */
  let own: readonly HostTarget[] = []
  const undo = async () => {
    const left = await find(domains, account, host)
    // Another request has added the domain.
    if (left !== undefined && (!isNew || left.records.some((record) => 'id' in record))) return
    await hostRecords.remove(account, zone, host, own)
    await domains.cancel(account, host, targets)
    changed()
  }
  try {
    own = await hostRecords.missing(account, zone, host, targets)
    const { records, created } = await hostRecords.create(account, zone, host, targets)
    // Another process may have removed records since they were not missing.
    own = [...own, ...created]
    const isSaved = await domains.saveRecords(account, host, records)
    const stored = await find(domains, account, host)
    if (isSaved && stored?.name === name) return stored
    throw badRequestSentence('host', `${host} or its site was removed at the same time: add it again`)
  } catch (error) {
    // If this fails too, the domain stays listed, and can be removed. The first error says why it was not added.
    await Promise.allSettled([undo()])
    throw error
  }
}

/** The records come first: without the row, nothing would know them. If they change meanwhile, the new ones are removed too. */
async function removeDomain(
  { domains, hostRecords, changed }: RemovalDependencies,
  account: Account,
  first: Pick<StoredDomain, 'host' | 'zone' | 'records'>,
): Promise<void> {
  const { host, zone } = first
  for (
    let domain: Pick<StoredDomain, 'host' | 'records'> | undefined = first;
    domain;
    domain = await find(domains, account, host)
  ) {
    await hostRecords.remove(account, zone, host, domain.records)
    if (await domains.remove(account, domain)) break
  }
  changed()
}

/** Finds the site of a domain, for the rules of tokens. @returns undefined for a host without a site of the account */
export const siteOfDomain =
  ({ domains, names }: Pick<DomainDependencies, 'domains' | 'names'>) =>
  async (account: Account, given: string | number): Promise<string | undefined> =>
    (await find(domains, account, domainHost(String(given), names).host))?.name

const isReadable =
  ({ rules }: Account) =>
  ({ name }: StoredDomain): boolean =>
    allows(rules, { kind: 'site', name, access: 'read' })

const find = async (domains: DomainStore, account: Account, host: string): Promise<StoredDomain | undefined> =>
  (await domains.list(account)).find((listed) => listed.host === host)

/** Removes the domains of a site before the site. @throws ApiError `upstream_error` */
export const domainsRemoval =
  (dependencies: RemovalDependencies) =>
  async (account: Account, name: string): Promise<void> => {
    const ofSite = (await dependencies.domains.list(account)).filter((domain) => domain.name === name)
    // All or none: the rules of the token may allow to remove the records of some.
    for (const { zone, host, records } of ofSite) dependencies.hostRecords.requireAllowed(account, zone, host, records)
    for (const domain of ofSite)
      await inTurn(dependencies, domain.host, () => removeDomain(dependencies, account, domain))
  }

const toJson = ({ host, name, zone, isActive, records, createdAt }: StoredDomain) => ({
  host,
  name,
  zone,
  active: isActive,
  records: records.map(({ type, value }) => ({ type, value })),
  created_at: timestamp(createdAt),
})
