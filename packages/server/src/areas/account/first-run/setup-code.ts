import { randomBytes, timingSafeEqual } from 'node:crypto'
import { badRequest } from '@svc/contract/errors'
import { digest } from '../secrets.js'
import { tryAgain } from '../sign-in/try-again.js'

/** 32 characters without I, O, 0 and 1, which look alike: five bits each. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/**
 * 40 bits: from one network, the average attack takes a hundred thousand years. From so many networks that only the speed of the
 * server limits them, a thousand guesses a second find the code within a day with a chance of 1 in 12,000.
 */
const codeLength = 8

/** Wrong codes from one network within `windowMs`. There is no limit for all networks together: it would lock out the operator. */
const wrongMax = 10
const windowMs = 60_000

/** Networks that are remembered, for the memory. Beyond that, the one whose first wrong code is the oldest is forgotten. */
const networksMax = 10_000

interface Failures {
  wrong: number
  /** In milliseconds since the epoch. */
  readonly until: number
}

/**
 * The code that proves that a visitor of an empty server can read its output. Only its hash is kept, in the memory of this process.
 * @param now milliseconds, for tests
 */
export function setupCode(now: () => number = Date.now) {
  let expected: Buffer | undefined
  /** By network, in the order of their first wrong code. */
  const failures = new Map<string, Failures>()

  function failuresOf(network: string, time: number): Failures {
    const known = failures.get(network)
    if (known !== undefined && time < known.until) return known
    failures.delete(network)
    return { wrong: 0, until: time + windowMs }
  }

  function remember(network: string, known: Failures): void {
    known.wrong++
    failures.set(network, known)
    const [oldest] = failures.keys()
    if (failures.size > networksMax && oldest !== undefined) failures.delete(oldest)
  }

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
      failures.clear()
    },

    /**
     * Checks a code as a person has typed it.
     * @param network of the caller
     * @throws ApiError `bad_request` for a wrong code; `unauthorized` with Retry-After after too many of them, also for the right one
     */
    check(given: string, network: string): void {
      const time = now()
      const known = failuresOf(network, time)
      if (known.wrong >= wrongMax) throw tryAgain('Too many codes were wrong', Math.ceil((known.until - time) / 1000))
      const typed = digest(given.toUpperCase().replace(/[\s-]/g, ''))
      if (expected !== undefined && timingSafeEqual(typed, expected)) return
      remember(network, known)
      throw badRequest('code', 'must be the code that this server printed at its last start')
    },
  }
}

export type SetupCode = ReturnType<typeof setupCode>
