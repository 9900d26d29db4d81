import { stringifySetCookie } from 'cookie'
import { ApiError, type ConsoleAreas } from '@svc/contract'
import { WithHeaders } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import type { AccountStore } from '../accounts/store.js'
import { isPassword } from '../accounts/passwords.js'
import { sessionLifetimeMs, type SessionStore } from '../sessions/store.js'
import { busy, signInAdmission } from './admission.js'
import { countersOf, sourceOf } from './failures.js'
import type { SignInStore } from './store.js'
import { userOnTheWire } from '../accounts/presenter.js'
import { timestamp } from '../../../shared/timestamp.js'

interface Stores {
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly signIns: SignInStore
}

/** How the session cookie is named and kept: with TLS, under a name that no other host can set (RFC 6265bis, 4.1.3.2). */
export interface CookieConfig {
  readonly name: string
  readonly secure: boolean
}

export const cookieConfig = (publicUrl: string | undefined): CookieConfig =>
  publicUrl?.startsWith('https:')
    ? { name: '__Host-svc_session', secure: true }
    : { name: 'svc_session', secure: false }

/** Signing in and out of the console. */
export function sessionHandlers(stores: Stores, cookie: CookieConfig): Handlers<ConsoleAreas['session']> {
  const { sessions } = stores
  const admission = signInAdmission()
  return {
    async signIn({ body: { email, password } }, { ip, header }) {
      const account = await admission.run(sourceOf(ip), () =>
        checkCredentials(stores, { email: email.trim().toLowerCase(), password, ip }),
      )
      if (account === busy) throw tryAgain('Too many sign-ins are under way', 1)
      const session = await sessions.begin(account, { ip, userAgent: userAgent(header('user-agent') ?? '') })
      const headers = { 'set-cookie': cookieHeader(cookie, session.secret, sessionLifetimeMs) }
      return new WithHeaders(currentOnTheWire(account, session), headers)
    },

    async signOut(_input, { account, session }) {
      if (session !== null) await sessions.end(account, session.id)
      return new WithHeaders({ signed_out: true as const }, { 'set-cookie': cookieHeader(cookie, '', 0) })
    },

    whoAmI: (_input, { account, session }) => {
      if (session === null) throw new ApiError('unauthorized', 'There is no browser session.')
      return currentOnTheWire(account, session)
    },
  }
}

/** As it is listed later: bytes from 0x80 to 0x9f pass in a header, and some terminals take them for escape sequences. */
const userAgent = (given: string): string => given.slice(0, 512).replace(/\p{Cc}/gu, ' ')

interface Credentials {
  readonly email: string
  readonly password: string
  readonly ip: string
}

/** @throws ApiError `unauthorized`, alike for an unknown email and a wrong password, and for who has to wait */
async function checkCredentials({ accounts, signIns }: Stores, { email, password, ip }: Credentials) {
  const counters = countersOf(email, ip)
  const now = Date.now()
  const blockedUntil = await signIns.attempt(counters, now)
  if (blockedUntil !== null) throw tryAgain('Too many sign-ins failed', Math.ceil((blockedUntil - now) / 1000))
  const account = await accounts.byEmail(email)
  const right = await isPassword(account?.passwordHash, password)
  if (account === undefined || !right) throw new ApiError('unauthorized', 'The email or the password is wrong.')
  await signIns.succeed(counters, now)
  return account
}

/** Not 429: the specification's table of errors is closed (section 7). */
const tryAgain = (why: string, seconds: number) =>
  new ApiError('unauthorized', `${why}: try again in ${String(seconds)} s.`, {}, { 'retry-after': String(seconds) })

const cookieHeader = ({ name, secure }: CookieConfig, value: string, lifetimeMs: number): string =>
  stringifySetCookie({ name, value, maxAge: lifetimeMs / 1000, path: '/', httpOnly: true, sameSite: 'strict', secure })

const currentOnTheWire = (account: Account, { id, createdAt }: { id: number; createdAt: number }) => ({
  user: userOnTheWire(account),
  session: { id, created_at: timestamp(createdAt) },
})
