import ipaddr from 'ipaddr.js'
import { parseIpv6 } from '../../../shared/ip-address.js'

/** @returns the 8 groups of 16 bits of an IPv6 address without a zone id; undefined for any other text */
export const parseIpv6Groups = (text: string): number[] | undefined => parseIpv6(text)?.parts

/** Formats 8 groups of 16 bits as RFC 5952 recommends, IPv4-mapped addresses with dots (section 5). */
export function formatIpv6(groups: number[]): string {
  if (groups.slice(0, 6).join() !== '0,0,0,0,0,65535') return new ipaddr.IPv6(groups).toRFC5952String()
  const octets = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
  return `::ffff:${octets.join('.')}`
}

/** Formats all 8 groups, without `::`. */
export const formatFullIpv6 = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':')
