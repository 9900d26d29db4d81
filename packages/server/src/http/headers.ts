/** What the fixed headers of an answer depend on. */
export interface AnsweredRequest {
  readonly id: string
  readonly url: string
  /** Whether clients keep to https: the public URL of the server says so, or for TLS of svc itself, the age of its certificates. */
  readonly isSecure: boolean
}

/** RFC 6797. Without subdomains, which may be of other servers. Browsers ignore it over http. */
export const hsts = { name: 'strict-transport-security', value: 'max-age=31536000' } as const

/**
 * The headers of every answer. Not set by a middleware, because that costs more than a handler. CORS is open except at the
 * console's door, the only one that accepts a cookie.
 */
export const fixedHeaders = ({ id, url, isSecure }: AnsweredRequest): Record<string, string> => ({
  'x-request-id': id,
  'x-content-type-options': 'nosniff',
  ...(isSecure ? { [hsts.name]: hsts.value } : {}),
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
          'Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Last-Event-ID, Range',
        'access-control-max-age': '86400',
      }
    : { allow }

/**
 * Whether scripts of any origin may read the answer (CORS). Other spellings of these paths (percent-encoded, or with a host in front)
 * may lead to the console's door, so they are not open.
 */
export const isOpen = (url: string): boolean => url.startsWith('/v1') || url.startsWith('/llms.txt')

/**
 * Content-Security-Policy for bytes that users upload. A browser shows an image, a video or a PDF in a document that it makes
 * itself and to which the policy applies as well.
 */
const policies = {
  /** HTML, SVG, XML, text: no script, no form, no request, an origin that nothing else has. */
  document:
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'",
  /**
   * The document that the browser makes requests the file. Without its origin, the request for a sound or a video would be one
   * of CORS and fail.
   */
  media: "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'",
  /** Safari and older versions of Chromium show no PDF in a sandbox. A PDF has no access to its origin. */
  pdf: "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; form-action 'none'; base-uri 'none'",
}

/** The headers of redirects from memory. Without content, a Content-Security-Policy has no effect. */
export const redirectHeaders = {
  'x-content-type-options': 'nosniff',
  // The path of a share link is its secret.
  'referrer-policy': 'no-referrer',
  // Also for a redirect: pages with Cross-Origin-Embedder-Policy could not embed its target (Fetch standard, 4.3).
  'cross-origin-resource-policy': 'cross-origin',
}

/**
 * The headers of every other answer of the content host, besides X-Request-Id. No CORS header: pages of other origins can embed its
 * answers, not read them.
 */
export const contentHeaders = { ...redirectHeaders, 'content-security-policy': policies.document }

/** The policy for a media type, which may have parameters. */
export function contentPolicyOf(mediaType: string): string {
  // Of a list of types, a browser takes the last (Fetch standard, "extract a MIME type").
  if (mediaType.includes(',')) return policies.document
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/pdf') return policies.pdf
  return /^(?:image|audio|video)\/(?!.*xml)/.test(type) ? policies.media : policies.document
}
