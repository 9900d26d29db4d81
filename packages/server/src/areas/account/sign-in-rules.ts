import { digest } from './secrets.js'

/** After failures, sign-ins have to wait: longer with each, until a day without one. */

/** What failures are counted by. */
export interface Counter {
  /** A digest: what is counted may be somebody's address. */
  readonly key: Uint8Array
  /** How many failures cost nothing. */
  readonly free: number
}

const longestWaitMs = 15 * 60 * 1000

/** A counter is forgotten this long after its last wait. */
export const forgetAfterMs = 24 * 60 * 60 * 1000

/** One second after the first failure that is not free, doubling with each further one, at most 15 minutes. */
export const waitAfter = (failures: number, free: number): number =>
  failures <= free ? 0 : Math.min(1000 * 2 ** (failures - free - 1), longestWaitMs)

/**
 * An email is guessed at from one network, or from many. The first is stopped early and holds up nobody elsewhere; the
 * second is allowed more, because it holds up the owner too.
 */
export const countersOf = (email: string, ip: string): Counter[] => [
  { key: digest(`from\n${networkOf(ip)}\n${email}`), free: 3 },
  { key: digest(`email\n${email}`), free: 20 },
]

/** Whoever has an IPv6 address has a whole /64 of them. */
const networkOf = (ip: string): string => (ip.includes(':') ? expanded(ip).slice(0, 4).join(':') : ip)

function expanded(ip: string): string[] {
  const [head = '', tail] = ip.split('::')
  const left = head === '' ? [] : head.split(':')
  if (tail === undefined) return left
  const right = tail === '' ? [] : tail.split(':')
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right]
}
