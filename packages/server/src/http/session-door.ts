import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '@svc/contract'
import type { Caller } from '../shared/account.js'
import type { Door } from './mount.js'

/** Finds whose session a cookie belongs to. */
export type SessionLookup = (secret: string) => Promise<Caller | undefined>

/**
 * The door of /console/api: the browser's session cookie, and for writes the console's own origin.
 * @param publicOrigin the operator's public address; without one, a page's origin must be the host that was asked
 */
export const sessionDoor = (lookup: SessionLookup, cookieName: string, publicOrigin: string | undefined): Door => ({
  admit(request) {
    refuseForeignWrites(request, publicOrigin)
  },

  async identify(request) {
    const secret = parseCookie(request.headers.cookie ?? '')[cookieName]
    const caller = secret === undefined ? undefined : await lookup(secret)
    if (caller === undefined) throw new ApiError('unauthorized', 'Sign in first: there is no session, or it has ended.')
    return caller
  },
})

/** Browsers name the page's origin on every write (Fetch standard, 3.1): one that another site's page sent is refused. */
function refuseForeignWrites({ method, headers, host }: FastifyRequest, publicOrigin: string | undefined): void {
  if (method === 'GET' || method === 'HEAD') return
  const expected = publicOrigin ?? `http://${host}`
  if (headers.origin !== expected)
    throw new ApiError('forbidden', `Origin must be ${expected} here, not ${headers.origin ?? 'absent'}.`)
}
