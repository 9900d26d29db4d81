import { isIPv6 } from 'node:net'
import type { Areas, Output } from '@svc/contract'
import { countryCode } from '../../ports/country/country-code.js'
import type { Countries } from '../../ports/country/port.js'
import type { Context } from '../../http/handler.js'

type PublicArea = Areas['public']

/** @param ip an IPv4 or IPv6 address, not an IPv4-mapped one: `Context.ip` */
export const addressOf = (ip: string): Output<PublicArea['ip']> => ({ ip, version: isIPv6(ip) ? 6 : 4 })

/**
 * The country of the caller's address: from the operator's edge or, for a request that did not pass it, from the database.
 * @param edgeHeader the header in which the operator's edge names the country, in lower case
 */
export function countryOf(
  { ip, header, behindTrustedProxy }: Context,
  edgeHeader: string | undefined,
  countries: Countries,
): Output<PublicArea['geo']> {
  // Any client can send the header. It is trusted only in a request that the edge has sent.
  const atEdge = edgeHeader !== undefined && behindTrustedProxy ? header(edgeHeader) : undefined
  // XX (unknown) and T1 (Tor) are answers of the edge too: the database would only give the country of an exit node.
  const country = atEdge === undefined ? countries.countryOf(ip) : countryCode(atEdge)
  return { country, known: country !== null }
}
