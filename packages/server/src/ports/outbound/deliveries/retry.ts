import type { TargetAnswer } from '../port.js'
import { retryAfterMs } from '../../../shared/retry-after.js'

/** Milliseconds between the attempts of a delivery. After the last one it has failed. */
export const defaultBackoff: readonly number[] = [5, 30, 120, 600, 3_600, 10_800, 43_200].map(
  (seconds) => seconds * 1000,
)

/** Where a delivery stands on its way to the target. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed'

/** Where a delivery stands after an attempt. */
export interface Outcome {
  readonly state: DeliveryState
  /** Null if there is no further attempt. */
  readonly dueAt: number | null
  /** The target takes no request of the webhook before; null if it has not said so. */
  readonly pausedUntil: number | null
  readonly status: number | null
  /** One sentence; null after a success. */
  readonly error: string | null
}

/** The result of an attempt: the head of the answer, or why there is no answer. */
type Attempt = Pick<TargetAnswer, 'status' | 'retryAfter'> | { readonly error: string }

/** The answer of a target that wants no further attempt (RFC 9110, section 15.5.11). */
const gone = 410

/** The longest `Retry-After` that counts: a mistake of the target does not stop its webhook for days. */
const retryAfterMaxMs = 3_600_000

/** The end of a stored pause, in milliseconds since the epoch. A row of an archive, or of a clock that was wrong, counts no longer. */
export const endOfPause = (pausedUntil: number | null, now: number): number =>
  Math.min(pausedUntil ?? 0, now + retryAfterMaxMs)

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/**
 * Decides what follows an attempt: 2xx is a success, 410 ends the delivery, and after any other result it is repeated,
 * not before the time that the target gives in `Retry-After`.
 * @param attempts with this one
 * @param random from 0 to 1: spreads the retries of many deliveries, by up to a tenth of the wait in both directions
 */
export function outcomeOf(
  attempt: Attempt,
  attempts: number,
  { now, random, backoff }: { readonly now: number; readonly random: number; readonly backoff: readonly number[] },
): Outcome {
  const status = 'status' in attempt ? attempt.status : null
  if (status !== null && isSuccess(status))
    return { state: 'delivered', dueAt: null, pausedUntil: null, status, error: null }
  const error = 'error' in attempt ? attempt.error : `The target answered ${String(attempt.status)}.`
  const wait = status === gone ? undefined : backoff[attempts - 1]
  const wanted = retryAfterMs('retryAfter' in attempt ? attempt.retryAfter : undefined, now) ?? 0
  const retryAfter = Math.min(wanted, retryAfterMaxMs)
  const pausedUntil = retryAfter === 0 ? null : now + retryAfter
  if (wait === undefined) return { state: 'failed', dueAt: null, pausedUntil, status, error }
  const dueAt = now + Math.max(retryAfter, Math.round(wait * (0.9 + random / 5)))
  return { state: 'waiting', dueAt, pausedUntil, status, error }
}
