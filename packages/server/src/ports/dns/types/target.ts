import { isIPv4 } from 'node:net'
import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { parseIpv6Groups } from '../presentation/ipv6.js'
import { absoluteName, canonicalName, looksLikeAddress, parseName, type Alphabet } from '../presentation/name.js'
import { decodeName, encodeCompressibleName } from '../wire/rdata-names.js'
import { withoutPriority, type RecordTypeRules } from './record-type.js'

/** Types whose value is one name. */

/** Octets of a name that is not compressed. Names are ASCII. */
export const nameSize = (name: string): number => (name === '.' ? 1 : name.length + 2)

type OwnRules = 'code' | 'canonicalize' | 'hasPriority' | 'targetOffset' | 'fields' | 'examples'

/** The rules of a type of RFC 1035 whose value is a name. */
export const nameRules = (own: Pick<RecordTypeRules, OwnRules>): RecordTypeRules => ({
  ...own,
  hasCompressibleName: true,
  nameOffset: 0,
  size: nameSize,
  encode: (to, name, zone) => encodeCompressibleName(to, zone, name),
  decode: (data, zone) => decodeName(data, zone),
  format: absoluteName,
  parse: (text) => (/\s/.test(text) ? undefined : canonicalName(text)),
})

const fields = (example: string): RecordTypeRules['fields'] => ({
  count: 1,
  description: `a name, such as ${example}`,
  words: 1,
  toGiven: ([name = ''], absolute) => absolute(name),
})

/** Any name, including names of DKIM keys and services (RFC 8552). */
const anyName = {
  hasPriority: false,
  targetOffset: undefined,
  fields: fields('www.example.net.'),
  canonicalize: (given: string) => canonicalTarget(given, 'a full name such as www.example.net', { underscores: true }),
}

/** An alias (RFC 1035, section 3.3.1). */
export const cname = nameRules({ ...anyName, code: 5, examples: withoutPriority('target_1._domainkey.example.net') })

/** A pointer to a name, usually the name of an address (RFC 1035, section 3.3.12). */
export const ptr = nameRules({
  ...anyName,
  code: 12,
  canonicalize: (given) =>
    canonicalTarget(
      given,
      'a full name such as host.example.net',
      { underscores: true },
      `that is an address. A PTR record holds a host name; the address is the name of the record${exampleOf(given.trim())}`,
    ),
  examples: withoutPriority('host.example.net'),
})

/** The name of a PTR record for an address, as an example; empty for any other text. */
const exampleOf = (address: string): string => {
  const name = reverseName(address)
  return name === undefined ? '' : `, ${name}`
}

/** A nameserver of a delegation: a host (RFC 1123, section 2.1; RFC 2181, section 11). */
export const ns = nameRules({
  code: 2,
  hasPriority: false,
  targetOffset: 0,
  fields: fields('ns1.example.net.'),
  canonicalize: (given) => canonicalTarget(given, 'a full host name such as ns1.example.net'),
  examples: withoutPriority('ns1.delegated.conformance.test', 'ns2.example.net'),
})

/**
 * The canonical form of a name that a record points at: absolute, with or without a trailing dot.
 * @param wanted completes "value must be …"
 * @param ifAddress why a value that is an address is refused
 * @throws ApiError `bad_request`
 */
export function canonicalTarget(
  given: string,
  wanted: string,
  alphabet: Alphabet = {},
  ifAddress = 'that is an address, which goes into an A or AAAA record',
): string {
  const not = (why: string) => badRequest('value', `must be ${wanted}, not ${quoted(given)}: ${why}`)
  const name = given.trim()
  const parsed = parseName(name, alphabet)
  if (looksLikeAddress(name, parsed)) throw not(ifAddress)
  const { labels, problem } = parsed
  if (problem !== undefined) throw not(problem)
  const canonical = labels.join('.')
  // A single label is a name without its zone, not a top-level domain. RFC 1912, section 4.1, requires localhost.
  if (labels.length === 1 && canonical !== 'localhost') throw not('write the name out in full, with its domain')
  return canonical
}

/**
 * The name of an address in a reverse zone (RFC 1035, section 3.5; RFC 3596, section 2.5): `1.2.0.192.in-addr.arpa`.
 * @returns undefined for a text that is not an address
 */
function reverseName(address: string): string | undefined {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`
  const groups = parseIpv6Groups(address)
  if (groups === undefined) return undefined
  const nibbles = groups.flatMap((group) => Array.from(group.toString(16).padStart(4, '0')))
  return `${nibbles.reverse().join('.')}.ip6.arpa`
}
