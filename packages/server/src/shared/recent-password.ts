import { ApiError } from '@svc/contract/errors'
import { recentPasswordMinutes } from '@svc/contract/limits'
import type { CallerSession } from './account.js'

const recentMs = recentPasswordMinutes * 60_000

/** Until when a password counts as recently entered. @param passwordAt when it was entered; both in milliseconds since the epoch */
export const recentUntil = (passwordAt: number): number => passwordAt + recentMs

/** Whether a caller gets secrets: one with a token, or with a browser session in which the password was entered recently. */
export function isPasswordRecent(session: CallerSession | null): boolean {
  if (session === null) return true
  const now = Date.now()
  // A clock that was set back does not make a password recent for longer.
  return session.passwordAt <= now && now < recentUntil(session.passwordAt)
}

/**
 * Allows an operation to a token, and to a browser session in which the password was entered in the last ten minutes: a browser that
 * was left alone, or a stolen cookie, does not get secrets.
 * @throws ApiError `password_required`
 */
export function requireRecentPassword(session: CallerSession | null): void {
  if (isPasswordRecent(session)) return
  throw new ApiError(
    'password_required',
    `Enter your password again: this needs one that was entered in the last ${String(recentPasswordMinutes)} minutes.`,
  )
}
