import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../shared/quoted.js'
import { parseUrl } from '../../shared/parse-url.js'

/** Characters of a URL in the options of a deployment. */
const maxLength = 2048

/** @throws ApiError `bad_request` */
export function checkUrlLength(field: string, url: string): void {
  if (url.length > maxLength)
    throw badRequest(field, `must have at most ${String(maxLength)} characters, not ${String(url.length)}`)
}

/**
 * Checks a URL that browsers are sent to.
 * @returns the URL in the form of the URL standard, which is ASCII: a header can contain it
 * @throws ApiError `bad_request`
 */
export function checkUrl(field: string, given: string): string {
  const url = parse(field, given)
  checkUrlLength(field, url.href)
  return url.href
}

/** The same for the origin of a site. @returns `https://example.com`, with the port if it is not the default */
export function checkOrigin(field: string, given: string): string {
  const { origin, pathname, search, hash } = parse(field, given)
  if (pathname !== '/' || search !== '' || hash !== '')
    throw badRequest(field, `must be an origin without a path, such as ${origin}, not ${quoted(given)}`)
  return origin
}

function parse(field: string, given: string): URL {
  // First, because parsing reads all of it.
  checkUrlLength(field, given)
  const url = parseUrl(given)
  if (!url) throw badRequest(field, `must be an absolute URL, such as https://example.com/, not ${quoted(given)}`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw badRequest(field, `must be a URL of http or https, not ${quoted(url.protocol)}`)
  if (url.username !== '' || url.password !== '')
    throw badRequest(field, 'must not contain a user name or a password: every visitor would see them')
  return url
}
