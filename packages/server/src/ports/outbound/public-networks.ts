import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { isIpv4, parseIpAddress, type IpAddress } from '../../shared/ip-address.js'
import { publicAddress } from '../../shared/special-addresses.js'

/** A network: its address, and how many bits of it count. */
type Network = [IpAddress, number]

/** IPv4 addresses behind a NAT64 gateway (RFC 6052, section 2.1): networks without IPv4 reach public servers through it. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Decides which addresses a URL of a user may reach: those of the public internet, except those of this machine, and those in the
 * allowed networks.
 * @param allowed networks in CIDR notation
 */
export function reachableAddresses(allowed: readonly string[]): (address: string) => boolean {
  const networks = allowed.map((network): Network => ipaddr.parseCIDR(network))
  return (text) => {
    const address = parseIpAddress(text)
    if (address === undefined) return false
    const reached = embeddedIpv4(address) ?? address
    if (networks.some((network) => contains(network, reached))) return true
    const shared = publicAddress(reached.toString())
    return shared !== undefined && !isOwn(shared)
  }
}

const contains = ([address, bits]: Network, reached: IpAddress): boolean =>
  address.kind() === reached.kind() && reached.match(address, bits)

function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  if (isIpv4(address) || !address.match(nat64)) return undefined
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

/** Read at each call, because the addresses of a machine change. */
const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some((list) =>
    list?.some((own) => parseIpAddress(own.address)?.toString() === address),
  )
