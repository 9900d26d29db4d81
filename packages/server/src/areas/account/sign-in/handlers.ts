import { ApiError, badRequestSentence, type ConsoleAreas } from '@svc/contract'
import { WithHeaders } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import { checkPassword, hashPassword } from '../accounts/passwords.js'
import type { AccountStore } from '../accounts/store.js'
import type { SessionStore } from '../sessions/store.js'
import type { SignInAdmission } from './admission.js'
import { setCookie, type CookieConfig } from './cookie.js'
import { withPassword } from './credentials.js'
import { currentToJson, openSession } from './open-session.js'
import type { SignInStore } from './store.js'

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
  const { sessions, signIns } = stores
  const checks = { signIns, cookie, admission }
  return {
    async signIn({ body: { email: given, password } }, context) {
      const email = given.trim().toLowerCase()
      const account = await stores.accounts.byEmail(email)
      const signedIn = await withPassword(checks, { email, password }, account, context, (owner) => owner)
      return openSession(sessions, cookie, signedIn, context)
    },

    async changePassword({ body: { current_password: current, password } }, context) {
      const { session, account } = context
      browserSession(session)
      checkPassword(password)
      const given = { email: account.email, password: current }
      const owner = await stores.accounts.byEmail(account.email)
      const changed = await withPassword(checks, given, owner, context, async ({ passwordHash: from }) => {
        const to = await hashPassword(password)
        return (await stores.accounts.changePassword(account, { from, to })) && { ...account, passwordHash: to }
      }).catch(atCurrentPassword)
      if (changed === false) throw badRequestSentence('current_password', 'Another password has been set meanwhile')
      return openSession(sessions, cookie, changed, context)
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

/** 401 would say that the session has ended. @throws ApiError `bad_request` for a refusal of the current password, or the error */
function atCurrentPassword(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'unauthorized') throw error
  const isWait = error.headers['retry-after'] !== undefined
  const problem = isWait ? error.message : 'The current password is wrong.'
  throw new ApiError('bad_request', problem, {}, error.headers, { field: 'current_password', problem })
}
