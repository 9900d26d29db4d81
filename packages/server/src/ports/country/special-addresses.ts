import { BlockList, isIP, SocketAddress } from 'node:net'

/**
 * Addresses that belong to no place: the IANA special-purpose registries (iana-ipv4-special-registry and
 * iana-ipv6-special-registry), multicast (RFC 5771, RFC 4291), and what RFC 4291 and RFC 3879 have retired.
 */
const special = new BlockList()

for (const [network, prefix] of [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared: carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays, retired
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
] as const)
  special.addSubnet(network, prefix, 'ipv4')

for (const [network, prefix] of [
  ['::', 96], // unspecified, loopback, IPv4-compatible (retired): MMDB files keep the IPv4 tree here
  ['64:ff9b::', 96], // NAT64
  ['64:ff9b:1::', 48], // NAT64, local use
  ['100::', 64], // discard
  ['100:0:0:1::', 64], // dummy prefix
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID and others
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: MMDB files may point it at the IPv4 tree
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
  ['5f00::', 16], // segment routing
  ['fc00::', 7], // unique local
  ['fe80::', 10], // link-local
  ['fec0::', 10], // site-local, retired
  ['ff00::', 8], // multicast
] as const)
  special.addSubnet(network, prefix, 'ipv6')

/** The address to look up: canonical, IPv4 where it is mapped (RFC 4291, 2.5.5.2); undefined for special ones and non-addresses. */
export function publicAddress(ip: string): string | undefined {
  const version = isIP(ip)
  if (version === 0) return undefined
  // Knows all spellings of IPv6, and gives back the one with dots for mapped addresses.
  const plain =
    version === 4 ? ip : new SocketAddress({ address: ip, family: 'ipv6' }).address.replace(/^::ffff:(?=.*\.)/, '')
  return special.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6') ? undefined : plain
}
