import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isIpv4, parseIpAddress, type IpAddress } from './ip-address.js'

/** A network of IP addresses: an address in it, and the length of its prefix in bits. */
export type IpNetwork = readonly [address: IpAddress, bits: number]

const mappedBits = 96

/**
 * Parses an address or a network in CIDR notation: `10.0.0.5`, `192.168.1.0/24`, `fd00::/8`. A network of IPv4-mapped addresses is
 * returned as IPv4, as `parseIpAddress` does.
 * @returns undefined for any other text
 */
export function parseNetwork(text: string): IpNetwork | undefined {
  const [address = '', length, ...rest] = text.split('/')
  // ipaddr.js also parses spellings such as 10.1, which programs read differently (RFC 6943, section 3.1.1).
  const version = isIP(address)
  if (version === 0 || address.includes('%') || rest.length > 0) return undefined
  const cidr = `${address}/${length ?? (version === 4 ? '32' : '128')}`
  if (!ipaddr.isValidCIDR(cidr)) return undefined
  const bits = ipaddr.parseCIDR(cidr)[1]
  const parsed = parseIpAddress(address)
  if (parsed === undefined) return undefined
  if (version === 4 || !isIpv4(parsed)) return [parsed, bits]
  return bits < mappedBits ? undefined : [parsed, bits - mappedBits]
}

/** The canonical text: `192.168.1.0/24` for 192.168.1.7/24. */
export function formatNetwork([address, bits]: IpNetwork): string {
  const cidr = `${address.toString()}/${String(bits)}`
  const first = isIpv4(address) ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr)
  return `${first.toString()}/${String(bits)}`
}

/** Whether an address is in one of the networks. @param address of a client; other texts are in none */
export function isInNetworks(address: string, networks: readonly IpNetwork[]): boolean {
  const parsed = parseIpAddress(address)
  return parsed !== undefined && networks.some(([first, bits]) => isInNetwork(parsed, first, bits))
}

const isInNetwork = (address: IpAddress, first: IpAddress, bits: number): boolean =>
  isIpv4(address) ? isIpv4(first) && address.match(first, bits) : !isIpv4(first) && address.match(first, bits)
