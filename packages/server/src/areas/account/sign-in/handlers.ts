import { ApiError, type ConsoleAreas } from '@svc/contract'
import { WithHeaders } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import { timestamp } from '../../../shared/timestamp.js'
import { isPassword } from '../accounts/passwords.js'
import { userToJson } from '../accounts/presenter.js'
import type { AccountStore } from '../accounts/store.js'
import { sessionLifetimeMs } from '../sessions/lifetime.js'
import type { SessionStore } from '../sessions/store.js'
import { busy, signInAdmission } from './admission.js'
import { setCookie, type CookieConfig } from './cookie.js'
import { countersOf, sourceOf } from './failures.js'
import type { SignInStore } from './store.js'

interface Stores {
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly signIns: SignInStore
}

/** Sign-in and sign-out of the console. */
export function sessionHandlers(stores: Stores, cookie: CookieConfig): Handlers<ConsoleAreas['session']> {
  const { sessions } = stores
  const admission = signInAdmission()
  return {
    async signIn({ body: { email, password } }, { ip, header }) {
      const account = await admission.run(sourceOf(ip), () =>
        checkCredentials(stores, { email: email.trim().toLowerCase(), password, ip }),
      )
      if (account === busy) throw tryAgain('Too many sign-ins are in progress', 1)
      const session = await sessions.begin(account, { ip, userAgent: userAgent(header('user-agent') ?? '') })
      const headers = { 'set-cookie': setCookie(cookie, session.secret, sessionLifetimeMs) }
      return new WithHeaders(currentToJson(account, session), headers)
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

/** The User-Agent header as the list of sessions shows it. Some terminals interpret the bytes 0x80 to 0x9f as escape sequences. */
const userAgent = (given: string): string => given.slice(0, 512).replace(/\p{Cc}/gu, ' ')

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

/** Not 429: the specification's table of errors is closed (section 7). */
const tryAgain = (why: string, seconds: number) =>
  new ApiError('unauthorized', `${why}: try again in ${seconds} s.`, {}, { 'retry-after': String(seconds) })

const currentToJson = (account: Account, { id, createdAt }: { id: number; createdAt: number }) => ({
  user: userToJson(account),
  session: { id, created_at: timestamp(createdAt) },
})
