import { isIPv4, isIPv6 } from 'node:net'

/**
 * The network of an address, for limits per network: `192.0.2.0/24`, or `2001:db8:0:1::/64` (a subscriber has at least a
 * /64, RFC 6177). IPv4-mapped addresses (RFC 4291, section 2.5.5.2) count as IPv4, zone ids are ignored. A text that is not
 * an address is returned unchanged.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%', 1)
  if (isIPv4(plain)) return network4(plain.split('.'))
  if (!isIPv6(plain)) return address
  const groups = groupsOf(plain)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return network4(groups.slice(6).flatMap((group) => [String(group >> 8), String(group & 255)]))
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

const network4 = (octets: readonly string[]): string => `${octets.slice(0, 3).join('.')}.0/24`

/** The eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const before = parsed(head)
  if (tail === undefined) return before
  const after = parsed(tail)
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}

const parsed = (part: string): number[] =>
  part === '' ? [] : part.split(':').flatMap((group) => (group.includes('.') ? dotted(group) : [parseInt(group, 16)]))

/** The last 32 bits in the form `192.0.2.1`, as two groups. */
function dotted(group: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
  return [a * 256 + b, c * 256 + d]
}
