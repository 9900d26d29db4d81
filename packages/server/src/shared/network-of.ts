import { isIpv4, parseIpAddress } from './ip-address.js'

/**
 * The network of an address, for limits per network: `192.0.2.0/24`, or `2001:db8:0:1::/64` (a subscriber has at least a
 * /64, RFC 6177). IPv4-mapped addresses (RFC 4291, section 2.5.5.2) count as IPv4, zone ids are ignored. A text that is not
 * an address is returned unchanged.
 */
export const networkOf = (text: string): string => networkWith(text, 4)

/** The same with the /48 of IPv6: a site may have as much (RFC 6177), so one attacker may have 65,536 networks of `networkOf`. */
export const wideNetworkOf = (text: string): string => networkWith(text, 3)

function networkWith(text: string, ipv6Groups: number): string {
  const address = parseIpAddress(text)
  if (address === undefined) return text
  if (isIpv4(address)) return `${address.octets.slice(0, 3).join('.')}.0/24`
  const groups = address.parts.slice(0, ipv6Groups).map((group) => group.toString(16))
  return `${groups.join(':')}::/${String(ipv6Groups * 16)}`
}
