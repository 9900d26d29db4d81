import { isIPv6 } from 'node:net'
import { networkOf } from '../../../network-of.js'
import { digest } from '../secrets.js'

/** Rules for failed sign-ins: each failure makes the caller wait longer, until a day has passed without one. */

/** Failures are counted by network and email, by email, and by network. */
export interface Counter {
  /** A digest: emails and addresses are not stored. */
  readonly key: Uint8Array
  /** How many failures have no wait. */
  readonly free: number
  /**
   * Whether several people may share the counter. Then failures are forgiven one by one as time passes, and a success removes
   * only the failure that was counted for its own attempt: an attacker cannot reset the counter with their own account.
   */
  readonly isShared: boolean
}

const longestWaitMs = 15 * 60 * 1000

/** A counter is forgotten this long after its last wait. */
export const forgetAfterMs = 24 * 60 * 60 * 1000

/** One second after the first failure beyond the free ones, doubled by each further one, at most 15 minutes. */
export const waitAfter = (failures: number, free: number): number =>
  failures <= free ? 0 : Math.min(1000 * 2 ** (failures - free - 1), longestWaitMs)

/** A shared counter forgives one failure in this time, so that the daily mistakes of an office never reach its limit. */
const forgiveEveryMs = 10 * 60 * 1000

/**
 * Forgives the failures of a shared counter for the time that has passed.
 * @param failures including the current attempt
 * @param since milliseconds since the epoch: the time up to which failures are already forgiven
 * @returns the remaining failures, at least one, and the new `since`
 */
export function forgive(failures: number, since: number, now: number): { failures: number; since: number } {
  const forgiven = Math.max(0, Math.floor((now - since) / forgiveEveryMs))
  if (forgiven >= failures - 1) return { failures: 1, since: now }
  return { failures: failures - forgiven, since: since + forgiven * forgiveEveryMs }
}

/**
 * The counters of a sign-in. Attacks guess one email from one network, one email from many networks, or many emails from one
 * network. The first counter has a low limit, because it delays no other network. The others have higher limits: they also
 * delay the owner of the email or the neighbours in the network.
 */
export const countersOf = (email: string, ip: string): Counter[] => [
  { key: digest(`from\n${sourceOf(ip)}\n${email}`), free: 3, isShared: false },
  { key: digest(`email\n${email}`), free: 20, isShared: false },
  { key: digest(`network\n${sourceOf(ip)}`), free: 30, isShared: true },
]

/**
 * The network of an address for these counters. For IPv6 the /64, which one subscriber has (RFC 6177). For IPv4 the single
 * address: the addresses of a /24 have different owners, and one address may already have many users (RFC 6598).
 */
export const sourceOf = (ip: string): string => (isIPv6(ip) ? networkOf(ip) : ip)
