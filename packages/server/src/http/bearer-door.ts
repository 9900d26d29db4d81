import type { FastifyRequest } from 'fastify'
import { ApiError } from '@svc/contract'
import type { Authenticate, Caller } from '../shared/account.js'
import { bearerToken } from '../shared/bearer-token.js'
import { clientAddress } from './context.js'
import type { Door } from './door.js'

/**
 * The door of /v1. It accepts only a Bearer token in the Authorization header (specification, section 5).
 * @param authenticate called at each request, so that a revocation takes effect at once
 */
export const bearerDoor = (authenticate: Authenticate): Door => ({
  identify(request) {
    const caller = authenticate(tokenOf(request), () => clientAddress(request))
    return caller instanceof Promise ? caller.then(requireCaller) : requireCaller(caller)
  },
})

function requireCaller(caller: Caller | undefined): Caller {
  if (caller === undefined) throw unauthorized('The token is not valid: it may have been revoked.')
  return caller
}

function tokenOf(request: FastifyRequest): string {
  if (hasTokenInQuery(request.url))
    throw unauthorized(
      'A token in the query string is not accepted: send it in the header Authorization: Bearer <token>.',
    )
  const header = request.headers.authorization
  if (header === undefined)
    throw unauthorized('A token is required: send it in the header Authorization: Bearer <token>, and nowhere else.')
  if (count(request.raw.rawHeaders, 'authorization') > 1)
    throw unauthorized('Send one Authorization header, not several.')
  const token = bearerToken(header)
  if (token === undefined)
    throw unauthorized('The Authorization header must be: Bearer svc_ and 32 hexadecimal characters.')
  return token
}

/** An expression for a text in a query, each of whose characters may be percent-encoded. */
const encodable = (text: string): string =>
  text.replaceAll(/./g, (character) => `(?:${character}|${escapesOf(character)})`)

const escapesOf = (character: string): string =>
  [character, character.toUpperCase()].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('|')

/**
 * RFC 6750, 2.3 names `access_token`, but a token under any other name, or as a name, would end up in the logs of proxies as well:
 * `?x=Bearer%20svc_…` and `?svc_…` are tokens too. The query is not decoded, which takes ten times as long for 25,600 bytes. Neither
 * expression has a repetition without a fixed length, so their time is linear.
 */
const tokenForms = [
  new RegExp(`(?:^[?]|&)${encodable('access_token')}(?:[=&]|$)`, 'i'),
  new RegExp(`${encodable('svc_')}(?:[0-9a-f]|%3[0-9]|%[46][1-6]){32}`, 'i'),
]

function hasTokenInQuery(url: string): boolean {
  const start = url.indexOf('?')
  if (start === -1) return false
  const query = url.slice(start)
  return tokenForms.some((form) => form.test(query))
}

/** How often the request has a header: of several, Node.js silently keeps the first. */
function count(rawHeaders: readonly string[], name: string): number {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]
    if (header?.length === name.length && header.toLowerCase() === name) found++
  }
  return found
}

const unauthorized = (message: string) => new ApiError('unauthorized', message, {}, { 'www-authenticate': 'Bearer' })
