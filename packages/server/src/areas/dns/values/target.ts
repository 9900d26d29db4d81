import { badRequest } from '@svc/contract/errors'
import { looksLikeAddress, parseName, type Alphabet } from './name.js'
import { quoted } from '../../../shared/quoted.js'

/** The names that records point at: absolute, whether or not a trailing dot says so, and kept without it. */

/** Of NS: a host (RFC 1123, section 2.1; RFC 2181, section 11). */
export const hostTarget = (given: string): string => target(given, {}, 'a full host name such as ns1.example.net')

/** Of MX: a host, or `.` for "no mail here" (RFC 7505). */
export const mailTarget = (given: string): string =>
  given.trim() === '.' ? '.' : target(given, {}, 'a full host name such as mail.example.com')

/** Of SRV: a host, or `.` for "no such service here" (RFC 2782). */
export const serviceTarget = (given: string): string =>
  given === '.' ? '.' : target(given, {}, 'weight, port and full host name, such as "5 5060 sip.example.com"')

/** Of CNAME and PTR: any name, DKIM keys and services (RFC 8552) among them. */
export const aliasTarget = (given: string): string =>
  target(given, { underscores: true }, 'a full name such as www.example.net')

function target(given: string, alphabet: Alphabet, wanted: string): string {
  const not = (why: string) => badRequest('value', `must be ${wanted}, not ${quoted(given)}: ${why}.`)
  const name = given.trim()
  const parsed = parseName(name, alphabet)
  if (looksLikeAddress(name, parsed)) throw not('that is an address, which goes into an A or AAAA record')
  const { labels, problem } = parsed
  if (problem !== undefined) throw not(problem)
  const canonical = labels.join('.')
  // Nobody means a top-level domain: it is the zone that was left out. RFC 1912, section 4.1, wants localhost.
  if (labels.length === 1 && canonical !== 'localhost') throw not('write the name out in full, with its domain')
  return canonical
}
