import { randomBytes } from 'node:crypto'
import { Document } from '../http/answer.js'

/** The built page, split at its placeholders. */
export interface PageTemplate {
  readonly beforeBase: string
  readonly beforeNonce: string
  readonly end: string
}

/** As packages/console/index.html has them. Vite writes them unchanged. */
const basePlaceholder = '<base href="/console/" />'
const noncePlaceholder = '<meta name="csp-nonce" content="" />'
const originPlaceholder = '<meta name="content-origin" content="" />'

/**
 * @param contentOrigin of the content host, for the addresses that the console shows
 * @throws Error unless the page has each placeholder once, the base first
 */
export function pageTemplate(html: string, contentOrigin: string): PageTemplate {
  const [beforeOrigin, afterOrigin, ...moreOrigins] = html.split(originPlaceholder)
  if (afterOrigin === undefined) throw new Error(`The built page of the console must have ${originPlaceholder}.`)
  const page = `${beforeOrigin ?? ''}<meta name="content-origin" content="${contentOrigin}" />${afterOrigin}`
  const [beforeBase, afterBase, ...moreBases] = page.split(basePlaceholder)
  const [beforeNonce, end, ...moreNonces] = (afterBase ?? '').split(noncePlaceholder)
  if (beforeBase === undefined || beforeNonce === undefined || end === undefined)
    throw new Error(`The built page of the console must have ${basePlaceholder}, then ${noncePlaceholder}.`)
  if (moreOrigins.length + moreBases.length + moreNonces.length > 0)
    throw new Error('The built page of the console has a placeholder twice.')
  return { beforeBase, beforeNonce, end }
}

/**
 * The page of the console, for one request.
 * @param path of the request, as it was sent
 * @param contentOrigin of the content host, whose images the console may show
 */
export function consolePage(
  { beforeBase, beforeNonce, end }: PageTemplate,
  path: string,
  contentOrigin: string,
): Document {
  const nonce = randomBytes(16).toString('base64')
  const base = `<base href="${baseOf(path)}" />`
  const content = `${beforeBase}${base}${beforeNonce}<meta name="csp-nonce" content="${nonce}" />${end}`
  return new Document(content, 'text/html; charset=utf-8', {
    // Each answer has another nonce.
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      `img-src 'self' data: blob: ${contentOrigin}`,
      // Files of the account, as downloads.
      "media-src 'self'",
      "frame-src 'self'",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
  })
}

/**
 * The path of the console relative to a page of it. Relative, because a reverse proxy may serve this server below a path that it
 * does not tell.
 */
function baseOf(path: string): string {
  const below = path.split('/').length - 3
  return below < 0 ? 'console/' : below === 0 ? './' : '../'.repeat(below)
}
