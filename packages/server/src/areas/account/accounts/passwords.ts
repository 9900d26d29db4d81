import { badRequest } from '@svc/contract'
import { lazy } from '../../../lazy.js'
import { slots } from './slots.js'

/** NIST SP 800-63B, 5.1.1.2: at least eight characters, no rules on which. */
const shortest = 8
const longest = 1024

/** Loaded at the first sign-in: ten megabytes that a server which only serves tokens never needs. */
const argon2 = () => import('@node-rs/argon2')

/**
 * Two hashes at a time in the whole process: they run in libuv's pool of four threads, and files are read there too. The
 * sign-in admits 34 at a time, and the commands hash one.
 */
const hashing = slots(2, 64)

/** argon2id with the library's defaults, 19 MiB and two passes: the first choice of OWASP's password storage cheat sheet. */
export const hashPassword = (password: string): Promise<string> => hashing(async () => (await argon2()).hash(password))

/** @throws ApiError `bad_request` for a password that is too short or too long */
export function checkPassword(password: string): void {
  const length = Array.from(password).length
  if (length < shortest || length > longest)
    throw badRequest(
      'password',
      `must have ${String(shortest)} to ${String(longest)} characters, not ${String(length)}`,
    )
}

/** What is checked where an email has no account, so that the answer takes as long as for one that has. */
const decoyHash = lazy(() => hashPassword('a password without an account'))

/** @param passwordHash undefined where there is no account: never right, and as slow */
export async function isPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const decoy = await decoyHash()
  const right = await hashing(async () => (await argon2()).verify(passwordHash ?? decoy, password))
  return right && passwordHash !== undefined
}
