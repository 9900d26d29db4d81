import { ApiError, type ConsoleAreas } from '@svc/contract'
import { WithHeaders } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import { isPassword } from '../accounts/passwords.js'
import type { AccountStore } from '../accounts/store.js'
import type { SessionStore } from '../sessions/store.js'
import { busy, type SignInAdmission } from './admission.js'
import { setCookie, type CookieConfig } from './cookie.js'
import { knownDevice } from './device.js'
import { countersOf, countersOfDevice, type Counter } from './failures.js'
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
    async signIn({ body: { email: given, password } }, context) {
      const { ip, header } = context
      const email = given.trim().toLowerCase()
      const account = await stores.accounts.byEmail(email)
      const device = account && knownDevice(header('cookie'), cookie, account)
      const caller = account === undefined || device === undefined ? { ip } : { knownFor: account.id }
      const counters = device === undefined ? countersOf(email, ip) : countersOfDevice(email, device)
      const signedIn = await admission.run(caller, () => checkPassword(stores.signIns, { account, password, counters }))
      if (signedIn === busy) throw tryAgain('Too many sign-ins are in progress', 1)
      return openSession(sessions, cookie, signedIn, context)
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
  /** Undefined for an unknown email. */
  readonly account: (Account & { passwordHash: string }) | undefined
  readonly password: string
  readonly counters: readonly Counter[]
}

/** @throws ApiError `unauthorized`: the same for an unknown email and a wrong password, and while the caller must wait */
async function checkPassword(signIns: SignInStore, { account, password, counters }: Credentials) {
  const now = Date.now()
  const blockedUntil = await signIns.attempt(counters, now)
  if (blockedUntil !== null) throw tryAgain('Too many sign-ins failed', Math.ceil((blockedUntil - now) / 1000))
  const isRight = await isPassword(account?.passwordHash, password)
  if (account === undefined || !isRight) throw new ApiError('unauthorized', 'The email or the password is wrong.')
  await signIns.succeed(counters, now)
  return account
}
