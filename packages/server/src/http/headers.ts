/** What the fixed headers of an answer depend on. */
export interface AnsweredRequest {
  readonly id: string
  readonly url: string
  /** Whether clients use https: the public URL of the server says so. */
  readonly isSecure: boolean
}

/** RFC 6797. Without subdomains, which may be of other servers. Browsers ignore it over http. */
const hsts = { 'strict-transport-security': 'max-age=31536000' }

/**
 * The headers of every answer. Not set by a middleware, because that costs more than a handler. CORS is open except at the
 * console's door, the only one that accepts a cookie.
 */
export const fixedHeaders = ({ id, url, isSecure }: AnsweredRequest): Record<string, string> => ({
  'x-request-id': id,
  'x-content-type-options': 'nosniff',
  ...(isSecure ? hsts : {}),
  ...(isOpen(url)
    ? {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'X-Request-Id, ETag, Accept-Ranges, Content-Range, Content-Disposition',
      }
    : {}),
})

/** The answer to a preflight (Fetch standard, 3.2): the methods of the path, and the headers that clients of this API send. */
export const preflightHeaders = (allow: string, url: string): Record<string, string> =>
  isOpen(url)
    ? {
        allow,
        'access-control-allow-methods': allow,
        'access-control-allow-headers':
          'Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range',
        'access-control-max-age': '86400',
      }
    : { allow }

/**
 * Whether scripts of any origin may read the answer (CORS). Other spellings of these paths (percent-encoded, or with a host in front)
 * may lead to the console's door, so they are not open.
 */
export const isOpen = (url: string): boolean => url.startsWith('/v1') || url.startsWith('/llms.txt')
