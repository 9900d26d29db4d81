import { isIPv6 } from 'node:net'
import { networkOf, wideNetworkOf } from '../../../shared/network-of.js'
import { digest } from '../secrets.js'

/** Rules for failed sign-ins: each failure makes the caller wait longer, until a day has passed without one. */

/** Failures are counted by network and email, by email, and by network; those of a known browser by its cookie alone. */
export interface Counter {
  /** A digest: emails and addresses are not stored. */
  readonly key: Uint8Array
  /** The digest of the email that the counter delays; null for a counter of a network alone. */
  readonly email: Uint8Array | null
  /** How many failures have no wait. */
  readonly free: number
  /** Whether failures are forgiven one by one as time passes. */
  readonly isForgiven: boolean
  /**
   * Whether several people may share the counter. Then a success removes only the failure that was counted for its own attempt: an
   * attacker cannot reset the counter with their own account.
   */
  readonly isShared: boolean
  /** Another counter of the same attempt: this one counts only the first failures of that one. */
  readonly onlyFirstOf?: Uint8Array
}

const longestWaitMs = 15 * 60 * 1000

/** A counter is forgotten this long after its last wait. */
export const forgetAfterMs = 24 * 60 * 60 * 1000

/** How many failures one network adds to the counter of an email, which delays all other networks. */
export const addedByNetworkMax = 3

/** One second after the first failure beyond the free ones, doubled by each further one, at most 15 minutes. */
export const waitAfter = (failures: number, free: number): number =>
  failures <= free ? 0 : Math.min(1000 * 2 ** (failures - free - 1), longestWaitMs)

/** One failure is forgiven in this time, so that the daily mistakes of an office never reach its limit. */
export const forgiveEveryMs = 10 * 60 * 1000

/**
 * Forgives failures for the time that has passed.
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
 * network. The counter of network and email has a low limit, because it delays no other network. The others have higher limits: they
 * also delay the owner of the email or the neighbours in the network. So one network adds only its first failures to that of the email.
 * That one is the first in the list: transactions that lock several counters of an email wait for each other there.
 */
export function countersOf(email: string, ip: string): Counter[] {
  const [source, wide] = [sourceOf(ip), wideNetworkOf(ip)]
  const ofEmail = { email: emailKey(email), isForgiven: false, isShared: false }
  const ofNetwork = { email: null, isForgiven: true, isShared: true }
  const added = digest(`added\n${wide}\n${email}`)
  return [
    { ...ofEmail, key: emailKey(email), free: 20, isForgiven: true, onlyFirstOf: added },
    { ...ofEmail, key: digest(`from\n${source}\n${email}`), free: 3 },
    { ...ofEmail, key: added, free: Infinity },
    { ...ofNetwork, key: digest(`network\n${source}`), free: 30 },
    ...(isIPv6(ip) ? [{ ...ofNetwork, key: digest(`network\n${wide}`), free: 120 }] : []),
  ]
}

/** The counter of a browser that has signed in as the owner of an email: guesses of others do not delay it. */
export const countersOfDevice = (email: string, deviceId: string): Counter[] => [
  { key: digest(`device\n${deviceId}`), email: emailKey(email), free: 10, isForgiven: false, isShared: false },
]

/** Identifies the counters that delay an email. */
export const emailKey = (email: string): Buffer => digest(`email\n${email}`)

/**
 * The network of an address for these counters. For IPv6 the /64, which one subscriber has (RFC 6177). For IPv4 the single
 * address: the addresses of a /24 have different owners, and one address may already have many users (RFC 6598).
 */
export const sourceOf = (ip: string): string => (isIPv6(ip) ? networkOf(ip) : ip)
