import type { FastifyRequest } from 'fastify'
import { ApiError } from '@svc/contract'
import type { Caller } from '../shared/account.js'
import type { Door } from './mount.js'

/** Finds whose token this is, by its whole value. Called at each request: a revoked token is refused on the very next one. */
export type TokenLookup = (token: string) => Promise<Caller | undefined>

/** The door of /v1: the Authorization header with a Bearer token and nothing else (specification, section 5). */
export const bearerDoor = (lookup: TokenLookup): Door => ({
  async identify(request) {
    const caller = await lookup(tokenOf(request))
    if (caller === undefined) throw unauthorized('The token is not valid: it may have been revoked.')
    return caller
  },
})

const form = /^bearer +(svc_[0-9a-f]{32})$/i

function tokenOf(request: FastifyRequest): string {
  const header = request.headers.authorization
  if (header === undefined)
    throw unauthorized('A token is required: send it in the header Authorization: Bearer <token>, and nowhere else.')
  if (count(request.raw.rawHeaders, 'authorization') > 1)
    throw unauthorized('Send one Authorization header, not several.')
  const token = form.exec(header)?.[1]
  if (token === undefined)
    throw unauthorized('The Authorization header must be: Bearer svc_ and 32 hexadecimal characters.')
  if (hasTokenInQuery(request.url)) throw unauthorized('A token in the query string is not accepted.')
  return token
}

const tokenForm = /^svc_[0-9a-f]{32}$/i

/**
 * RFC 6750, 2.3 names `access_token`; a token under any other name would end up in logs just the same. Not one regular
 * expression over the whole query: that backtracked for seconds.
 */
function hasTokenInQuery(url: string): boolean {
  const start = url.indexOf('?')
  if (start === -1) return false
  for (const [name, value] of new URLSearchParams(url.slice(start)))
    if (name.toLowerCase() === 'access_token' || tokenForm.test(value)) return true
  return false
}

/** How often a header came: Node keeps the first of several and says nothing. */
function count(rawHeaders: readonly string[], name: string): number {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]
    if (header?.length === name.length && header.toLowerCase() === name) found++
  }
  return found
}

const unauthorized = (message: string) => new ApiError('unauthorized', message, {}, { 'www-authenticate': 'Bearer' })
