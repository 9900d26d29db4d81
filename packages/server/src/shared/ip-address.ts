import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/** IPv4-mapped addresses (RFC 4291, section 2.5.5.2). */
const mapped = ipaddr.IPv6.parseCIDR('::ffff:0:0/96')

/**
 * Parses an IP address and drops its zone id. An IPv4-mapped address is returned as IPv4.
 * @returns undefined for text that is not an address
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  const zone = text.indexOf('%')
  const plain = zone === -1 ? text : text.slice(0, zone)
  // Node.js checks the syntax: ipaddr.js also accepts 0177.1, which programs read differently (RFC 6943, section 3.1.1).
  if (isIPv4(plain)) return ipaddr.IPv4.parse(plain)
  const address = parseIpv6(plain)
  return address?.match(mapped) === true ? address.toIPv4Address() : address
}

/**
 * Parses an IPv6 address in any spelling of RFC 4291, section 2.2, without a zone id.
 * @returns undefined for any other text
 */
export function parseIpv6(text: string): ipaddr.IPv6 | undefined {
  if (!isIPv6(text) || text.includes('%')) return undefined
  // ipaddr.js reads ::192.0.2.1 as ::ffff:192.0.2.1. They are different addresses; ::0:192.0.2.1 is the first one.
  return ipaddr.IPv6.parse(text.replace(/^::(?=\d+\.)/, '::0:'))
}

/** Whether an address in the spelling of Node.js is loopback. It is not parsed, because this runs for each DNS query. */
export const isLoopback = (address: string): boolean =>
  address.startsWith('127.') || address === '::1' || address.startsWith('::ffff:127.')

export const isIpv4 = (address: IpAddress): address is ipaddr.IPv4 => address.kind() === 'ipv4'
