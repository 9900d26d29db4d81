import { badRequest } from '@svc/contract'

/** NIST SP 800-63B, 5.1.1.2: at least eight characters, no rules on which. */
const shortest = 8
const longest = 1024

/** Loaded at the first sign-in: ten megabytes that a server which only serves tokens never needs. */
const argon2 = () => import('@node-rs/argon2')

/** argon2id with the library's defaults, 19 MiB and two passes: the first choice of OWASP's password storage cheat sheet. */
export const hashPassword = async (password: string): Promise<string> => (await argon2()).hash(password)

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
let nobodys: Promise<string> | undefined

/** @param passwordHash undefined where there is no account: never right, and as slow */
export async function isPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  nobodys ??= hashPassword('the password of nobody')
  const decoy = await nobodys
  const right = await (await argon2()).verify(passwordHash ?? decoy, password)
  return right && passwordHash !== undefined
}
