import { badRequest } from '@svc/contract/errors'
import { isReverse, registrableDomain } from '../../../ports/dns/domain-names.js'
import { looksLikeAddress, parseName } from '../../../ports/dns/presentation/name.js'
import { quoted } from '../../../shared/quoted.js'
import { reverseZone } from './reverse.js'

/**
 * What can be claimed: an apex domain or a reverse zone, in lower case, IDNs in punycode, without a trailing dot.
 *
 * An apex is a registrable domain by the Public Suffix List, its private section included: whoever has `me.github.io`
 * or `me.dedyn.io` has it from the suffix's owner and must be able to claim it, while a claim on the suffix itself would
 * speak for all its tenants. Where one apex lies below another (`me.s3.amazonaws.com`, `amazonaws.com`), the list says
 * that they have different owners. Top-level domains that the list does not know (`internal`, `lan`: RFC 6762, appendix
 * G) follow its rule `*`: `home.lan` is an apex.
 *
 * @throws ApiError `bad_request`, with the apex named where one can be told
 */
export function zoneName(given: string): string {
  const parsed = parseName(given)
  if (looksLikeAddress(given, parsed)) throw noApex(given, 'it is an IP address')
  if (given.includes('://')) throw noApex(given, 'it is a URL')
  const { labels, problem } = parsed
  if (problem !== undefined) throw noApex(given, problem)
  const name = labels.join('.')
  if (isReverse(name)) return reverseZone(labels)
  const apex = registrableDomain(name)
  if (apex === name) return name
  if (apex !== null) throw badRequest('zone', `must be the apex domain ${apex}, not its subdomain ${quoted(given)}.`)
  throw noApex(given, labels.length === 1 ? 'it has one label' : 'it is a public suffix, under which others register')
}

const noApex = (given: string, problem: string) =>
  badRequest('zone', `must be an apex domain such as example.com, not ${quoted(given)}: ${problem}.`)

/**
 * The zone that a path names, in any spelling of it. Never throws: what can't be a name is no zone's, so that nothing is
 * found, and the answer is the same as for a zone of somebody else.
 */
export const pathZone = (given: string): string =>
  // PostgreSQL knows no NUL in a text, not even to compare with.
  parseName(given).labels?.join('.') ?? given.replaceAll('\0', '\ufffd')
