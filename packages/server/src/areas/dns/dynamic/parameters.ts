import { parseName } from '../../../ports/dns/presentation/name.js'
import { recordTypeRules } from '../../../ports/dns/types/index.js'
import { isIpv4, parseIpAddress } from '../../../shared/ip-address.js'

/** The parameters of an update of addresses, as its clients send them: docs/dynamic-dns.md. Pure. */

/** The types of records that an update sets. */
export const addressTypes = ['A', 'AAAA'] as const
export type AddressType = (typeof addressTypes)[number]

/** The addresses of an update, in the canonical form of records. Those of a missing type stay. */
export type Addresses = Readonly<Partial<Record<AddressType, string>>>

/** Ranges of addresses that lead to no host: routers without an address send some of them. Names of ipaddr.js. */
const useless = new Set(['unspecified', 'broadcast', 'multicast', 'linkLocal'])

/** Any of them may have addresses of both types, separated by commas. */
const addressParameters = ['myip', 'myipv4', 'myipv6', 'ip', 'ipv4', 'ipv6']

const listOf = (parameters: URLSearchParams, name: string): string[] =>
  parameters
    .getAll(name)
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')

/**
 * The addresses that a client asks for. Routers send empty parameters for an address that they do not have.
 * @param caller the address of the client, for a request without addresses
 * @returns undefined for a text that is not an address of a host, and for two addresses of one type
 */
export function wantedAddresses(parameters: URLSearchParams, caller: string): Addresses | undefined {
  const given = addressParameters.flatMap((name) => listOf(parameters, name))
  const wanted: Partial<Record<AddressType, string>> = {}
  for (const text of given.length === 0 ? [caller] : given) {
    const address = text.includes('%') ? undefined : parseIpAddress(text)
    if (address === undefined || useless.has(address.range())) return undefined
    const type = isIpv4(address) ? 'A' : 'AAAA'
    const value = recordTypeRules[type].canonicalize(address.toString())
    if ((wanted[type] ?? value) !== value) return undefined
    wanted[type] = value
  }
  return wanted
}

/** The host names that a client asks to update, as it has written them. */
export const wantedNames = (parameters: URLSearchParams): readonly string[] => listOf(parameters, 'hostname')

/** A full name in canonical form; undefined for any other text. */
export function canonicalFullName(given: string): string | undefined {
  const { labels = [] } = parseName(given, { underscores: true, wildcard: true })
  return labels.length < 2 || parseIpAddress(given) !== undefined ? undefined : labels.join('.')
}
