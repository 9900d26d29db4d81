import { bodyStartMaxBytes, type TargetAnswer } from '../port.js'

/** The most attempts that a delivery has with the default waits between them. */
export const attemptsMax = 8

/** How many attempts of a request are kept: those of its last two deliveries. */
export const attemptsKept = 2 * attemptsMax

/** The longest stored start of an answer, in characters: each byte becomes one at most. */
export const answerMaxLength = bodyStartMaxBytes

/** The result of an attempt: the answer of the target, or why there is none. */
export type AttemptResult = TargetAnswer | { readonly error: string }

/** An attempt as it is stored; its status and error are those of the outcome. */
export interface FinishedAttempt {
  readonly startedAt: number
  readonly durationMs: number
  /** The start of the answer's body; null without an answer. */
  readonly answer: string | null
}

/**
 * The start of an answer's body as text that both databases store. Any server can be a target: bytes that are not UTF-8, and NUL, become
 * U+FFFD. A character that the limit has cut is left out.
 */
export function answerText(start: Buffer): string {
  const isCut = start.length === bodyStartMaxBytes
  return new TextDecoder().decode(start, { stream: isCut }).replaceAll('\0', '\ufffd')
}
