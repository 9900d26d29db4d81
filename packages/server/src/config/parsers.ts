import { statSync } from 'node:fs'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { isHostName } from '../shared/host-name.js'
import { InvalidSetting, type Type } from './setting.js'
import { parseUrl } from '../shared/parse-url.js'

/** Texts that a function parses. */
export const text = <T>(placeholder: string, parse: (text: string) => T): Type<T> => ({ placeholder, parse })

/** The absolute path of an existing file. */
export function existingFile(text: string): string {
  const file = resolve(text)
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new InvalidSetting('must name a file that exists')
  return file
}

/** TCP ports of at least `min`. */
export const port = ({ min }: { min: 0 | 1 }): Type<number> =>
  text('<port>', (digits) => {
    const number = /^\d{1,5}$/.test(digits) ? Number(digits) : NaN
    if (number >= min && number <= 65_535) return number
    // Kubernetes sets SVC_PORT=tcp://… in every pod of a namespace that has a Service named `svc`.
    const why = digits.startsWith('tcp://') ? ' (Kubernetes sets it for a Service named svc: rename the Service)' : ''
    throw new InvalidSetting(`must be a port number, ${String(min)} to 65535${why}`)
  })

/** Whole numbers of `unit` from `min` to `max`. */
export const integer = ({ min, max, unit = 'number' }: { min: number; max: number; unit?: string }): Type<number> =>
  text(`<${unit}>`, (digits) => {
    const number = /^\d{1,15}$/.test(digits) ? Number(digits) : NaN
    if (number >= min && number <= max) return number
    throw new InvalidSetting(`must be a whole number, ${String(min)} to ${String(max)}`)
  })

/** Entries separated by commas, without blanks and empty entries. */
export const list = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** An address or host name to listen on, without a port. */
export function listenHost(text: string): string {
  // `localhost` is ::1 on some machines and 127.0.0.1 on others.
  if (text.toLowerCase() === 'localhost') return '127.0.0.1'
  if (isIP(text) !== 0 || isHostName(text)) return text
  throw new InvalidSetting(
    'must be an address or a host name without port or brackets, such as 127.0.0.1, 0.0.0.0 or ::1',
  )
}

/** A host name in lower case, without a trailing dot. */
export function domain(text: string): string {
  const name = text.toLowerCase().replace(/\.$/, '')
  if (!isHostName(name)) throw new InvalidSetting('must be a domain such as sites.example.net')
  return name
}

/** Parses `host:port`; brackets enclose an IPv6 address. */
export function hostAndPort(text: string): string {
  const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^:[\]]+):(\d{1,5})$/i.exec(text) ?? []
  const bare = host.replace(/^\[|\]$/g, '')
  const isHost = host.startsWith('[') ? isIP(bare) === 6 : isIP(bare) === 4 || isHostName(bare)
  if (isHost && Number(port) >= 1 && Number(port) <= 65_535) return `${host.toLowerCase()}:${port}`
  throw new InvalidSetting('must be a host and a port, such as whois.example.com:43')
}

/**
 * Parses an IP address with an optional port; brackets enclose an IPv6 address with a port.
 * @returns the port 53 if it is missing; undefined for any other text
 */
export function addressAndPort(text: string): { readonly host: string; readonly port: number } | undefined {
  if (isIPv6(text)) return { host: text, port: 53 }
  const {
    six,
    four = '',
    port = '53',
  } = /^(?:\[(?<six>[^\]]+)\]|(?<four>[^:]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {}
  const isAddress = six === undefined ? isIPv4(four) : isIPv6(six)
  const number = Number(port)
  return isAddress && number >= 1 && number <= 65_535 ? { host: six ?? four, port: number } : undefined
}

/** Scheme, host and port of a URL; a trailing slash is accepted. */
export function origin(text: string): string {
  const url = webOrigin(text)
  if (url === undefined)
    throw new InvalidSetting('must be an http or https URL without a path, such as https://api.example.com')
  return url
}

/** Parses `embedded`, or the URL of a server of this kind. @returns the origin of the URL; undefined for `embedded` */
export const embeddedOr = (kind: string) => {
  const form = new RegExp(String.raw`^${kind}\+(https?:.*)$`, 'i')
  return (text: string): string | undefined => {
    if (text.toLowerCase() === 'embedded') return undefined
    const url = webOrigin(form.exec(text)?.[1] ?? '')
    if (url === undefined) throw new InvalidSetting(`must be embedded or ${kind}+http://<host>:<port>, without a path`)
    return url
  }
}

/** The origin of a URL that has no path; undefined for any other text. */
function webOrigin(text: string): string | undefined {
  const { origin, href } = webUrl(text) ?? { origin: '', href: '' }
  return href === `${origin}/` ? origin : undefined
}

/** An http or https URL to fetch from. */
export function fetchableUrl(text: string): string {
  const url = webUrl(text)
  if (url?.username === '' && url.password === '') return url.href
  throw new InvalidSetting('must be an http or https URL without user and password')
}

/** An http or https URL that paths are appended to. */
export function baseUrl(text: string): string {
  const url = fetchableUrl(text)
  if (/[?#]/.test(url))
    throw new InvalidSetting('must be an http or https URL without a query, such as https://rdap.example.com/')
  return url.endsWith('/') ? url : `${url}/`
}

/**
 * The accepted hosts of a URL. The URL standard also allows quotation marks, backticks, `$` and `;` (3.5, forbidden domain
 * code points), but documents, cookies and shell examples contain these URLs.
 */
const webHost = /^([\w.-]+|\[[\da-f:.]+\])$/i

/** Parses an http or https URL with an accepted host. @returns undefined for any other text */
export function webUrl(text: string): URL | undefined {
  const url = parseUrl(text)
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && webHost.test(url.hostname) ? url : undefined
}

/** The name of a request header (RFC 9110, 5.1), in lower case, like the headers of Node.js. */
export function headerName(text: string): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(text))
    throw new InvalidSetting('must be the name of a header, such as CF-IPCountry')
  return text.toLowerCase()
}

/** Parses one of the given words, ignoring case. */
export const oneOf =
  <const T extends string>(words: readonly T[]) =>
  (text: string): T => {
    const found = words.find((word) => word === text.toLowerCase())
    if (found === undefined) throw new InvalidSetting(`must be one of ${words.join(', ')}`)
    return found
  }
