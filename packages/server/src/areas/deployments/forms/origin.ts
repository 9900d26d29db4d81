import { badRequest } from '@svc/contract/errors'
import { ContentError } from '../../../http/answer.js'
import type { FormOptions } from './options.js'
import { parseUrl } from '../../../shared/parse-url.js'

/** A header `Origin` that names a site. Undefined for `null`, which browsers send for pages without an origin. */
function siteOf(origin: string | undefined): string | undefined {
  if (origin === undefined || !/^https?:\/\//i.test(origin) || !parseUrl(origin)) return undefined
  return new URL(origin).origin
}

/**
 * The headers that let a page read the answer (Fetch standard, CORS protocol).
 * @throws ContentError 403 if the form may not be sent from this site
 */
export function corsHeaders({ origins }: FormOptions, origin: string | undefined): Readonly<Record<string, string>> {
  if (origins.length === 0) return { 'access-control-allow-origin': '*' }
  const site = siteOf(origin)
  if (site === undefined || !origins.includes(site))
    throw new ContentError(403, 'This form cannot be sent from this site.', { vary: 'Origin' })
  return { 'access-control-allow-origin': site, vary: 'Origin' }
}

/** The answer to a preflight, besides the headers of `corsHeaders`. */
export const preflightHeaders = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, accept',
  'access-control-max-age': '86400',
} as const

/**
 * Checks where a browser asks to be sent after a submission. Any other URL would make the form an open redirect.
 * @param next absolute, or relative to the site of the page
 * @param origin the header of the request
 * @returns the URL in ASCII
 * @throws ApiError `bad_request` for a URL that is neither on the site of the page nor in the options of the form
 */
export function checkNext(next: string, origin: string | undefined, { next_urls: listed }: FormOptions): string {
  const site = siteOf(origin)
  const url = parseUrl(next, site)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  const isPlain = isWeb && url.username === '' && url.password === ''
  if (!isPlain || (url.origin !== site && !listed.includes(url.href)))
    throw badRequest('_next', 'must be a page of the site that sends the form, or a URL that the form lists')
  return url.href
}
