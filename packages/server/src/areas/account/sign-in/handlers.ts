import type { ConsoleAreas } from '@svc/contract'
import { WithHeaders } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import type { OwnStore } from '../accounts/own-store.js'
import type { AccountStore } from '../accounts/store.js'
import type { SessionStore } from '../sessions/store.js'
import { setCookie } from './cookie.js'
import { withPassword, type CredentialChecks } from './credentials.js'
import { currentToJson, openSession, type TellOwner } from './open-session.js'
import { browserSession, ownHandlers } from './own-handlers.js'
import type { SignInStore } from './store.js'

interface Stores {
  readonly accounts: AccountStore
  readonly own: OwnStore
  readonly sessions: SessionStore
  readonly signIns: SignInStore
}

/** Sign-in and sign-out of the console, and the account's own changes. */
export function sessionHandlers(
  stores: Stores,
  { cookie, admission, failed }: Omit<CredentialChecks, 'signIns'>,
  { tell, wake }: { readonly tell: TellOwner; readonly wake: () => void },
): Omit<Handlers<ConsoleAreas['session']>, 'resetRequest' | 'reset'> {
  const { sessions, signIns } = stores
  const checks = { signIns, cookie, admission, failed }
  return {
    ...ownHandlers({ ...stores, ...checks }),

    async signIn({ body: { email: given, password } }, context) {
      const email = given.trim().toLowerCase()
      const account = await stores.accounts.byEmail(email)
      const signedIn = await withPassword(checks, { email, password }, account, context, (owner) => owner)
      const answer = await openSession(sessions, cookie, signedIn, context, { tell })
      wake()
      return answer
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
