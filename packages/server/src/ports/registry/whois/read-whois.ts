import { topLevelOf } from '../../dns/domain-names.js'
import { RegistryRateLimited, unusableAnswer } from '../errors.js'
import { RegistryError } from '../port.js'
import { parseWhois, type WhoisRecord } from './parser.js'
import { linesOf } from './text.js'
import { parseUrl } from '../../../shared/parse-url.js'

/**
 * Whole lines that say that a domain is not registered, as `normalizeLine` writes them: `%` stands for the domain. Sentences of terms of use
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
  ...['no matching record', 'nothing found for this query', 'no match: %', '% - no match', 'nincs talalat / no match'],
  ...['domain is not registered', 'error:103: domain is not registered', 'the domain % was not found'],
  ...['no_se_encontro_el_objeto/object_not_found', 'the queried object does not exist: domain not found'],
  ...['no information available about domain name % in the registry nask database'],
  ...['the requested domain was not found in the registry or registrars whois server'],
])

/** Lines that refuse a request begin like this. Terms of use mention limits too, but in longer sentences and other words. */
const refusalStart =
  /^(?:\d{1,3}: )?(?:error|warning|sorry|your?|the whois query|the number of|whois|quer(?:y|ies)|quota|rate|requests?|restricted|connections?|limit|lookup|too many|daily|maximum|number of|excessive|access|ip |permission|service|server|still in grace)/

/** Refusals that stand above data too, which is then reduced. */
const exceeded =
  /(?:limit|quota)(?: has been| was)? (?:exceeded|reached)|exceeded[.!]?$|exceeded (?:the |your |this )?(?:max|allowed|quer|rate|limit|quota|number)|^(?:your?|ip) .{0,60}(?:been|being|is|are) (?:blocked|blacklisted|banned|rate.?limited|throttled)/
const condition = /\b(?:if|when|once|may|might|will|must|should)\b/

/** Texts that are refusals only without any data: footers such as that of CentralNic say that access is rate limited. */
const refused =
  /(?:limit|quota|rate) .{0,60}(?:exceeded|reached)|too many (?:quer|req|conn|look|simult)|(?:access|connection|request|query|permission|service) (?:has been |is |was )?(?:denied|refused|blocked|unavailable|temporarily)|(?:been|being|is|are) (?:blocked|blacklisted|banned|rate.?limited|throttled|not permitted)|excessive quer|try again (?:later|in|after)|grace period/

/** The longest line that is compared, and the most lines: verdicts are short, and stand near the start. */
const verdictMax = 200
const verdictLinesMax = 200

/**
 * Decides what an answer says. A refusal may contain some data, and an answer about an unregistered domain may have its name and a status.
 * @returns the data; undefined for an unregistered domain
 * @throws RegistryError for a refusal, and for an answer that says nothing about the domain
 */
export function readWhois(text: string, domain: string): WhoisRecord | undefined {
  const lines = linesOf(text)
    .slice(0, verdictLinesMax)
    .filter((line) => line.length <= verdictMax)
    .map((line) => ({ isIndented: /^\s/.test(line), sentence: normalizeLine(line, domain) }))
  const suspects = lines.map(({ sentence }) => sentence).filter((sentence) => refusalStart.test(sentence))
  if (suspects.some((line) => exceeded.test(line) && !condition.test(line))) throw new RegistryRateLimited()
  const record = parseWhois(text, topLevelOf(domain))
  const hasFacts = factsOf(record) > 0
  // An indented line below data may be a text of the registrant.
  const verdicts = hasFacts ? lines.filter(({ isIndented }) => !isIndented) : lines
  if (verdicts.some(({ sentence }) => notFound.has(sentence.replace(/[.!]{1,3}$/, '')))) return undefined
  if (isAbout(record, text, domain)) return record
  throw suspects.some((line) => refused.test(line)) ? new RegistryRateLimited() : new RegistryError(unusableAnswer)
}

/** A line in lower case, without comment mark, quotation marks and repeated blanks, and with `%` for the domain. */
const normalizeLine = (line: string, domain: string): string =>
  line
    .toLowerCase()
    .replace(/^[%#>*\s-]{1,20}/, '')
    .replace(/["'\u2018-\u201d]/g, '')
    .replace(/\s{1,200}/g, ' ')
    .replaceAll(domain, '%')
    .trim()

/** The date of an update does not count: it may be that of the database. */
const factsOf = ({ createdAt, expiresAt, nameservers }: WhoisRecord): number =>
  [createdAt !== null, expiresAt !== null, nameservers.length > 0].filter(Boolean).length

/** Whether a record has data about the domain. An error page without the domain's name may have a date. */
function isAbout(record: WhoisRecord, text: string, domain: string): boolean {
  const facts = factsOf(record)
  if (record.domain === undefined) return facts >= (text.toLowerCase().includes(domain) ? 1 : 2)
  return isSame(record.domain, domain) && (facts > 0 || record.registrar !== null || record.statuses.length > 0)
}

/** Registries show IDNs in Unicode too. */
const isSame = (shown: string, domain: string): boolean =>
  shown.split(' ', 1)[0] === domain || parseUrl(`http://${shown}`)?.hostname === domain
