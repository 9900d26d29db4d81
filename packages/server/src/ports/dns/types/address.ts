import { isIPv4, isIPv6 } from 'node:net'
import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { formatFullIpv6, formatIpv6, parseIpv6Groups } from '../presentation/ipv6.js'
import { withoutPriority, type RecordTypeRules } from './record-type.js'

const common = {
  hasPriority: false,
  hasCompressibleName: false,
  targetOffset: undefined,
  nameOffset: undefined,
  format: (value) => value,
} satisfies Partial<RecordTypeRules>

const fields = (example: string): RecordTypeRules['fields'] => ({
  count: 1,
  description: `an address, such as ${example}`,
  words: 1,
  toGiven: ([address = '']) => address,
})

/** An IPv4 address: four decimal numbers (RFC 1035, section 3.4.1). */
export const a: RecordTypeRules = {
  ...common,
  code: 1,
  fields: fields('192.0.2.1'),
  canonicalize: canonicalIpv4,
  size: () => 4,
  encode(to, value) {
    if (!isIPv4(value)) throw new RangeError(`${JSON.stringify(value)} is not an IPv4 address.`)
    for (const octet of value.split('.')) to.u8(Number(octet))
  },
  decode: (data) => data.join('.'),
  isWellFormed: ({ length }) => length === 4,
  parse: (text) => (isIPv4(text) ? text : undefined),
  examples: withoutPriority('192.0.2.1', '192.0.2.200'),
}

/** An IPv6 address (RFC 3596) in the form of RFC 5952. */
export const aaaa: RecordTypeRules = {
  ...common,
  code: 28,
  fields: fields('2001:db8::1'),
  canonicalize: canonicalIpv6,
  size: () => 16,
  encode(to, value) {
    const groups = parseIpv6Groups(value)
    if (groups === undefined) throw new RangeError(`${JSON.stringify(value)} is not an IPv6 address.`)
    for (const group of groups) to.u16(group)
  },
  decode: (data) => formatIpv6(Array.from({ length: 8 }, (_, n) => data.readUInt16BE(2 * n))),
  isWellFormed: ({ length }) => length === 16,
  parse(text) {
    const groups = parseIpv6Groups(text)
    return groups && formatIpv6(groups)
  },
  // In full: PowerDNS 4.7 rejects addresses with dots in them (RFC 4291, section 2.2).
  formatForPowerdns(value) {
    const groups = parseIpv6Groups(value)
    return groups === undefined ? value : formatFullIpv6(groups)
  },
  examples: withoutPriority('2001:db8::1', '2001:db8:0:1::ffff', '::ffff:192.0.2.1'),
}

/** Rejects octal and hexadecimal spellings, which programs interpret differently (RFC 6943, section 3.1.1). */
function canonicalIpv4(given: string): string {
  const address = given.trim()
  if (isIPv4(address)) return address
  const hint = isIPv6(address) ? '. That is an IPv6 address: it goes into an AAAA record' : ''
  throw badRequest('value', `must be an IPv4 address such as 192.0.2.1, not ${quoted(given)}${hint}`)
}

function canonicalIpv6(given: string): string {
  const address = given.trim()
  const groups = parseIpv6Groups(address)
  if (groups !== undefined) return formatIpv6(groups)
  const hint = isIPv4(address)
    ? '. That is an IPv4 address: it goes into an A record'
    : isIPv6(address)
      ? '. A zone id has a meaning on one machine only (RFC 4007, section 11.2)'
      : ''
  throw badRequest('value', `must be an IPv6 address such as 2001:db8::1, not ${quoted(given)}${hint}`)
}
