/**
 * The headers that every answer carries, in one place: a header middleware costs more than a handler. CORS is open but
 * at the console's door: nowhere else is a cookie accepted.
 */
export const fixedHeaders = (requestId: string, url: string): Record<string, string> =>
  url.startsWith('/console/')
    ? { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' }
    : {
        'x-request-id': requestId,
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'X-Request-Id, ETag',
      }

/** What a preflight is told (Fetch standard, 3.2): the methods of the path, and any header a client of ours sends. */
export const preflightHeaders = (allow: string) => ({
  allow,
  'access-control-allow-methods': allow,
  'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match, Range',
  'access-control-max-age': '86400',
})
