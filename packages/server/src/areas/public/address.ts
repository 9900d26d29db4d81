import { isIPv6 } from 'node:net'
import type { Areas, Output } from '@svc/contract'
import { countryCode } from '../../ports/country/country-code.js'
import type { Countries } from '../../ports/country/port.js'
import type { Context } from '../../http/handler.js'

type PublicArea = Areas['public']

/** @param ip `Context.ip`: an IPv4 or IPv6 address, never an IPv4-mapped one */
export const addressOf = (ip: string): Output<PublicArea['ip']> => ({ ip, version: isIPv6(ip) ? 6 : 4 })

/**
 * The country that the edge has resolved. For a request that bypassed the edge, the country from the database.
 * @param edgeHeader the header of the operator's edge with the country, in lower case
 */
export function countryOf(
  { ip, header, behindTrustedProxy }: Context,
  edgeHeader: string | undefined,
  countries: Countries,
): Output<PublicArea['geo']> {
  // Any client can send the header. It is trusted only if the request came from the edge.
  const atEdge = edgeHeader !== undefined && behindTrustedProxy ? header(edgeHeader) : undefined
  // The edge's answer "unknown" (XX, or T1 for Tor) counts: for Tor, the database would name the exit node's country.
  const country = atEdge === undefined ? countries.countryOf(ip) : countryCode(atEdge)
  return { country, known: country !== null }
}
