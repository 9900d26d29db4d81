import { ApiError } from '@svc/contract/errors'
import type { Context } from '../../../http/handler.js'
import { isPassword } from '../accounts/passwords.js'
import type { KnownAccount } from '../accounts/store.js'
import { suspended } from '../sessions/store.js'
import { busy, type SignInAdmission } from './admission.js'
import type { CookieConfig } from './cookie.js'
import { knownDevice } from './device.js'
import type { FailedSignIns } from './failure-events.js'
import { countersOf, countersOfDevice } from './failures.js'
import type { SignInStore } from './store.js'
import { tryAgain } from './try-again.js'

export interface CredentialChecks {
  readonly signIns: SignInStore
  readonly cookie: CookieConfig
  readonly admission: SignInAdmission
  readonly failed: Pick<FailedSignIns, 'note'>
}

interface Given {
  /** In lower case. */
  readonly email: string
  readonly password: string
}

/**
 * Checks an email and a password, and counts a failure.
 * @param account that of the email; undefined for an unknown one
 * @param work what needs a place among the sign-ins, too, after the password was right
 * @throws ApiError `unauthorized`: the same for an unknown email and a wrong password, and while the caller must wait;
 *   after the right password, also for a suspended account
 */
export async function withPassword<R>(
  { signIns, cookie, admission, failed }: CredentialChecks,
  { email, password }: Given,
  account: KnownAccount | undefined,
  context: Context,
  work: (account: KnownAccount) => R | Promise<R>,
): Promise<R> {
  const { ip, header } = context
  const device = account && knownDevice(header('cookie'), cookie, account)
  const caller = account === undefined || device === undefined ? { ip } : { knownFor: account.id }
  const counters = device === undefined ? countersOf(email, ip) : countersOfDevice(email, device)
  const result = await admission.run(caller, async () => {
    const now = Date.now()
    const blockedUntil = await signIns.attempt(counters, now)
    if (blockedUntil !== null) throw tryAgain('Too many sign-ins failed', Math.ceil((blockedUntil - now) / 1000))
    const isRight = await isPassword(account?.passwordHash, password)
    if (account !== undefined && !isRight) failed.note(account, context)
    if (account === undefined || !isRight) throw new ApiError('unauthorized', 'The email or the password is wrong.')
    await signIns.succeed(counters, now)
    if (account.state !== 'active') throw suspended()
    return work(account)
  })
  if (result === busy) throw tryAgain('Too many sign-ins are in progress', 1)
  return result
}
