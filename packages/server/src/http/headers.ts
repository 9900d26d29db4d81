/**
 * The headers that every answer carries, in one place: a header middleware costs more than a handler. CORS is open but
 * at the console's door, the only one where a cookie is accepted.
 */
export const fixedHeaders = (requestId: string, url: string): Record<string, string> =>
  isOpen(url)
    ? {
        'x-request-id': requestId,
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'X-Request-Id, ETag',
      }
    : { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' }

/** What a preflight is told (Fetch standard, 3.2): the methods of the path, and any header a client of ours sends. */
export const preflightHeaders = (allow: string, url: string): Record<string, string> =>
  isOpen(url)
    ? {
        allow,
        'access-control-allow-methods': allow,
        'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match, Range',
        'access-control-max-age': '86400',
      }
    : { allow }

// What is written in another way (percent-encoded, or with a host in front) may be the console's door: it is not open.
const isOpen = (url: string) => url.startsWith('/v1') || url.startsWith('/llms.txt')
