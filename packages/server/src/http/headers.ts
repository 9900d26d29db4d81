import type { ServerResponse } from 'node:http'

/**
 * The headers that every answer carries, in one place and straight on the response: a header middleware costs more than
 * a handler. CORS is open but at the console's door: nowhere else is a
 * cookie accepted.
 */
export function setFixedHeaders(response: ServerResponse, requestId: string, url: string): void {
  response.setHeader('x-request-id', requestId)
  if (!url.startsWith('/console/')) {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-expose-headers', 'X-Request-Id, ETag')
  }
  response.setHeader('x-content-type-options', 'nosniff')
}

/** What a preflight is told (Fetch standard, 3.2): the methods of the path, and any header a client of ours sends. */
export const preflightHeaders = (allow: string) => ({
  allow,
  'access-control-allow-methods': allow,
  'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match, Range',
  'access-control-max-age': '86400',
})
