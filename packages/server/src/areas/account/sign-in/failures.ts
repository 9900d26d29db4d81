import { isIPv6 } from 'node:net'
import { networkOf } from '../../../network-of.js'
import { digest } from '../secrets.js'

/** After failures, sign-ins have to wait: longer with each, until a day without one. */

/** What failures are counted by. */
export interface Counter {
  /** A digest: what is counted may be somebody's address. */
  readonly key: Uint8Array
  /** How many failures cost nothing. */
  readonly free: number
  /**
   * Whether many people may be counted together. Their failures are forgiven one by one as time passes, and a success takes
   * back only the failure that its attempt was counted as: an attacker cannot reset the counter by a success with their own account.
   */
  readonly isShared: boolean
}

const longestWaitMs = 15 * 60 * 1000

/** A counter is forgotten this long after its last wait. */
export const forgetAfterMs = 24 * 60 * 60 * 1000

/** One second after the first failure that is not free, doubling with each further one, at most 15 minutes. */
export const waitAfter = (failures: number, free: number): number =>
  failures <= free ? 0 : Math.min(1000 * 2 ** (failures - free - 1), longestWaitMs)

/** A shared counter forgives one failure in this time: an office where some mistype every day never reaches its limit. */
const forgiveEveryMs = 10 * 60 * 1000

/**
 * The failures of a shared counter once time has forgiven some of them.
 * @param failures including the attempt that has just been counted
 * @param since milliseconds since the epoch, up to when failures were forgiven so far
 * @returns what remains, at least one, and up to when failures are forgiven now
 */
export function forgive(failures: number, since: number, now: number): { failures: number; since: number } {
  const forgiven = Math.max(0, Math.floor((now - since) / forgiveEveryMs))
  if (forgiven >= failures - 1) return { failures: 1, since: now }
  return { failures: failures - forgiven, since: since + forgiven * forgiveEveryMs }
}

/**
 * Attacks guess one email from one network, one email from many networks, or many emails from one network. The first
 * has a low limit, because it delays no other network. The others have higher limits: they also delay the owner or the neighbours.
 */
export const countersOf = (email: string, ip: string): Counter[] => [
  { key: digest(`from\n${sourceOf(ip)}\n${email}`), free: 3, isShared: false },
  { key: digest(`email\n${email}`), free: 20, isShared: false },
  { key: digest(`network\n${sourceOf(ip)}`), free: 30, isShared: true },
]

/**
 * The network that sign-ins from an address are counted by: for IPv6 the /64, which belongs to one subscriber (RFC 6177),
 * for IPv4 the single address. Neighbours in a /24 are strangers, and one address may already stand for many of them (RFC 6598).
 */
export const sourceOf = (ip: string): string => (isIPv6(ip) ? networkOf(ip) : ip)
