import { isIP } from 'node:net'
import { parseUrl } from '../../shared/parse-url.js'

/**
 * Ports from 1024 that browsers refuse (Fetch standard, "bad port"): servers of other protocols could take a line of the request for
 * a command.
 */
const badPorts = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
])

const isGoodPort = (port: number): boolean => port === 80 || port === 443 || (port >= 1024 && !badPorts.has(port))

/** An address as the host of a URL, without brackets; undefined for a name. The URL standard has made 0x7f.1 to 127.0.0.1. */
export function literalAddress({ hostname }: Pick<URL, 'hostname'>): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? undefined : host
}

/**
 * @param isReachable for a URL with an address instead of a name
 * @returns what is wrong with the URL as the target of requests; undefined if nothing is
 */
export function targetProblem(text: string, isReachable: (address: string) => boolean): string | undefined {
  const url = parseUrl(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return 'must be an http or https URL, such as https://example.com/hook'
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password'
  const port = url.port === '' ? undefined : Number(url.port)
  if (port !== undefined && !isGoodPort(port)) return `must not use port ${url.port}; use 80, 443 or one from 1024`
  const address = literalAddress(url)
  if (address !== undefined && !isReachable(address)) return notPublic
  return undefined
}

export const notPublic = 'must not lead to a private or special address (the operator can allow it: SVC_OUTBOUND_ALLOW)'
