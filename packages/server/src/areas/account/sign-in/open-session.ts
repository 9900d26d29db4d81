import { WithHeaders } from '../../../http/answer.js'
import type { Context } from '../../../http/handler.js'
import type { QueuedMail } from '../../../ports/mail/outbox/queue-store.js'
import type { Account } from '../../../shared/account.js'
import { browserActor } from './browser-actor.js'
import { timestamp } from '../../../shared/timestamp.js'
import { version } from '../../../shared/version.js'
import { userToJson } from '../accounts/presenter.js'
import { sessionLifetimeMs } from '../sessions/lifetime.js'
import type { SessionStore } from '../sessions/store.js'
import { setCookie, type CookieConfig } from './cookie.js'
import { knownDevice, setDeviceCookie } from './device.js'

/** @returns undefined if svc sends no e-mails */
export type TellOwner = (
  account: Account,
  from: { readonly ip: string; readonly userAgent: string },
) => QueuedMail | undefined

/**
 * Begins a session for the browser that has sent the request.
 * @param account with the hash of the password that was verified
 * @param options.isSignIn whether it is one in the list of events; false after a change of the password
 * @param options.tell makes the e-mail to the owner about a browser that has not signed in before
 * @returns the answer of a sign-in, with the cookies of the session and of the browser
 */
export async function openSession(
  sessions: SessionStore,
  cookie: CookieConfig,
  account: Account & { passwordHash: string },
  context: Context,
  { isSignIn = true, tell }: { readonly isSignIn?: boolean; readonly tell?: TellOwner } = {},
) {
  const { ip, header } = context
  const from = { ip, userAgent: userAgent(header('user-agent') ?? '') }
  const device = knownDevice(header('cookie'), cookie, account)
  const session = await sessions.begin(account, from, {
    actor: isSignIn ? browserActor(context) : undefined,
    mail: device === undefined ? tell?.(account, from) : undefined,
  })
  const cookies = [setCookie(cookie, session.secret, sessionLifetimeMs), setDeviceCookie(cookie, account, device)]
  return new WithHeaders(currentToJson(account, session), { 'set-cookie': cookies })
}

/** The User-Agent header as the list of sessions shows it. Some terminals interpret the bytes 0x80 to 0x9f as escape sequences. */
const userAgent = (given: string): string => given.slice(0, 512).replace(/\p{Cc}/gu, ' ')

/** The signed-in account, its session, and the version of the server. */
export const currentToJson = (account: Account, { id, createdAt }: { id: number; createdAt: number }) => ({
  user: userToJson(account),
  session: { id, created_at: timestamp(createdAt) },
  version,
})
