import { isIPv4 } from 'node:net'
import { parseIpv6Groups } from './ipv6.js'

/**
 * The name of an address in a reverse zone (RFC 1035, section 3.5; RFC 3596, section 2.5): `1.2.0.192.in-addr.arpa`.
 * @returns undefined for a text that is not an address
 */
export function reverseName(address: string): string | undefined {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`
  const groups = parseIpv6Groups(address)
  if (groups === undefined) return undefined
  const nibbles = groups.flatMap((group) => Array.from(group.toString(16).padStart(4, '0')))
  return `${nibbles.reverse().join('.')}.ip6.arpa`
}
