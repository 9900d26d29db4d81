import { parseIpAddress } from '../../shared/ip-address.js'

/**
 * Names that the public DNS never delegates: special-use names (IANA's registry; RFC 6761, 6762, 7686, 8375, 9476), and those that
 * ICANN reserves for private use (SAC113) or that home networks use (RFC 6762, appendix G).
 */
const specialNames = [
  ...['alt', 'example', 'home.arpa', 'internal', 'invalid', 'local', 'localhost', 'onion', 'test'],
  ...['corp', 'home', 'intranet', 'lan', 'private'],
]

/** Whether the public DNS cannot have a zone: a special-use name, or the reverse zone of addresses that are not public. */
export const isOutsidePublicDns = (zone: string): boolean =>
  specialNames.some((name) => zone === name || zone.endsWith(`.${name}`)) || isPrivateReverse(zone)

/** Whether all addresses of a reverse zone are private, by its first one (RFC 6303). */
function isPrivateReverse(zone: string): boolean {
  const address = firstAddressOf(zone)
  const parsed = address === undefined ? undefined : parseIpAddress(address)
  return parsed !== undefined && parsed.range() !== 'unicast'
}

function firstAddressOf(zone: string): string | undefined {
  const four = /^(.+)\.in-addr\.arpa$/.exec(zone)?.[1]?.split('.').reverse()
  if (four !== undefined) return [...four, '0', '0', '0'].slice(0, 4).join('.')
  const six = /^(.+)\.ip6\.arpa$/.exec(zone)?.[1]?.split('.').reverse().join('')
  return six?.padEnd(32, '0').replace(/(.{4})(?!$)/g, '$1:')
}
