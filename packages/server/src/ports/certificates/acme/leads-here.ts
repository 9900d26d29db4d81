import { BlockList, isIP } from 'node:net'
import type { LookUp, Resolver } from '../../resolver/port.js'

export interface OwnPlaces {
  readonly resolver: Pick<Resolver, 'ns' | 'addresses'>
  /** The zone of svc that has a name; undefined without one. */
  readonly zoneOf: (name: string) => Promise<string | undefined>
  /** The names of the nameservers of all zones, in lower case. */
  readonly nameservers: readonly string[]
  /** The addresses at which clients reach this server; empty if they are not known. */
  readonly addresses: readonly string[]
}

/** Addresses to listen on at which no other machine reaches this server: all addresses (RFC 4291, section 2.5.2), and loopback. */
const unreachable = new BlockList()
unreachable.addAddress('0.0.0.0')
unreachable.addSubnet('127.0.0.0', 8)
unreachable.addAddress('::', 'ipv6')
unreachable.addAddress('::1', 'ipv6')

/**
 * The addresses at which other machines reach this server, as far as the settings say it.
 * @param config.host the address to listen on
 * @returns an empty list if none is known
 */
export const ownAddresses = (config: {
  readonly sitesAddresses: readonly string[]
  readonly host: string
}): readonly string[] => {
  const family = isIP(config.host)
  const isReachable = family !== 0 && !unreachable.check(config.host, family === 6 ? 'ipv6' : 'ipv4')
  return [...new Set([...config.sitesAddresses, ...(isReachable ? [config.host] : [])])]
}

const shownMax = 4

/**
 * Finds out whether a name leads to this server, before it is ordered: otherwise one account could spend what a CA allows the operator
 * in a week. A name leads here if a resolver says that its zone is delegated to the operator's nameservers, or that all its addresses are
 * those of the server: other resolvers may still have an old answer.
 * @returns why it does not, as a sentence; undefined if it does
 */
export function leadsHere(places: OwnPlaces): (name: string) => Promise<string | undefined> {
  return async (name) => {
    const host = name.replace(/^\*\./, '')
    const zone = await places.zoneOf(host)
    const delegation = zone === undefined ? undefined : await delegationProblem(places, zone)
    if (zone !== undefined && delegation === undefined) return undefined
    if (host !== name) return delegation ?? unservedZone(name, host)
    return addressProblem(places, host)
  }
}

const unservedZone = (name: string, zone: string): string =>
  `svc does not serve the zone of ${name}, and only DNS can prove a wildcard: claim ${zone}, or give it to an account with svc dns assign ${zone} EMAIL.`

/** @returns why a zone is not delegated to the operator's nameservers, as a sentence; undefined if it is */
export async function delegationProblem(
  { resolver, nameservers }: { readonly resolver: Pick<Resolver, 'ns'> } & Pick<OwnPlaces, 'nameservers'>,
  zone: string,
): Promise<string | undefined> {
  const replies: LookUp = await resolver.ns(zone)
  const found = new Set(replies.flatMap(({ values }) => values))
  if (nameservers.some((own) => found.has(own.toLowerCase()))) return undefined
  const now = found.size === 0 ? 'no nameserver' : shown([...found])
  return `The domain ${zone} has ${now}, not ${nameservers.join(' or ')}: change its NS records at the registrar.`
}

async function addressProblem({ resolver, addresses }: OwnPlaces, name: string): Promise<string | undefined> {
  const own = addresses.join(' or ')
  const isUnknown = addresses.length === 0
  const isOther = (address: string) => !addresses.includes(address) && !isLoopback(address)
  const replies: LookUp = await resolver.addresses(name)
  const found = replies.filter(({ values }) => values.length > 0)
  if (found.length === 0) return `${name} has no address: it must lead to ${isUnknown ? 'this server' : own}.`
  if (found.some(({ values }) => !values.some(isOther))) return undefined
  const others = new Set(found.flatMap(({ values }) => values.filter(isOther)))
  const places = shown([...others])
  if (!isUnknown) return `${name} leads to ${places}, not to ${own}.`
  return `${name} leads to ${places}, and svc knows no address of this server: its operator must set SVC_SITES_ADDRESSES.`
}

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1'

/** Untrusted names and addresses of the DNS, without characters that a terminal would obey. */
const shown = (texts: readonly string[]): string =>
  texts
    .slice(0, shownMax)
    .map((text) => text.replaceAll(/[^\w.:-]/g, '?').slice(0, 253))
    .join(', ')
