import { parseHeaders, type HeaderRule } from './headers.js'
import { parseRedirects, type RedirectRule } from './redirects.js'

/** The rules of a deployed version. JSON. */
export interface SiteRules {
  readonly headers: readonly HeaderRule[]
  readonly redirects: readonly RedirectRule[]
}

/**
 * Reads `_headers` and `_redirects` in the form of Netlify and Cloudflare Pages.
 * @param files their contents; a site need not have them
 * @throws ApiError `bad_request` with the file and the line of a rule that is not supported
 */
export const parseRules = (files: { readonly headers?: string; readonly redirects?: string }): SiteRules => ({
  headers: parseHeaders(files.headers ?? ''),
  redirects: parseRedirects(files.redirects ?? ''),
})
