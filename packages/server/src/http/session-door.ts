import { parse } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '@svc/contract'
import type { Caller } from './handler.js'
import type { Door } from './mount.js'

/** Finds whose session a cookie belongs to. */
export type SessionLookup = (secret: string) => Promise<Caller | undefined>

/** The door of /console/api: the browser's session cookie. Writes must also come from the console's own origin. */
export const sessionDoor =
  (lookup: SessionLookup, cookieName: string, checkOrigin: OriginCheck): Door =>
  async (request) => {
    checkOrigin(request)
    const secret = parse(request.headers.cookie ?? '')[cookieName]
    const caller = secret === undefined ? undefined : await lookup(secret)
    if (caller === undefined) throw new ApiError('unauthorized', 'Sign in first: there is no session, or it has ended.')
    return caller
  }

/** @throws ApiError `forbidden` for a write that another site's page sent */
export type OriginCheck = (request: FastifyRequest) => void

/**
 * Browsers name the page's origin on every write (Fetch standard, 3.1); it must be the one the console is served from.
 * @param publicOrigin the operator's public address; without one, the origin must be the host that was asked
 */
export const originCheck =
  (publicOrigin: string | undefined): OriginCheck =>
  ({ method, headers, host }) => {
    if (method === 'GET' || method === 'HEAD') return
    const expected = publicOrigin ?? `http://${host}`
    if (headers.origin !== expected)
      throw new ApiError('forbidden', `Origin must be ${expected} here, not ${headers.origin ?? 'absent'}.`)
  }
