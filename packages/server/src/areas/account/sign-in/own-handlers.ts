import { ApiError, badRequest, badRequestSentence, type ConsoleAreas } from '@svc/contract'
import { WithHeaders } from '../../../http/answer.js'
import type { CallerContext, Handlers } from '../../../http/handler.js'
import type { CallerSession } from '../../../shared/account.js'
import { recentUntil } from '../../../shared/recent-password.js'
import { timestamp } from '../../../shared/timestamp.js'
import { normalEmail } from '../accounts/email.js'
import type { OwnStore } from '../accounts/own-store.js'
import { checkPassword, hashPassword, unusablePasswordHash } from '../accounts/passwords.js'
import type { AccountStore, KnownAccount } from '../accounts/store.js'
import type { SessionStore } from '../sessions/store.js'
import { setCookie } from './cookie.js'
import { withPassword, type CredentialChecks } from './credentials.js'
import { currentToJson, openSession } from './open-session.js'

interface OwnDependencies extends CredentialChecks {
  readonly accounts: AccountStore
  readonly own: OwnStore
  readonly sessions: SessionStore
}

type OwnHandlers = Pick<
  Handlers<ConsoleAreas['session']>,
  'changePassword' | 'enterPassword' | 'changeEmail' | 'deleteAccount'
>

/** What the owner of an account does with the password: a stolen session alone cannot, and its guesses count as failed sign-ins. */
export function ownHandlers(dependencies: OwnDependencies): OwnHandlers {
  const { accounts, own, sessions, cookie } = dependencies

  /**
   * Runs `work` after the check of the password.
   * @param field of the password
   * @throws ApiError `unauthorized` without a browser session; `bad_request` for a wrong password, or while the caller must wait
   */
  async function withOwnPassword<R>(
    field: PasswordField,
    password: string,
    context: CallerContext,
    work: (account: KnownAccount, session: CallerSession) => Promise<R>,
  ): Promise<R> {
    const session = browserSession(context.session)
    const { email } = context.account
    const known = await accounts.byEmail(email)
    return withPassword(dependencies, { email, password }, known, context, (account) => work(account, session)).catch(
      (error: unknown) => atField(error, field),
    )
  }

  return {
    async changePassword({ body: { current_password: current, password, revoke_tokens: revokes = false } }, context) {
      checkPassword(password)
      const changed = await withOwnPassword('current_password', current, context, async (account) => {
        const to = await hashPassword(password)
        const acting = { ...account, actor: context.account.actor }
        requireDone(await own.changePassword(acting, { from: account.passwordHash, to }, revokes), 'current_password')
        return { ...account, passwordHash: to }
      })
      return openSession(sessions, cookie, changed, context, { isSignIn: false })
    },

    async enterPassword({ body: { password } }, context) {
      const enteredAt = await withOwnPassword('password', password, context, (account, { id }) =>
        sessions.notePassword(account, id),
      )
      return { valid_until: timestamp(recentUntil(enteredAt)) }
    },

    async changeEmail({ body: { current_password: current, email: given } }, context) {
      const email = normalEmail(given)
      return withOwnPassword('current_password', current, context, async (account, session) => {
        const acting = { ...account, actor: context.account.actor }
        requireDone(await own.changeEmail(acting, account.passwordHash, email), 'current_password')
        return currentToJson({ ...account, email }, session)
      })
    },

    async deleteAccount({ body: { password, email } }, context) {
      if (email.trim().toLowerCase() !== context.account.email)
        throw badRequest('email', `must be the email of the account, ${context.account.email}`)
      await withOwnPassword('password', password, context, async (account) => {
        const random = await unusablePasswordHash()
        requireDone(await own.endAccess(account.id, account.passwordHash, random), 'password')
      })
      return new WithHeaders({ deleted: true as const }, { 'set-cookie': setCookie(cookie, '', 0) })
    },
  }
}

type PasswordField = 'current_password' | 'password'

function requireDone(isDone: boolean, field: PasswordField): void {
  if (!isDone) throw badRequestSentence(field, 'Another password has been set meanwhile')
}

/** @throws ApiError `unauthorized` for a caller without a browser session */
export function browserSession<S>(session: S | null): S {
  if (session === null) throw new ApiError('unauthorized', 'There is no browser session.')
  return session
}

/** 401 would say that the session has ended. @throws ApiError `bad_request` for a refusal of the password, or the error */
function atField(error: unknown, field: PasswordField): never {
  if (!(error instanceof ApiError) || error.code !== 'unauthorized') throw error
  const isWait = error.headers['retry-after'] !== undefined
  const problem = isWait ? error.message : `The ${field === 'password' ? '' : 'current '}password is wrong.`
  throw new ApiError('bad_request', problem, {}, error.headers, { field, problem })
}
