import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../shared/quoted.js'
import { isReverse, registrableDomain } from './domain-names.js'
import { looksLikeAddress, parseName } from './presentation/name.js'

/**
 * The labels of a name that a user has given: in lower case, IDNs in punycode.
 * @param field of the request
 * @throws ApiError `bad_request`
 */
export function nameLabels(field: string, given: string): readonly string[] {
  const parsed = parseName(given)
  if (looksLikeAddress(given, parsed)) throw noApex(field, given, 'it is an IP address')
  if (given.includes('://')) throw noApex(field, given, 'it is a URL')
  if (parsed.problem !== undefined) throw noApex(field, given, parsed.problem)
  return parsed.labels
}

/**
 * Checks that labels are an apex domain: a registrable domain by the Public Suffix List. Top-level domains that the list does not
 * know (`internal`, `lan`: RFC 6762, appendix G) follow its rule `*`: `home.lan` is an apex.
 * @param section of the list: see `registrableDomain`
 * @throws ApiError `bad_request`; for a subdomain it names the apex
 */
export function apexName(field: string, given: string, labels: readonly string[], section: 'all' | 'icann'): string {
  const name = labels.join('.')
  const apex = registrableDomain(name, section)
  if (apex === name) return name
  if (apex !== null) throw badRequest(field, `must be the apex domain ${apex}, not its subdomain ${quoted(given)}`)
  throw noApex(
    field,
    given,
    labels.length === 1 ? 'it has one label' : 'it is a public suffix, under which others register',
  )
}

/** Letters, digits and hyphens (RFC 5890, section 2.3.1): registries register no other names. */
const registrableLabel = /^[a-z\d]([a-z\d-]*[a-z\d])?$/

/**
 * A domain that a registry can have: in lower case, IDNs in punycode.
 * @param field of the request
 * @throws ApiError `bad_request`; for a subdomain it names the apex
 */
export function registrableName(field: string, given: string): string {
  const labels = nameLabels(field, given)
  if (isReverse(labels.join('.'))) throw noApex(field, given, 'it is a reverse zone')
  if (!labels.every((label) => registrableLabel.test(label)))
    throw noApex(field, given, 'it has other characters than letters, digits and hyphens')
  return apexName(field, given, labels, 'icann')
}

const noApex = (field: string, given: string, problem: string) =>
  badRequest(field, `must be an apex domain such as example.com, not ${quoted(given)}: ${problem}`)
