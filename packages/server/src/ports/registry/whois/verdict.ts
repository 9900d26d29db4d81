import { RegistryRefusal } from '../pace.js'
import { RegistryError, type Registration } from '../port.js'
import { parseWhois, type WhoisRecord } from './parser.js'
import { linesOf } from './text.js'

/**
 * Whole lines that say that a domain is not registered, as `plain` writes them: `%` stands for the domain. Sentences of terms of use
 * are never equal to one.
 */
const notFound: ReadonlySet<string> = new Set([
  ...['no match for %', 'no match for domain %', 'no match', 'no matches', 'no match found', 'no match found for %'],
  ...['not found', 'not found: %', '% not found', 'object not found', 'object_not_found', 'object does not exist'],
  ...['no data found', 'no object found', 'no objects found', 'no found', 'nothing found', 'no data was found'],
  ...['no entries found', 'no entries found for %', 'no entries found for the selected source'],
  ...['no entries found for the selected source(s)', 'error:101: no entries found', 'error:101: no entries found %'],
  ...['no record found', 'no records found', 'no such domain', 'no such domain %', 'no information found'],
  ...['domain not found', 'domain % not found', 'domain name not found', 'domain name % not found', 'domain unknown'],
  ...['domain % does not exist', 'domain name % does not exist', 'domain name does not exist', 'not registered'],
  ...['% is not registered', 'domain % is not registered', 'domain name is not registered', 'domain not registered'],
  ...['this domain name has not been registered', 'this domain is not registered', 'domain % has not been registered'],
  ...['the domain has not been registered', 'the queried object does not exist', 'domain is available'],
  ...['the queried object does not exist: no object found', 'the queried object does not exist: previous registration'],
  ...[
    '% is free',
    '% is available',
    '% is available for registration',
    '%: free',
    '%: no entries found',
    '%: available',
  ],
  ...['domain % is available', 'domain % is available for purchase', 'domain % is available for registration'],
  ...['status: free', 'status: available', 'domain status: available', 'domain status: free', 'state: available'],
  ...['domain status: no object found', 'registration status: available', 'query_status: 220 available'],
  ...['above domain name is not registered to krnic', 'the above domain name is not registered to krnic'],
  ...['we do not have an entry in our database matching your query', 'this name is not registered'],
  ...[
    'no information available about domain name % in the registry',
    'no data was found to match the request criteria',
  ],
])

/** Lines that refuse a request begin and continue like this. Terms of use mention limits too, but in longer lines and other words. */
const refusalStart =
  /^(error|warning|sorry|your?|the whois query|whois|quer(y|ies)|quota|rate|requests?|connections?|limit|lookup|too many|daily|maximum|number of|excessive|access|ip |permission|service|server|still in grace)/
const refusal =
  /(limit|quota|rate) .{0,60}(exceeded|reached)|(limit|quota) exceeded|exceeded[.!]?$|exceeded (the |your )?(max|allowed|quer|rate|limit|quota|number)|too many (quer|req|conn|look|simult)|(access|connection|request|query|permission|service) (has been |is |was )?(denied|refused|blocked|unavailable|temporarily)|(been|being|is|are) (blocked|blacklisted|banned|rate.?limited|throttled|not permitted)|excessive quer|try again (later|in|after)|grace period/

/** The longest line that is compared: verdicts are short. */
const verdictMax = 200

/**
 * Decides what an answer says. The order matters: a refusal may contain some data, and an answer about an unregistered domain may have
 * its name and a status.
 * @returns the data; undefined for an unregistered domain
 * @throws RegistryError for a refusal, and for an answer that says nothing about the domain
 */
export function readWhois(text: string, domain: string): WhoisRecord | undefined {
  const lines = linesOf(text)
    .filter((line) => line.length <= verdictMax)
    .map((line) => plain(line, domain))
  if (lines.some((line) => refusalStart.test(line) && refusal.test(line))) throw new RegistryRefusal()
  if (lines.some((line) => notFound.has(line.replace(/[.!]{1,3}$/, '')))) return undefined
  const record = parseWhois(text, domain.slice(domain.lastIndexOf('.') + 1))
  if (!hasData(record) || (record.domain !== undefined && !isSame(record.domain, domain)))
    throw new RegistryError('The answer of the registry cannot be used.')
  return record
}

/** A line in lower case, without comment mark, quotation marks and repeated blanks, and with `%` for the domain. */
const plain = (line: string, domain: string): string =>
  line
    .toLowerCase()
    .replace(/^[%#>*\s-]{1,20}/, '')
    .replace(/["'\u2018-\u201d]/g, '')
    .replace(/\s{1,200}/g, ' ')
    .replaceAll(domain, '%')
    .trim()

/** An answer without the domain's name must have a date or a nameserver. */
const hasData = (record: WhoisRecord): boolean => {
  const { domain, registrar, createdAt, updatedAt, expiresAt, nameservers, statuses } = record
  const hasFacts = nameservers.length > 0 || [createdAt, updatedAt, expiresAt].some((time) => time !== null)
  return hasFacts || (domain !== undefined && (registrar !== null || statuses.length > 0))
}

/** Registries show IDNs in Unicode too. */
const isSame = (shown: string, domain: string): boolean =>
  shown.split(' ', 1)[0] === domain ||
  (URL.canParse(`http://${shown}`) && new URL(`http://${shown}`).hostname === domain)

/** The data of a registration. */
export type WhoisData = Omit<Registration, 'domain' | 'source' | 'raw'>

/** The registry's data, with what only the registrar knows. */
export function merged(registrys: WhoisData, registrars: WhoisData): WhoisData {
  const { nameservers, statuses } = registrys
  return {
    registrar: registrys.registrar ?? registrars.registrar,
    createdAt: registrys.createdAt ?? registrars.createdAt,
    updatedAt: registrys.updatedAt ?? registrars.updatedAt,
    expiresAt: registrys.expiresAt ?? registrars.expiresAt,
    nameservers: nameservers.length > 0 ? nameservers : registrars.nameservers,
    statuses: statuses.length > 0 ? statuses : registrars.statuses,
    dnssec: registrys.dnssec ?? registrars.dnssec,
  }
}
