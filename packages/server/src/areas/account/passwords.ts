import { hash, verify } from '@node-rs/argon2'
import { badRequest } from '@svc/contract'

/** NIST SP 800-63B, 5.1.1.2: at least eight characters, no rules on which. */
const shortest = 8
const longest = 1024

/** argon2id with the library's defaults, 19 MiB and two passes: the first choice of OWASP's password storage cheat sheet. */
export const hashPassword = (password: string): Promise<string> => hash(password)

/** @throws ApiError `bad_request` for a password that is too short or too long */
export function checkPassword(password: string): void {
  const length = Array.from(password).length
  if (length < shortest || length > longest)
    throw badRequest(
      'password',
      `must have ${String(shortest)} to ${String(longest)} characters, not ${String(length)}`,
    )
}

/** Checked where an email has no account, so that the answer takes as long as for one that has. */
const nobodys = hashPassword('the password of nobody')

/** @param passwordHash undefined where there is no account: never right, and as slow */
export async function isPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const right = await verify(passwordHash ?? (await nobodys), password)
  return right && passwordHash !== undefined
}
