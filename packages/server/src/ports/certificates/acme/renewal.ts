import type { RenewalInfo } from './renewal-info.js'

/** When certificates are renewed, and when orders that failed are repeated. Pure; all times are milliseconds since the epoch. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A certificate that was ordered. */
export interface Life {
  /** When it came, on the clock of this server. */
  readonly orderedAt: number
  readonly validFrom: number
  readonly validUntil: number
}

const earliestMs = 10_000

/** Certificates with a shorter life are renewed after half of it, as Let's Encrypt asks: otherwise a CA that is down for two days takes them away. */
const shortLifeMs = 10 * dayMs

/**
 * When a certificate is renewed: in the window of the CA, or after two thirds of its life (half of a short one). Never right after its order, or a CA whose
 * windows are always over, or that issues expired certificates, would get one order after another. And before it expires.
 * @param random from 0 to 1: spreads the renewals of many certificates
 */
export function renewalTime(
  { orderedAt, validFrom, validUntil }: Life,
  info: Pick<RenewalInfo, 'start' | 'end'> | undefined,
  random: number,
): number {
  const life = validUntil - validFrom
  const part = life < shortLifeMs ? 1 / 2 : 2 / 3
  const chosen =
    info === undefined
      ? validFrom + life * part - (life / 30) * random
      : // RFC 9773, section 4.2.
        info.start + random * (info.end - info.start)
  const earliest = orderedAt + Math.max(Math.min(life / 10, dayMs), earliestMs)
  return Math.max(Math.min(chosen, validUntil - life / 10), earliest)
}

/**
 * The waits after failures; the last one is repeated. The first one is short, because a failure may pass, such as that of a proof which a busy
 * process shows late. Let's Encrypt allows five failed validations of a name in an hour: these are four.
 */
const waits = [10_000, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 8 * hourMs, 24 * hourMs, 72 * hourMs]

/** The longest wait near the end of a certificate. */
const nearEndMs = 30 * minuteMs

/** The longest wait if the CA was not asked. */
const ownMs = hourMs

/** Attempts without the CA count up to here: the first failure at the CA after them must not wait for days. */
const ownFailuresMax = 3

/**
 * The failures in a row, with one more.
 * @param isOwn whether the CA was not asked
 */
export const failuresAfter = (failures: number, isOwn: boolean): number =>
  isOwn ? Math.max(failures, Math.min(failures + 1, ownFailuresMax)) : failures + 1

/**
 * When an order that failed is repeated: the sooner, the nearer the end of the certificate is.
 * @param failures in a row, with this one
 * @param retryAt when the CA takes requests again; undefined if it has not said it
 * @param validUntil of the certificate that is to be replaced; undefined without one
 * @param isOwn whether the CA was not asked, because a name does not lead to this server
 */
export function retryTime(
  failures: number,
  {
    now,
    random,
    retryAt = 0,
    validUntil,
    isOwn = false,
  }: {
    readonly now: number
    readonly random: number
    readonly retryAt?: number | undefined
    readonly validUntil: number | undefined
    readonly isOwn?: boolean
  },
): number {
  // After the end, the waits become longer again.
  const longest = validUntil === undefined ? Infinity : Math.max(Math.abs(validUntil - now) / 8, nearEndMs)
  const wait = Math.min(waits[Math.min(failures, waits.length) - 1] ?? 0, longest, isOwn ? ownMs : Infinity)
  return Math.max(now + wait * (0.9 + random / 5), retryAt)
}
