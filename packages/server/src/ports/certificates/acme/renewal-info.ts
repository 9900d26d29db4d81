import { AcmeError, fieldsOf } from './errors.js'
import type { AcmeAnswer } from './session.js'

/** When a CA wants a certificate to be renewed (RFC 9773, section 4.2). */
export interface RenewalInfo {
  /** Milliseconds since the epoch. It may be over: then the certificate is to be renewed now. */
  readonly start: number
  /** Later than `start`. */
  readonly end: number
  /** Milliseconds until the CA is to be asked again. */
  readonly askAgainMs: number
  /** A page of the CA about the reason, such as an incident. */
  readonly explanationUrl: string | undefined
}

/** Bounds of `Retry-After` (RFC 9773, section 4.3), and the wait if it is missing, in milliseconds. */
const askAgainMinMs = 60_000
const askAgainMaxMs = 86_400_000
const askAgainDefaultMs = 6 * 3_600_000

const urlMaxLength = 500

/** @throws AcmeError `unusable_answer` for an answer without a window */
export function readRenewalInfo({
  json,
  waitMs = askAgainDefaultMs,
}: Pick<AcmeAnswer, 'json' | 'waitMs'>): RenewalInfo {
  const { suggestedWindow, explanationURL: explanation } = json
  const window = fieldsOf(suggestedWindow)
  const [start, end] = [timeOf(window['start']), timeOf(window['end'])]
  if (!(end > start)) throw new AcmeError('unusable_answer', 'The CA gave a renewal window that is not one.')
  const isUrl =
    typeof explanation === 'string' && explanation.length <= urlMaxLength && /^https?:\/\/[!-~]+$/.test(explanation)
  return {
    start,
    end,
    askAgainMs: Math.min(Math.max(waitMs, askAgainMinMs), askAgainMaxMs),
    explanationUrl: isUrl ? explanation : undefined,
  }
}

/** @returns NaN for a value that is not a time */
const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : NaN)
