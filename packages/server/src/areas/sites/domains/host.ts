import { isIPv4 } from 'node:net'
import { badRequest } from '@svc/contract/errors'
import { registrableDomain } from '../../../ports/dns/domain-names.js'
import { looksLikeAddress, parseName } from '../../../ports/dns/presentation/name.js'
import type { HostTarget } from '../../../shared/host-records.js'
import { quoted } from '../../../shared/quoted.js'

/** The names of the server itself, in lower case. */
export interface ServerNames {
  readonly sitesDomain: string
  /** Hosts of the API and of the nameserver. */
  readonly hosts: readonly string[]
}

/** A host that a site can have, with the zone that it is in. */
export interface DomainHost {
  /** In lower case and Punycode, without a trailing dot. */
  readonly host: string
  /** Its registrable domain, which is what an account verifies. */
  readonly zone: string
}

/** Checks the host of a domain. @throws ApiError `bad_request` */
export function domainHost(given: string, { sitesDomain, hosts }: ServerNames): DomainHost {
  const parsed = parseName(given)
  const { labels, problem } = parsed
  if (problem !== undefined) throw noHost(given, problem)
  if (looksLikeAddress(given, parsed)) throw noHost(given, 'it is an IP address')
  const host = labels.join('.')
  if (host === sitesDomain || host.endsWith(`.${sitesDomain}`) || hosts.includes(host))
    throw badRequest('host', `must not be a name of this server, but ${host} is: use a host in your own zone`)
  const zone = registrableDomain(host)
  if (zone === null) throw noHost(given, 'it is not in a zone that an account can verify')
  return { host, zone }
}

const noHost = (given: string, problem: string) =>
  badRequest('host', `must be a full host name such as www.example.com, not ${quoted(given)}: ${problem}`)

/**
 * The DNS records that make a host point to this server: to its addresses, if the operator has set them, otherwise to the name of the
 * site.
 * @throws ApiError `bad_request` for a zone itself without addresses
 */
export function targetsOf(
  { host, zone }: DomainHost,
  siteHost: string,
  addresses: readonly string[],
): readonly HostTarget[] {
  if (addresses.length > 0) return addresses.map((value) => ({ type: isIPv4(value) ? 'A' : 'AAAA', value }))
  if (host === zone)
    throw badRequest(
      'host',
      `is the zone ${zone} itself, which cannot be a CNAME: use www.${zone}; this server serves a zone itself only with SVC_SITES_ADDRESSES, a setting of its operator`,
    )
  return [{ type: 'CNAME', value: siteHost }]
}
