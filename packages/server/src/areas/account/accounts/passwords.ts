import { randomBytes } from 'node:crypto'
import { badRequest } from '@svc/contract/errors'
import { passwordMaxLength, passwordMinLength } from '@svc/contract/limits'
import { lazy } from '../../../shared/lazy.js'
import { isPasswordHash } from './password-hash.js'
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

/** The hash of a random password, which no one knows. */
export const unusablePasswordHash = (): Promise<string> => hashPassword(randomBytes(32).toString('base64url'))

/** @throws ApiError `bad_request` for a password that is too short or too long */
export function checkPassword(password: string): void {
  const length = Array.from(password).length
  if (length < passwordMinLength || length > passwordMaxLength)
    throw badRequest('password', `must have ${passwordMinLength} to ${passwordMaxLength} characters, not ${length}`)
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
