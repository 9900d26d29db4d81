import { LRUCache } from 'lru-cache'
import { RegistryError } from '../port.js'
import { linesOf } from './text.js'

/** The WHOIS server of IANA, which knows those of all top-level domains. */
export const ianaHost = 'whois.iana.org'

/** The servers of large registries without RDAP, so that most look-ups need no question to IANA. */
export const defaultHosts: Readonly<Record<string, string>> = {
  de: 'whois.denic.de',
  eu: 'whois.eu',
  it: 'whois.nic.it',
  jp: 'whois.jprs.jp',
  ch: 'whois.nic.ch',
  li: 'whois.nic.li',
  io: 'whois.nic.io',
  co: 'whois.registry.co',
  us: 'whois.nic.us',
  me: 'whois.nic.me',
  se: 'whois.iis.se',
  nu: 'whois.iis.nu',
  dk: 'whois.punktum.dk',
  be: 'whois.dns.be',
  at: 'whois.nic.at',
  ru: 'whois.tcinet.ru',
  cn: 'whois.cnnic.cn',
  hk: 'whois.hkirc.hk',
  nz: 'whois.irs.net.nz',
  mx: 'whois.mx',
  pt: 'whois.dns.pt',
  ie: 'whois.weare.ie',
  lu: 'whois.dns.lu',
  hu: 'whois.nic.hu',
  ro: 'whois.rotld.ro',
  sk: 'whois.sk-nic.sk',
  hr: 'whois.dns.hr',
  lt: 'whois.domreg.lt',
  lv: 'whois.nic.lv',
  ee: 'whois.tld.ee',
  tr: 'whois.trabis.gov.tr',
  il: 'whois.isoc.org.il',
  cl: 'whois.nic.cl',
  su: 'whois.tcinet.ru',
  kz: 'whois.nic.kz',
  by: 'whois.cctld.by',
  rs: 'whois.rnids.rs',
  edu: 'whois.educause.edu',
  sh: 'whois.nic.sh',
  ac: 'whois.nic.ac',
  gg: 'whois.gg',
  je: 'whois.je',
  im: 'whois.nic.im',
  la: 'whois.nic.la',
}

/** The server of a top-level domain, if it is one of the usual ones. */
export const defaultHost = (topLevel: string): string | undefined =>
  Object.hasOwn(defaultHosts, topLevel) ? defaultHosts[topLevel] : undefined

/** The queries that these servers need for the data of one domain, in English. */
const lines: Readonly<Record<string, (domain: string) => string>> = {
  'whois.denic.de': (domain) => `-T dn,ace ${domain}`,
  'whois.jprs.jp': (domain) => `${domain}/e`,
  'whois.verisign-grs.com': (domain) => `domain ${domain}`,
}

/** The line to send to a server. */
export const lineFor = (host: string, domain: string): string =>
  Object.hasOwn(lines, host) ? (lines[host]?.(domain) ?? domain) : domain

/** How long the answers of IANA are used. */
const knownMs = 7 * 24 * 60 * 60 * 1000

/** There are about 1,500 top-level domains. */
const knownMax = 2_000

/** The servers that IANA has named; an empty text for none. */
export const knownHosts = () => new LRUCache<string, string>({ max: knownMax, ttl: knownMs })

/**
 * Reads the server of a top-level domain in an answer of IANA: `whois: whois.nic.io`.
 * @returns an empty text for a top-level domain without one
 * @throws RegistryError for another answer, such as a refusal
 */
export function hostInIana(text: string): string {
  const answer = linesOf(text)
  const line = answer.find((candidate) => candidate.startsWith('whois:'))
  if (
    line === undefined &&
    !answer.some((known) => known.startsWith('domain:') || known.includes('returned 0 objects'))
  )
    throw new RegistryError('The answer of IANA cannot be used.')
  return line?.slice('whois:'.length).trim().toLowerCase() ?? ''
}
