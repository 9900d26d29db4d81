import { isIPv4, isIPv6 } from 'node:net'

/** The 4 octets of an IPv4 address in its usual spelling. */
export function ipv4Bytes(text: string): number[] {
  if (!isIPv4(text)) throw new RangeError(`${JSON.stringify(text)} is no IPv4 address.`)
  return text.split('.').map(Number)
}

/** The 8 groups of an IPv6 address in any spelling of RFC 4291, section 2.2. */
export function ipv6Groups(text: string): number[] {
  if (!isIPv6(text) || text.includes('%')) throw new RangeError(`${JSON.stringify(text)} is no IPv6 address.`)
  const [head = '', tail] = text.split('::')
  const before = groupsOf(head)
  if (tail === undefined) return before
  const after = groupsOf(tail)
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = ipv4Bytes(group)
    return [a * 256 + b, c * 256 + d]
  })
}

/** RFC 5952: by WHATWG's URL, which has all of it but the dots of mapped addresses (section 5). */
export function ipv6Text(groups: readonly number[]): string {
  const text = new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1)
  if (!/^::ffff:[^:]+:[^:]+$/.test(text)) return text
  return `::ffff:${groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')}`
}
