import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import proxyAddr from '@fastify/proxy-addr'
import { shown } from './mask.js'
import { Unfit } from './setting.js'

/** A path, from the working directory on. */
export const directory = (text: string): string => resolve(text)

/** A file that is there. */
export function existingFile(text: string): string {
  const file = resolve(text)
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new Unfit('must name a file that exists')
  return file
}

/** A TCP port from `lowest` on. */
export const port =
  (lowest: 0 | 1) =>
  (text: string): number => {
    const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN
    if (number >= lowest && number <= 65_535) return number
    // Kubernetes puts SVC_PORT=tcp://… into every pod beside a Service called `svc`.
    const why = text.startsWith('tcp://') ? ' (Kubernetes sets it for a Service called svc: use another name)' : ''
    throw new Unfit(`must be a port number, ${String(lowest)} to 65535${why}`)
  }

const highestConnectionCap = 1_000_000

/** How many connections; 0 for no limit. */
export function connectionCap(text: string): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : NaN
  if (number <= highestConnectionCap) return number
  throw new Unfit(`must be a whole number, 0 to ${String(highestConnectionCap)}`)
}

const hostName = /^(?!.*\.\d+$)(?!\d+$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i

/** By RFC 1123, section 2.1; nothing that would be read as an address. */
export const isHostName = (text: string): boolean => hostName.test(text) && text.length <= 253

/** What to listen on: an address or a host name, without a port. */
export function listenHost(text: string): string {
  // `localhost` is ::1 on one machine and 127.0.0.1 on the next.
  if (text.toLowerCase() === 'localhost') return '127.0.0.1'
  if (isIP(text) !== 0 || hostName.test(text)) return text
  throw new Unfit('must be an address or a host name without port or brackets, such as 127.0.0.1, 0.0.0.0 or ::1')
}

/** Scheme, host and port of a web address; a slash at the end is let pass. */
export function origin(text: string): string {
  const url = webUrl(text) ?? { origin: '', href: '' }
  if (url.href === `${url.origin}/`) return url.origin
  throw new Unfit('must be an http or https address without a path, such as https://api.example.com')
}

/** A web address to fetch from. */
export function fetchableUrl(text: string): string {
  const url = webUrl(text)
  if (url?.username === '' && url.password === '') return url.href
  throw new Unfit('must be an http or https URL without user and password')
}

/**
 * The accepted hosts of a web address. The URL standard allows more characters, quotation marks, backticks, `$` and
 * `;` among them (3.5, forbidden domain code points), and addresses stand in documents, cookies and shell examples.
 */
const webHost = /^([\w.-]+|\[[\da-f:.]+\])$/i

/** @returns undefined unless it is an http or https address with a plain host */
export function webUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && webHost.test(url.hostname) ? url : undefined
}

const rangeNames = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses and networks, separated by commas. */
export function proxies(text: string): readonly string[] {
  const list = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const wrong = list.find((entry) => !isProxyRange(entry))
  if (wrong === undefined) return list
  const what = `addresses, networks such as 10.0.0.0/8, or ${rangeNames.join(', ')}`
  throw new Unfit(`must list ${what}, separated by commas; ${shown(wrong)} is none of them`)
}

function isProxyRange(entry: string): boolean {
  if (rangeNames.includes(entry)) return true
  // The library takes "10" for 0.0.0.10.
  if (isIP(entry.split('/', 1)[0] ?? '') === 0) return false
  try {
    proxyAddr.compile(entry)
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** The name of a request header (RFC 9110, 5.1), in lower case as Node keeps it. */
export function headerName(text: string): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(text)) throw new Unfit('must be the name of a header, such as CF-IPCountry')
  return text.toLowerCase()
}

/** One of a few words. */
export const oneOf =
  <const T extends string>(words: readonly T[]) =>
  (text: string): T => {
    const found = words.find((word) => word === text.toLowerCase())
    if (found === undefined) throw new Unfit(`must be one of ${words.join(', ')}`)
    return found
  }
