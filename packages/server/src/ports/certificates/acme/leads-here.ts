import type { NameAddresses } from '../../outbound/name-addresses.js'
import type { LookUp, Resolver } from '../../resolver/port.js'

export interface OwnPlaces {
  readonly resolver: Pick<Resolver, 'ns'>
  /** The zone of svc that has a name; undefined without one. */
  readonly zoneOf: (name: string) => Promise<string | undefined>
  /** The names of the nameservers of all zones, in lower case. */
  readonly nameservers: readonly string[]
  /** The addresses at which clients reach this server. */
  readonly addresses: readonly string[]
  readonly addressesOf: NameAddresses
}

const shownMax = 4

/**
 * Finds out whether a name leads to this server, before it is ordered: otherwise one account could spend what a CA allows the operator
 * in a week. A name leads here if its zone is delegated to the operator's nameservers, or if all its addresses are those of the server.
 * @returns why it does not, as a sentence; undefined if it does
 */
export function leadsHere(places: OwnPlaces): (name: string) => Promise<string | undefined> {
  return async (name) => {
    const host = name.replace(/^\*\./, '')
    const zone = await places.zoneOf(host)
    const delegation = zone === undefined ? undefined : await delegationProblem(places, zone)
    if (zone !== undefined && delegation === undefined) return undefined
    if (host !== name) return delegation ?? `svc does not serve the zone of ${name}, and only DNS can prove a wildcard.`
    return addressProblem(places, host)
  }
}

/** @returns why a zone is not delegated to the operator's nameservers, as a sentence; undefined if it is */
export async function delegationProblem(
  { resolver, nameservers }: Pick<OwnPlaces, 'resolver' | 'nameservers'>,
  zone: string,
): Promise<string | undefined> {
  const replies: LookUp = await resolver.ns(zone)
  const found = new Set(replies.flatMap(({ values }) => values))
  if (nameservers.some((own) => found.has(own.toLowerCase()))) return undefined
  const now = found.size === 0 ? 'no nameserver' : shown([...found])
  return `The domain ${zone} has ${now}, not ${nameservers.join(' or ')}: change its NS records at the registrar.`
}

async function addressProblem({ addresses, addressesOf }: OwnPlaces, name: string): Promise<string | undefined> {
  const own = addresses.length === 0 ? 'an address of this server (SVC_SITES_ADDRESSES)' : addresses.join(' or ')
  const found = await addressesOf(name).catch(() => [])
  if (found.length === 0) return `${name} has no address: it must lead to ${own}.`
  const others = found.filter((address) => !addresses.includes(address) && !isLoopback(address))
  return others.length === 0 ? undefined : `${name} leads to ${shown(others)}, not to ${own}.`
}

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1'

/** Untrusted names and addresses of the DNS, without characters that a terminal would obey. */
const shown = (texts: readonly string[]): string =>
  texts
    .slice(0, shownMax)
    .map((text) => text.replaceAll(/[^\w.:-]/g, '?').slice(0, 253))
    .join(', ')
