import { badRequest } from '@svc/contract/errors'
import { isReverse, registrableDomain } from '../../../ports/dns/domain-names.js'
import { looksLikeAddress, parseName } from '../../../ports/dns/presentation/name.js'
import { quoted } from '../../../shared/quoted.js'
import { reverseZone } from './reverse.js'

/**
 * Checks the name of a zone to claim: an apex domain or a reverse zone. The result is in lower case, IDNs in punycode, without
 * a trailing dot.
 *
 * An apex is a registrable domain by the Public Suffix List, including its private section: a tenant of `github.io` can
 * claim `me.github.io`, but no account can claim the suffix `github.io`, which has many tenants. If one apex is below
 * another (`me.s3.amazonaws.com`, `amazonaws.com`), the list says that they have different owners. Top-level domains that
 * the list does not know (`internal`, `lan`: RFC 6762, appendix G) follow its rule `*`: `home.lan` is an apex.
 *
 * @throws ApiError `bad_request`; for a subdomain it names the apex
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
  if (apex !== null) throw badRequest('zone', `must be the apex domain ${apex}, not its subdomain ${quoted(given)}`)
  throw noApex(given, labels.length === 1 ? 'it has one label' : 'it is a public suffix, under which others register')
}

const noApex = (given: string, problem: string) =>
  badRequest('zone', `must be an apex domain such as example.com, not ${quoted(given)}: ${problem}`)

/**
 * The canonical name of the zone in a path. Never throws: text that is not a name matches no zone, so that the answer is the
 * same as for a zone of another account.
 */
export const pathZone = (given: string): string =>
  // PostgreSQL rejects NUL in a text, even in a comparison.
  parseName(given).labels?.join('.') ?? given.replaceAll('\0', '\ufffd')
