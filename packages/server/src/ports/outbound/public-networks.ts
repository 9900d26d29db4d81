import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { isIpv4, parseIpAddress, type IpAddress } from '../../shared/ip-address.js'
import { publicAddress } from '../../shared/special-addresses.js'

/** A network: its address, and how many bits of it count. */
type Network = [IpAddress, number]

/** IPv4 addresses behind a NAT64 gateway (RFC 6052, section 2.1): networks without IPv4 reach public servers through it. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Whether a URL of a user may reach all of these addresses. */
export type AreReachable = (...addresses: readonly string[]) => boolean

/**
 * Decides which addresses a URL of a user may reach: those of the public internet, except those of this machine, and those in the
 * allowed networks.
 * @param allowed networks in CIDR notation
 */
export function reachableAddresses(allowed: readonly string[]): AreReachable {
  const networks = allowed.map((network): Network => ipaddr.parseCIDR(network))
  const isReachable = (text: string, own: ReadonlySet<string>): boolean => {
    const address = parseIpAddress(text)
    if (address === undefined) return false
    const reached = embeddedIpv4(address) ?? address
    if (networks.some((network) => contains(network, reached))) return true
    const shared = publicAddress(reached.toString())
    return shared !== undefined && !own.has(shared)
  }
  return (...addresses) => {
    // At each call, because the addresses of a machine change.
    const own = ownAddresses()
    return addresses.every((address) => isReachable(address, own))
  }
}

const contains = ([address, bits]: Network, reached: IpAddress): boolean =>
  address.kind() === reached.kind() && reached.match(address, bits)

function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  if (isIpv4(address) || !address.match(nat64)) return undefined
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

const ownAddresses = (): ReadonlySet<string> =>
  new Set(
    Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).flatMap(({ address }) => parseIpAddress(address)?.toString() ?? []),
    ),
  )
