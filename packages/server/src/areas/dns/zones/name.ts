import { apexName, nameLabels } from '../../../ports/dns/apex-name.js'
import { isReverse } from '../../../ports/dns/domain-names.js'
import { parseName } from '../../../ports/dns/presentation/name.js'
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
  const labels = nameLabels('zone', given)
  return isReverse(labels.join('.')) ? reverseZone([...labels]) : apexName('zone', given, labels, 'all')
}

/**
 * The canonical name of the zone in a path. Never throws: text that is not a name matches no zone, so that the answer is the
 * same as for a zone of another account.
 */
export const pathZone = (given: string): string =>
  // PostgreSQL rejects NUL in a text, even in a comparison.
  parseName(given).labels?.join('.') ?? given.replaceAll('\0', '\ufffd')
