import { isIPv6 } from 'node:net'
import type { Areas, Output } from '@svc/contract'
import { countryCode } from '../../ports/country/country-code.js'
import type { Countries } from '../../ports/country/port.js'
import type { Context } from '../../http/handler.js'

type PublicArea = Areas['public']

/** @param ip an IPv4 or IPv6 address, no mapped one: `Context.ip` */
export const addressOf = (ip: string): Output<PublicArea['ip']> => ({ ip, version: isIPv6(ip) ? 6 : 4 })

/**
 * The country as resolved at the edge; of a request that did not come through it, by the database.
 * @param edgeHeader the header in which the operator's edge names the country, in lower case
 */
export function countryOf(
  { ip, header, behindTrustedProxy }: Context,
  edgeHeader: string | undefined,
  countries: Countries,
): Output<PublicArea['geo']> {
  // Anybody can send the header: it is the edge's word only where the edge sent the request.
  const atEdge = edgeHeader !== undefined && behindTrustedProxy ? header(edgeHeader) : undefined
  // An edge that says it does not know (XX, or T1 for Tor) has looked; a database would only guess at an exit node.
  const country = atEdge === undefined ? countries.countryOf(ip) : countryCode(atEdge)
  return { country, known: country !== null }
}
