import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import proxyAddr from '@fastify/proxy-addr'
import { isHostName } from '../shared/host-name.js'
import { shown } from './mask.js'
import { InvalidSetting } from './setting.js'
import { parseUrl } from '../shared/parse-url.js'

/** An absolute path; relative ones start at the working directory. */
export const directory = (text: string): string => resolve(text)

/** The absolute path of an existing file. */
export function existingFile(text: string): string {
  const file = resolve(text)
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new InvalidSetting('must name a file that exists')
  return file
}

/** Parses a TCP port of at least `lowest`. */
export const port =
  (lowest: 0 | 1) =>
  (text: string): number => {
    const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN
    if (number >= lowest && number <= 65_535) return number
    // Kubernetes sets SVC_PORT=tcp://… in every pod of a namespace that has a Service named `svc`.
    const why = text.startsWith('tcp://') ? ' (Kubernetes sets it for a Service named svc: rename the Service)' : ''
    throw new InvalidSetting(`must be a port number, ${String(lowest)} to 65535${why}`)
  }

/** Parses a whole number from `min` to `max`. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN
    if (number >= min && number <= max) return number
    throw new InvalidSetting(`must be a whole number, ${String(min)} to ${String(max)}`)
  }

/** Maximum number of connections; 0 for no limit. */
export const connectionCap = wholeNumber(0, 1_000_000)

/** The most deployments of an account; 0 for no limit. */
export const deploymentCap = wholeNumber(0, 9_999_999)

/** The maximum length of a list that has no pages. */
export const unpagedListCap = wholeNumber(1, 10_000)

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

/** Scheme, host and port of a URL; a trailing slash is accepted. */
export function origin(text: string): string {
  const url = webUrl(text) ?? { origin: '', href: '' }
  if (url.href === `${url.origin}/`) return url.origin
  throw new InvalidSetting('must be an http or https URL without a path, such as https://api.example.com')
}

/** An http or https URL to fetch from. */
export function fetchableUrl(text: string): string {
  const url = webUrl(text)
  if (url?.username === '' && url.password === '') return url.href
  throw new InvalidSetting('must be an http or https URL without user and password')
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

const rangeNames = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses, networks and names of networks, separated by commas. */
export function proxies(text: string): readonly string[] {
  const entries = list(text)
  const wrong = entries.find((entry) => !isProxyRange(entry))
  if (wrong === undefined) return entries
  const what = `addresses, networks such as 10.0.0.0/8, or ${rangeNames.join(', ')}`
  throw new InvalidSetting(`must list ${what}, separated by commas; ${shown(wrong)} is not one`)
}

function isProxyRange(entry: string): boolean {
  if (rangeNames.includes(entry)) return true
  // The library parses "10" as 0.0.0.10.
  if (isIP(entry.split('/', 1)[0] ?? '') === 0) return false
  try {
    proxyAddr.compile(entry)
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
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
