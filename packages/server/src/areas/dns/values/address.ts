import { isIPv4, isIPv6 } from 'node:net'
import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'

/**
 * The address of an A record (RFC 1035, section 3.4.1): four decimal numbers. Other ways to write one, which some
 * resolvers read as octal or hexadecimal (RFC 6943, section 3.1.1), are refused, not guessed at.
 */
export function ipv4Value(given: string): string {
  const address = given.trim()
  if (isIPv4(address)) return address
  const hint = isIPv6(address) ? ' That is an IPv6 address: it goes into an AAAA record.' : ''
  throw badRequest('value', `must be an IPv4 address such as 192.0.2.1, not ${quoted(given)}.${hint}`)
}

/** The address of an AAAA record (RFC 3596) in the form of RFC 5952. */
export function ipv6Value(given: string): string {
  const address = given.trim()
  if (isIPv6(address) && !address.includes('%')) return canonicalIpv6(address)
  const hint = isIPv4(address)
    ? ' That is an IPv4 address: it goes into an A record.'
    : isIPv6(address)
      ? ' A zone id has a meaning on one machine only (RFC 4007, section 11.2).'
      : ''
  throw badRequest('value', `must be an IPv6 address such as 2001:db8::1, not ${quoted(given)}.${hint}`)
}

function canonicalIpv6(address: string): string {
  // WHATWG URL writes addresses as RFC 5952, section 4, asks, but knows nothing of its section 5.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(text)
  if (mapped === null) return text
  const bytes = mapped.slice(1).flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff])
  return `::ffff:${bytes.join('.')}`
}
