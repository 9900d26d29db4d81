import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '@svc/contract'
import type { Authenticate } from '../shared/account.js'
import type { Door } from './door.js'

/**
 * The door of /console/api. It accepts only the session cookie and, for writes, the console's origin.
 * @param publicOrigin the server's public origin; if undefined, a page's origin must be the host of the request
 */
export const sessionDoor = (
  authenticate: (secret: string) => ReturnType<Authenticate>,
  cookieName: string,
  publicOrigin: string | undefined,
): Door => ({
  admit(request) {
    refuseForeignWrites(request, publicOrigin)
  },

  async identify(request) {
    const secret = parseCookie(request.headers.cookie ?? '')[cookieName]
    const caller = secret === undefined ? undefined : await authenticate(secret)
    if (caller === undefined) throw new ApiError('unauthorized', 'Sign in first: there is no session, or it has ended.')
    return caller
  },
})

/** Refuses writes from other sites' pages. Browsers send the page's origin with every write (Fetch standard, 3.1). */
function refuseForeignWrites({ method, headers, host }: FastifyRequest, publicOrigin: string | undefined): void {
  if (method === 'GET' || method === 'HEAD') return
  const expected = publicOrigin ?? `http://${host}`
  if (headers.origin !== expected)
    throw new ApiError('forbidden', `Origin must be ${expected} here, not ${headers.origin ?? 'absent'}.`)
}
