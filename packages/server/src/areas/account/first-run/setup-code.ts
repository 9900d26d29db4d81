import { randomBytes, timingSafeEqual } from 'node:crypto'
import { badRequest } from '@svc/contract/errors'
import { digest } from '../secrets.js'
import { tryAgain } from '../sign-in/try-again.js'

/** 32 characters without I, O, 0 and 1, which look alike: five bits each. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** 40 bits: at ten guesses a minute, the average attack takes a hundred thousand years. */
const codeLength = 8

/** Wrong codes within `windowMs`, from all clients. */
const wrongMax = 10
const windowMs = 60_000

/**
 * The code that proves that a visitor of an empty server can read its output. Only its hash is kept, in the memory of this process.
 * @param now milliseconds, for tests
 */
export function setupCode(now: () => number = Date.now) {
  let expected: Buffer | undefined
  let wrong = 0
  let windowEnds = 0

  return {
    /** @returns a new code, such as 7KQF-M2XA; the one before is no longer accepted */
    issue(): string {
      const code = Array.from(randomBytes(codeLength), (byte) => alphabet.charAt(byte % alphabet.length)).join('')
      expected = digest(code)
      return `${code.slice(0, codeLength / 2)}-${code.slice(codeLength / 2)}`
    },

    isIssued: (): boolean => expected !== undefined,

    /** From now on, no code is accepted. */
    discard(): void {
      expected = undefined
    },

    /**
     * Checks a code as a person has typed it.
     * @throws ApiError `bad_request` for a wrong code; `unauthorized` with Retry-After after too many of them, also for the right one
     */
    check(given: string): void {
      const time = now()
      if (time >= windowEnds) wrong = 0
      if (wrong >= wrongMax) throw tryAgain('Too many codes were wrong', Math.ceil((windowEnds - time) / 1000))
      const typed = digest(given.toUpperCase().replace(/[\s-]/g, ''))
      if (expected !== undefined && timingSafeEqual(typed, expected)) return
      if (wrong === 0) windowEnds = time + windowMs
      wrong++
      throw badRequest('code', 'must be the code that this server printed at its last start')
    },
  }
}

export type SetupCode = ReturnType<typeof setupCode>
