import { WithHeaders } from '../../../http/answer.js'
import type { Context } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import { timestamp } from '../../../shared/timestamp.js'
import { version } from '../../../shared/version.js'
import { userToJson } from '../accounts/presenter.js'
import { sessionLifetimeMs } from '../sessions/lifetime.js'
import type { SessionStore } from '../sessions/store.js'
import { setCookie, type CookieConfig } from './cookie.js'
import { knownDevice, setDeviceCookie } from './device.js'

/**
 * Begins a session for the browser that has sent the request.
 * @param account with the hash of the password that was verified
 * @returns the answer of a sign-in, with the cookies of the session and of the browser
 */
export async function openSession(
  sessions: SessionStore,
  cookie: CookieConfig,
  account: Account & { passwordHash: string },
  { ip, header }: Context,
) {
  const session = await sessions.begin(account, { ip, userAgent: userAgent(header('user-agent') ?? '') })
  const cookies = [
    setCookie(cookie, session.secret, sessionLifetimeMs),
    setDeviceCookie(cookie, account, knownDevice(header('cookie'), cookie, account)),
  ]
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
