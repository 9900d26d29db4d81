import type { ConsoleAreas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import type { HostRecords } from '../../../shared/host-records.js'
import { timestamp } from '../../../shared/timestamp.js'
import { domainHost, targetsOf, type ServerNames } from './host.js'
import type { DomainStore, StoredDomain } from './store.js'

export interface DomainParts {
  readonly domains: DomainStore
  readonly hostRecords: HostRecords
  readonly names: ServerNames
  /** IP addresses of the server for DNS records; empty for CNAMEs. */
  readonly addresses: readonly string[]
  /** Called after each change of what a site serves. */
  readonly changed: () => void
}

type DomainHandlers = Pick<Handlers<ConsoleAreas['sites']>, 'domains' | 'domainAdd' | 'domainRemove'>

/** The own domains of sites, in the console. */
export function domainHandlers(parts: DomainParts): DomainHandlers {
  const { domains, names } = parts
  return {
    domains: async (_input, { account }) => ({ domains: (await domains.list(account)).map(toJson) }),
    async domainAdd({ body: { name, host } }, { account }) {
      const domain = domainHost(host, names)
      await addDomain(parts, account, name, domain)
      const stored = (await domains.list(account)).find((listed) => listed.host === domain.host)
      if (stored === undefined) throw new Error('The domain was removed at the same time.')
      return toJson(stored)
    },
    async domainRemove({ body: { host: given } }, { account }) {
      const { host } = domainHost(given, names)
      await removeDomain(parts, account, { host, ...(await domains.find(account, host)) })
      return { host, deleted: true }
    },
  }
}

/**
 * The row comes first: it decides which account has the host. A stop in between leaves a host without records, which can be added
 * again.
 */
async function addDomain(
  { domains, hostRecords, names, addresses, changed }: DomainParts,
  account: Account,
  name: string,
  domain: ReturnType<typeof domainHost>,
): Promise<void> {
  const { host, zone } = domain
  const targets = targetsOf(domain, `${name}.${names.sitesDomain}`, addresses)
  const before = await domains.reserve(account, name, domain)
  changed()
  const records = await hostRecords.create(account, zone, host, targets).catch(async (error: unknown) => {
    if (before.length === 0) await domains.remove(account, host)
    changed()
    throw error
  })
  await domains.saveRecords(account, host, records)
}

/** The records come first: without the row, nothing would know them. */
async function removeDomain(
  { domains, hostRecords, changed }: Pick<DomainParts, 'domains' | 'hostRecords' | 'changed'>,
  account: Account,
  { host, zone, records }: Pick<StoredDomain, 'host' | 'zone' | 'records'>,
): Promise<void> {
  await hostRecords.remove(account, zone, records)
  await domains.remove(account, host)
  changed()
}

/** Removes the domains of a site before the site. @throws ApiError `upstream_error` */
export const domainsRemoval =
  (parts: Pick<DomainParts, 'domains' | 'hostRecords' | 'changed'>) =>
  async (account: Account, name: string): Promise<void> => {
    for (const domain of await parts.domains.list(account))
      if (domain.name === name) await removeDomain(parts, account, domain)
  }

const toJson = ({ host, name, zone, isActive, records, createdAt }: StoredDomain) => ({
  ...{ host, name, zone, active: isActive },
  records: records.map(({ type, value }) => ({ type, value })),
  created_at: timestamp(createdAt),
})
