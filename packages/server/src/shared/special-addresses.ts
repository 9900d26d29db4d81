import ipaddr from 'ipaddr.js'
import { isIpv4, parseIpAddress, type IpAddress } from './ip-address.js'

/**
 * Special addresses that ipaddr.js counts as unicast. It knows the rest of the IANA special-purpose registries
 * (iana-ipv4-special-registry and iana-ipv6-special-registry).
 */
const furtherSpecial = [
  '::/96', // IPv4-compatible, retired (RFC 4291, section 2.5.5.1). MMDB files keep the IPv4 tree here.
  '100:0:0:1::/64', // dummy prefix (RFC 9780)
].map((network) => ipaddr.IPv6.parseCIDR(network))

/**
 * An address of the public internet in its canonical form, and as IPv4 if it is IPv4-mapped (RFC 4291, section 2.5.5.2).
 * @returns undefined for special addresses (private, loopback, documentation, …), and for text that is not an address
 */
export function publicAddress(ip: string): string | undefined {
  const address = parseIpAddress(ip)
  return address === undefined || isSpecial(address) ? undefined : address.toString()
}

function isSpecial(address: IpAddress): boolean {
  if (address.range() !== 'unicast') return true
  return !isIpv4(address) && furtherSpecial.some((network) => address.match(network))
}
