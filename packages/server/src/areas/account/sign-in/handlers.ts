import { ApiError, type ConsoleAreas } from '@svc/contract'
import { WithHeaders } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import { isPassword } from '../accounts/passwords.js'
import type { AccountStore } from '../accounts/store.js'
import type { SessionStore } from '../sessions/store.js'
import { busy, type SignInAdmission } from './admission.js'
import { setCookie, type CookieConfig } from './cookie.js'
import { countersOf, sourceOf } from './failures.js'
import { currentToJson, openSession } from './open-session.js'
import type { SignInStore } from './store.js'
import { tryAgain } from './try-again.js'

interface Stores {
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly signIns: SignInStore
}

/** Sign-in and sign-out of the console. */
export function sessionHandlers(
  stores: Stores,
  cookie: CookieConfig,
  admission: SignInAdmission,
): Handlers<ConsoleAreas['session']> {
  const { sessions } = stores
  return {
    async signIn({ body: { email, password } }, context) {
      const { ip } = context
      const account = await admission.run(sourceOf(ip), () =>
        checkCredentials(stores, { email: email.trim().toLowerCase(), password, ip }),
      )
      if (account === busy) throw tryAgain('Too many sign-ins are in progress', 1)
      return openSession(sessions, cookie, account, context)
    },

    async signOut(_input, { account, session }) {
      if (session !== null) await sessions.end(account, session.id)
      return new WithHeaders({ signed_out: true as const }, { 'set-cookie': setCookie(cookie, '', 0) })
    },

    whoAmI: (_input, { account, session }) => currentToJson(account, browserSession(session)),

    async revokeOthers(_input, { account, session }) {
      return { revoked: await sessions.revokeOthers(account, browserSession(session).id) }
    },
  }
}

/** @throws ApiError `unauthorized` for a caller without a browser session */
function browserSession<S>(session: S | null): S {
  if (session === null) throw new ApiError('unauthorized', 'There is no browser session.')
  return session
}

interface Credentials {
  readonly email: string
  readonly password: string
  readonly ip: string
}

/** @throws ApiError `unauthorized`: the same for an unknown email and a wrong password, and while the caller must wait */
async function checkCredentials({ accounts, signIns }: Stores, { email, password, ip }: Credentials) {
  const counters = countersOf(email, ip)
  const now = Date.now()
  const blockedUntil = await signIns.attempt(counters, now)
  if (blockedUntil !== null) throw tryAgain('Too many sign-ins failed', Math.ceil((blockedUntil - now) / 1000))
  const account = await accounts.byEmail(email)
  const isRight = await isPassword(account?.passwordHash, password)
  if (account === undefined || !isRight) throw new ApiError('unauthorized', 'The email or the password is wrong.')
  await signIns.succeed(counters, now)
  return account
}
