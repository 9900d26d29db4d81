import { NoAnswerError } from './errors.js'

/** The statuses that name another address (RFC 9110, sections 15.4.2 to 15.4.9); 300 and 304 do not. */
const redirects: readonly number[] = [301, 302, 303, 307, 308]

/** Maximum number of characters of the target in a message. */
const shownMaxLength = 200

/**
 * The error for a redirect; undefined for any other answer. The API does not redirect clients, so the redirect is from
 * another server: a proxy that moves http to https, a sign-in page.
 * @param what method and URL of the request, for the message
 */
export function redirectOf(response: Response, what: string): NoAnswerError | undefined {
  // Browsers hide the status and the target of a redirect that is not followed (Fetch standard, opaque-redirect).
  if (response.type === 'opaqueredirect')
    return new NoAnswerError('redirect', `${what}: answered with a redirect: is this the API's own address?`)
  if (response.redirected)
    return new NoAnswerError('redirect', `${what}: a redirect was followed to ${shown(response.url, response.url)}`)
  if (!redirects.includes(response.status)) return undefined
  const location = response.headers.get('location')
  const where = location === null ? 'without an address' : `to ${shown(location, response.url)}`
  return new NoAnswerError(
    'redirect',
    `${what}: answered ${String(response.status)} ${where}: is this the API's own address?`,
  )
}

/** The target without user, password, query and fragment, which may contain credentials. */
function shown(location: string, base: string): string {
  const url = parseUrl(location, base)
  if (!url) return 'an address that cannot be read'
  const { protocol, host, pathname } = url
  if (protocol !== 'http:' && protocol !== 'https:') return `a ${protocol} address`
  const address = `${protocol}//${host}${pathname}`
  return address.length > shownMaxLength ? `${address.slice(0, shownMaxLength)}…` : address
}

/** Not with `URL.parse`, which browsers lack before September 2024. @returns undefined for a text that is not a URL */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    // The constructor throws only for a text that is not a URL.
    return undefined
  }
}
