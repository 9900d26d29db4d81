import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'
import type { Secondary } from '../ports/dns/transfers/options.js'
import { shown } from './mask.js'
import { addressAndPort, list } from './parsers.js'
import { InvalidSetting } from './setting.js'

/** Parses a list. @param parse returns undefined for an entry that is not one of `what` */
const listOf =
  (what: string, parse: (entry: string) => string | undefined) =>
  (text: string): readonly string[] => {
    const entries = list(text).map((entry) => {
      const value = parse(entry)
      if (value === undefined) throw new InvalidSetting(`must list ${what}; ${shown(entry)} is not one`)
      return value
    })
    return [...new Set(entries)]
  }

/** Addresses and networks. @returns each in CIDR notation */
export const networks = listOf(
  'addresses and networks such as 10.0.0.5, 192.168.1.0/24 or fd00::/8, separated by commas',
  (entry) => {
    const [address = '', bits, ...rest] = entry.split('/')
    // ipaddr.js also parses spellings such as 10.1, which programs read differently (RFC 6943, section 3.1.1).
    const version = isIP(address)
    const cidr = bits === undefined ? `${address}/${version === 4 ? '32' : '128'}` : `${address}/${bits}`
    const isNetwork = version !== 0 && rest.length === 0 && !address.includes('%') && ipaddr.isValidCIDR(cidr)
    return isNetwork ? cidr : undefined
  },
)

const rangeNames = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses, networks and names of networks. @returns the argument of `compile` of @fastify/proxy-addr */
export const proxies = listOf(
  `addresses, networks such as 10.0.0.0/8, or ${rangeNames.join(', ')}, separated by commas`,
  (entry) => (isProxyRange(entry) ? entry : undefined),
)

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

/** Addresses of resolvers, with or without a port. @returns each as `ip:port` or `[ip]:port` */
export const resolverAddresses = listOf(
  'addresses such as 192.0.2.1, 192.0.2.1:5353 or [2001:db8::1]:53, separated by commas',
  (entry) => {
    const parsed = addressAndPort(entry)
    if (parsed === undefined) return undefined
    const { host, port } = parsed
    return host.includes(':') ? `[${host}]:${String(port)}` : `${host}:${String(port)}`
  },
)

/** Parses `addr[:port][#key]`, separated by commas. */
export function secondaries(text: string): readonly Secondary[] {
  return list(text).map((entry) => {
    const [where = '', key, ...rest] = entry.split('#')
    const parsed = addressAndPort(where)
    if (parsed === undefined || key === '' || rest.length > 0)
      throw new InvalidSetting(
        `must list addresses such as 192.0.2.53, 192.0.2.53:5300#ns2.key or [2001:db8::53]:53, separated by commas; ${shown(entry)} is not one`,
      )
    return { address: parsed.host, port: parsed.port, key: key?.toLowerCase().replace(/\.$/, '') }
  })
}

const ipAddresses = listOf('addresses such as 192.0.2.1,2001:db8::1', (entry) =>
  isIP(entry) === 0 ? undefined : entry,
)

/** More would fill a DNS answer. */
const addressesMax = 8

/** IP addresses for the DNS records of a name. */
export function addresses(text: string): readonly string[] {
  const entries = ipAddresses(text)
  if (entries.length > addressesMax) throw new InvalidSetting(`must list at most ${String(addressesMax)} addresses`)
  return entries
}
