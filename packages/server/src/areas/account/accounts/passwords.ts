import { badRequest } from '@svc/contract/errors'
import { passwordMaxLength, passwordMinLength } from '@svc/contract/limits'
import { lazy } from '../../../lazy.js'
import { slots } from './slots.js'

/** Loaded at the first sign-in: a server without sign-ins does not need its ten megabytes. */
const argon2 = () => import('@node-rs/argon2')

/**
 * At most two hashes at a time in the process: they use two of the four threads in libuv's pool, which files need too. The
 * sign-in admits 34 at a time, a command hashes one.
 */
const hashing = slots(2, 64)

/** argon2id with the library's defaults, 19 MiB and two passes: the first choice of OWASP's password storage cheat sheet. */
export const hashPassword = (password: string): Promise<string> => hashing(async () => (await argon2()).hash(password))

/** @throws ApiError `bad_request` for a password that is too short or too long */
export function checkPassword(password: string): void {
  const length = Array.from(password).length
  if (length < passwordMinLength || length > passwordMaxLength)
    throw badRequest('password', `must have ${passwordMinLength} to ${passwordMaxLength} characters, not ${length}`)
}

/**
 * The limits of a stored hash: above what svc makes, far below what delays other sign-ins. A hash comes from the file of an import, too: with
 * 512 MiB and thirty passes, each sign-in took 20 seconds.
 */
const costMax = { memoryKib: 65_536, passes: 4, lanes: 4 } as const

/** The PHC string of argon2id: 8 to 48 bytes of salt, 16 to 64 bytes of hash, in base64 without padding. */
const phcForm = /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{22,86}$/

/** Whether a text is a hash of a password that a sign-in may verify. */
export function isPasswordHash(text: string): boolean {
  const [, memory, passes, lanes] = (phcForm.exec(text) ?? []).map(Number)
  if (memory === undefined || passes === undefined || lanes === undefined) return false
  // RFC 9106, section 3.1: at least one pass and one lane, and eight KiB for each lane.
  const isAboveMin = passes >= 1 && lanes >= 1 && memory >= 8 * lanes
  return isAboveMin && memory <= costMax.memoryKib && passes <= costMax.passes && lanes <= costMax.lanes
}

/** Verified for an email without an account, so that the answer takes as long as for an email with one. */
const decoyHash = lazy(() => hashPassword('a password without an account'))

/**
 * @param passwordHash undefined for an unknown account: then the result is false, after the same time, as for a hash that `isPasswordHash`
 * rejects
 */
export async function isPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const decoy = await decoyHash()
  const usable = passwordHash !== undefined && isPasswordHash(passwordHash) ? passwordHash : undefined
  const isRight = await hashing(async () => (await argon2()).verify(usable ?? decoy, password))
  return isRight && usable !== undefined
}
