import { parse } from 'tldts'
import { badRequest } from '@svc/contract/errors'
import { looksLikeAddress, parseName } from './name-rules.js'
import { quoted } from './quoted.js'

/**
 * What can be claimed: an apex domain or a reverse zone, in lower case, IDNs in punycode, without a trailing dot.
 *
 * An apex is a registrable domain by the Public Suffix List, its private section included: whoever has `me.github.io`
 * or `me.eu.org` has it from the suffix's owner and must be able to claim it, while a claim on the suffix itself would
 * speak for all its tenants. One reading of the list for all also means that no apex lies below another. Top-level
 * domains the list does not know (`internal`, `lan`, RFC 6762, appendix G) follow its rule `*`: `home.lan` is an apex.
 *
 * @throws ApiError `bad_request`, with the apex named where one can be told
 */
export function zoneName(given: string): string {
  const { labels, problem } = parseName(given)
  if (looksLikeAddress(given)) throw noApex(given, 'it is an IP address')
  if (/:\/\//.test(given)) throw noApex(given, 'it is a URL')
  if (problem !== undefined) throw noApex(given, problem)
  const name = labels.join('.')
  if (isReverse(name)) return reverseZone(given, labels)
  const apex = apexOf(name)
  if (apex === name) return name
  if (apex !== null) throw badRequest('zone', `must be the apex domain ${apex}, not its subdomain ${quoted(given)}.`)
  throw noApex(given, labels.length === 1 ? 'it has one label' : 'it is a public suffix, under which others register')
}

const noApex = (given: string, problem: string) =>
  badRequest('zone', `must be an apex domain such as example.com, not ${quoted(given)}: ${problem}.`)

/** @returns null for a public suffix */
function apexOf(name: string): string | null {
  // A suffix by the list, but RFC 8375 makes it the zone of a home, with the names of its devices right below.
  if (name === homenet || name.endsWith(`.${homenet}`)) return homenet
  return parse(name, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }).domain
}

const homenet = 'home.arpa'

const v4Root = 'in-addr.arpa'
const v6Root = 'ip6.arpa'

/** @param zone canonical */
export const isReverse = (zone: string): boolean => rootOf(zone) !== undefined

const rootOf = (zone: string): string | undefined =>
  [v4Root, v6Root].find((root) => zone === root || zone.endsWith(`.${root}`))

/**
 * On octet boundaries under in-addr.arpa (RFC 1035, section 3.5), on nibble boundaries under ip6.arpa (RFC 3596,
 * section 2.5). Classless zones (`0-25.2.0.192.in-addr.arpa`, RFC 2317) are no apex: their names are an agreement with
 * whoever has the octet, where they can be hosts.
 */
function reverseZone(given: string, labels: readonly string[]): string {
  const name = labels.join('.')
  const own = labels.slice(0, -2)
  if (name.endsWith(v4Root)) {
    if (own.length > 0 && own.length <= 4 && own.every(isOctet)) return name
    const wanted = 'one to four octets (0 to 255, no leading zeros) before in-addr.arpa, such as 2.0.192.in-addr.arpa'
    throw badRequest('zone', `must have ${wanted}, not ${quoted(given)}.`)
  }
  if (own.length > 0 && own.length <= 32 && own.every((label) => /^[0-9a-f]$/.test(label))) return name
  const wanted = '1 to 32 hexadecimal digits, each a label, before ip6.arpa, such as 8.b.d.0.1.0.0.2.ip6.arpa'
  throw badRequest('zone', `must have ${wanted}, not ${quoted(given)}.`)
}

const isOctet = (label: string): boolean => /^(0|[1-9]\d{0,2})$/.test(label) && Number(label) <= 255

/** Whether one reverse zone lies at, above or below another. Other zones never do: see `zoneName`. */
export const overlaps = (a: string, b: string): boolean =>
  isReverse(a) && isReverse(b) && (a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`))

/** The reverse zones above one, nearest first: at most three under in-addr.arpa, 31 under ip6.arpa; else none. */
export function ancestorsOf(zone: string): string[] {
  const root = rootOf(zone)
  if (root === undefined) return []
  const own = zone.slice(0, -root.length).split('.').filter(Boolean)
  return own.slice(1).map((_, index) => [...own.slice(index + 1), root].join('.'))
}

/**
 * The zone that a path names, in any spelling of it. Never throws; what can't be a name becomes '', which is no zone's:
 * nothing is found, and the answer is the same as for a zone of somebody else.
 */
export const pathZone = (given: string): string => parseName(given).labels?.join('.') ?? ''
