import { ApiError, type ConsoleAreas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { normalEmail } from '../accounts/email.js'
import { checkNickname } from '../accounts/nickname.js'
import { checkPassword, hashPassword } from '../accounts/passwords.js'
import { hasFirst, type AccountStore } from '../accounts/store.js'
import type { SessionStore } from '../sessions/store.js'
import { browserActor } from '../sign-in/browser-actor.js'
import { busy, type SignInAdmission } from '../sign-in/admission.js'
import type { CookieConfig } from '../sign-in/cookie.js'
import { sourceOf } from '../sign-in/failures.js'
import { openSession } from '../sign-in/open-session.js'
import { tryAgain } from '../sign-in/try-again.js'
import type { SetupCode } from './setup-code.js'
import type { SetupCodeStore } from './store.js'

interface FirstRun {
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly admission: SignInAdmission
  readonly cookie: CookieConfig
  readonly code: SetupCode
  readonly codes: SetupCodeStore
  /** Whether users can reset a forgotten password by e-mail. */
  readonly resetsPasswords: boolean
}

/** The first account of an empty server. */
export function setupHandlers(parts: FirstRun): Handlers<ConsoleAreas['setup']> {
  const { accounts, sessions, admission, cookie, code, codes, resetsPasswords } = parts

  /** The code is valid until there is an account: if that one is deleted, the code stays invalid. */
  async function hasAccount(): Promise<boolean> {
    const isThere = await accounts.hasAny()
    if (isThere) code.discard()
    return isThere
  }

  return {
    status: async () => ({
      needed: !(await hasAccount()) && code.isIssued(await codes.current()),
      password_reset: resetsPasswords,
    }),

    async create({ body }, context) {
      if (await hasAccount()) throw hasFirst()
      const stored = await codes.current()
      if (!code.isIssued(stored)) throw notIssued()
      code.check(body.code, sourceOf(context.ip), stored)
      const email = normalEmail(body.email)
      const nickname = checkNickname(body.nickname ?? '', 'nickname')
      checkPassword(body.password)
      const passwordHash = await admission.run(context, () => hashPassword(body.password))
      if (passwordHash === busy) throw tryAgain('Too many sign-ins are in progress', 1)
      const given = { email, nickname, passwordHash }
      const account = await accounts.addFirst({ ...given, now: Date.now(), actor: browserActor(context) })
      code.discard()
      return openSession(sessions, cookie, { ...account, passwordHash }, context)
    },
  }
}

const notIssued = () =>
  new ApiError(
    'forbidden',
    'No setup code is valid: print one with svc setup-code, or create an account with svc user add.',
  )
