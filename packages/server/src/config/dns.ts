import { isIP, isIPv4, isIPv6 } from 'node:net'
import { shown } from './mask.js'
import { isHostName } from '../shared/host-name.js'
import { list, listenHost, webUrl, wholeNumber } from './parsers.js'
import { InvalidSetting } from './setting.js'

const form = 'must be embedded or powerdns+http://<host>:<port>'

/** Parses SVC_DNS. @returns the URL of the PowerDNS API, or undefined for the embedded nameserver */
export function dnsServer(text: string): string | undefined {
  if (text.toLowerCase() === 'embedded') return undefined
  const target = /^powerdns\+(https?:.*)$/i.exec(text)?.[1] ?? ''
  const url = webUrl(target) ?? { origin: '', href: '' }
  if (url.href !== `${url.origin}/`) throw new InvalidSetting(`${form}, without a path`)
  return url.origin
}

/** Printable ASCII, which a header can contain unchanged. */
export function apiKey(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new InvalidSetting('must be the api-key of the PowerDNS server, in printable ASCII')
  return text
}

/** Host names, separated by commas; in lower case, without a trailing dot. */
export function hostNames(text: string): readonly string[] {
  const names = list(text).map((name) => name.toLowerCase().replace(/\.$/, ''))
  const wrong = names.find((name) => !isHostName(name))
  if (wrong === undefined && names.length > 0) return [...new Set(names)]
  const which = wrong === undefined ? '' : `; ${shown(wrong)} is not one`
  throw new InvalidSetting(`must list host names such as ns1.example.net,ns2.example.net${which}`)
}

/** A host name in lower case, without a trailing dot. */
export function domain(text: string): string {
  const name = text.toLowerCase().replace(/\.$/, '')
  if (!isHostName(name)) throw new InvalidSetting('must be a domain such as sites.example.net')
  return name
}

/** Addresses with or without a port, separated by commas. @returns each as `ip:port` or `[ip]:port` */
export function resolverAddresses(text: string): readonly string[] {
  return [...new Set(list(text).map(withPort))]
}

function withPort(entry: string): string {
  const {
    six,
    four,
    port = '53',
  } = /^(?:\[(?<six>.+)\]|(?<four>[^:]+))(?::(?<port>\d{1,5}))?$/.exec(entry)?.groups ?? {}
  const bare = isIP(entry) === 6 ? entry : six
  const number = Number(port)
  if (number >= 1 && number <= 65_535) {
    if (bare !== undefined && isIPv6(bare)) return `[${bare}]:${String(number)}`
    if (four !== undefined && isIPv4(four)) return `${four}:${String(number)}`
  }
  const example = '192.0.2.1, 192.0.2.1:5353 or [2001:db8::1]:53'
  throw new InvalidSetting(`must list addresses such as ${example}, separated by commas; ${shown(entry)} is not one`)
}

/** Addresses or host names of this machine, separated by commas. */
export function listenHosts(text: string): readonly string[] {
  const hosts = list(text).map(listenHost)
  if (hosts.length === 0) throw new InvalidSetting('must name an address such as 127.0.0.1, 0.0.0.0 or ::')
  return [...new Set(hosts)]
}

/** Answers per second; 0 for no limit. */
export const rate = wholeNumber(0, 1_000_000)

/** Maximum number of records in a zone. */
export const recordCap = wholeNumber(1, 9_999_999)

/** Maximum size of a zone in bytes of content. */
export const zoneBytesCap = wholeNumber(1, 999_999_999)

/** Maximum number of zones of an account. */
export const zoneCap = wholeNumber(1, 9_999_999)

/** The email address of an SOA record, in lower case, because domain names ignore case. */
export function mailbox(text: string): string {
  const [local = '', domain = '', ...rest] = text.toLowerCase().split('@')
  const isWithinLimits = local.length <= 63 && local.length + domain.length <= 252 && rest.length === 0
  if (isWithinLimits && /^[a-z\d_+-]+(?:\.[a-z\d_+-]+)*$/.test(local) && isHostName(domain)) return `${local}@${domain}`
  throw new InvalidSetting(
    'must be an email address such as hostmaster@example.com, with at most 63 letters, digits and . _ + - before the @',
  )
}
