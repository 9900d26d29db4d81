import type { DeliveryState } from '../../../db/webhook-tables.js'

/** Milliseconds between the attempts of a delivery. After the last one it has failed. */
export const usualBackoff: readonly number[] = [5, 30, 120, 600, 3_600, 10_800, 43_200].map((seconds) => seconds * 1000)

/** Where a delivery stands after an attempt. */
export interface Outcome {
  readonly state: DeliveryState
  /** Null if there is no further attempt. */
  readonly dueAt: number | null
  readonly status: number | null
  /** One sentence; null after a success. */
  readonly error: string | null
}

/** What an attempt resulted in: the status of the answer, or why the target gave none. */
export type Attempt = { readonly status: number } | { readonly error: string }

/** The answer of a target that wants no further attempt (RFC 9110, section 15.5.11). */
const gone = 410

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/**
 * Decides what follows an attempt: 2xx is a success, 410 ends the delivery, and after any other result it is repeated.
 * @param attempts with this one
 * @param random from 0 to 1: spreads the retries of many deliveries, by up to a tenth of the wait in both directions
 */
export function outcomeOf(
  attempt: Attempt,
  attempts: number,
  { now, random, backoff }: { readonly now: number; readonly random: number; readonly backoff: readonly number[] },
): Outcome {
  const status = 'status' in attempt ? attempt.status : null
  if (status !== null && isSuccess(status)) return { state: 'delivered', dueAt: null, status, error: null }
  const error = 'error' in attempt ? attempt.error : `The target answered ${String(attempt.status)}.`
  const wait = status === gone ? undefined : backoff[attempts - 1]
  if (wait === undefined) return { state: 'failed', dueAt: null, status, error }
  return { state: 'waiting', dueAt: now + Math.round(wait * (0.9 + random / 5)), status, error }
}
