import { randomBytes, timingSafeEqual } from 'node:crypto'
import { badRequest } from '@svc/contract/errors'
import { digest } from '../secrets.js'
import { tryAgain } from '../sign-in/try-again.js'
import type { StoredCode } from './store.js'

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

/** A code as it is printed, such as 7KQF-M2XA, and its hash. */
export interface NewCode {
  readonly code: string
  readonly hash: Buffer
}

export function newCode(): NewCode {
  const code = Array.from(randomBytes(codeLength), (byte) => alphabet.charAt(byte % alphabet.length)).join('')
  return { code: `${code.slice(0, codeLength / 2)}-${code.slice(codeLength / 2)}`, hash: digest(code) }
}

/**
 * The codes that prove that a visitor of an empty server can read its output: the one that this process has printed at its start, of which
 * only the hash is kept, in its memory, and the stored one of `svc setup-code`, which ends all that were printed before.
 * @param now milliseconds, for tests
 */
export function setupCode(now: () => number = Date.now) {
  /** The code of this process, and the stored version at that time. */
  let issued: { readonly hash: Buffer; readonly version: number } | undefined
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

  const acceptedWith = (stored: StoredCode): Uint8Array[] => {
    const own = issued?.version === stored.version ? [issued.hash] : []
    return stored.hash === null ? own : [stored.hash, ...own]
  }

  return {
    /** @returns a new code, such as 7KQF-M2XA; the one that this process has issued before is no longer accepted */
    issue({ version }: StoredCode): string {
      const { code, hash } = newCode()
      issued = { hash, version }
      return code
    },

    /** Whether any code is accepted. */
    isIssued: (stored: StoredCode): boolean => acceptedWith(stored).length > 0,

    /** From now on, the code of this process is not accepted. */
    discard(): void {
      issued = undefined
      failures.clear()
    },

    /**
     * Checks a code as a person has typed it.
     * @param network of the caller
     * @throws ApiError `bad_request` for a wrong code; `unauthorized` with Retry-After after too many of them, also for the right one
     */
    check(given: string, network: string, stored: StoredCode): void {
      const time = now()
      const known = failuresOf(network, time)
      if (known.wrong >= wrongMax) throw tryAgain('Too many codes were wrong', Math.ceil((known.until - time) / 1000))
      const typed = digest(given.toUpperCase().replace(/[\s-]/g, ''))
      if (acceptedWith(stored).some((hash) => timingSafeEqual(typed, hash))) return
      remember(network, known)
      throw badRequest('code', 'must be the code that svc serve or svc setup-code printed last')
    },
  }
}

export type SetupCode = ReturnType<typeof setupCode>
