import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Parses an IPv6 address in any spelling of RFC 4291, section 2.2, without a zone id.
 * @returns its 8 groups of 16 bits; undefined for any other text
 */
export function parseIpv6(text: string): number[] | undefined {
  // ipaddr.js is less strict: it accepts octets of an IPv4 address with leading zeros.
  if (!isIPv6(text) || text.includes('%')) return undefined
  return ipaddr.IPv6.parse(text.includes('.') ? withoutDots(text) : text).parts
}

/** ipaddr.js parses `::192.0.2.1` (RFC 4291, section 2.5.5.1) as `::ffff:192.0.2.1`, which is another address. */
function withoutDots(text: string): string {
  const start = text.lastIndexOf(':') + 1
  const [a = 0, b = 0, c = 0, d = 0] = text.slice(start).split('.').map(Number)
  return `${text.slice(0, start)}${hex(a * 256 + b)}:${hex(c * 256 + d)}`
}

const hex = (group: number): string => group.toString(16)

/** Formats 8 groups of 16 bits as RFC 5952 recommends, mapped IPv4 addresses with dots (section 5). */
export function formatIpv6(groups: number[]): string {
  if (groups.slice(0, 6).join() !== '0,0,0,0,0,65535') return new ipaddr.IPv6(groups).toRFC5952String()
  const octets = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
  return `::ffff:${octets.join('.')}`
}

/** All 8 groups, none left out. */
export const formatFullIpv6 = (groups: readonly number[]): string => groups.map(hex).join(':')
