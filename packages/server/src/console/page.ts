import { randomBytes } from 'node:crypto'
import { Document } from '../http/answer.js'

/**
 * The page of the console, for one request.
 * @param template the built page
 * @param path of the request, as it was sent
 * @param contentOrigin of the content host, whose images the console may show
 */
export function consolePage(template: string, path: string, contentOrigin: string): Document {
  const nonce = randomBytes(16).toString('base64')
  const content = template
    .replace('<base href="/console/" />', `<base href="${baseOf(path)}" />`)
    .replace('name="csp-nonce" content=""', `name="csp-nonce" content="${nonce}"`)
    .replace('name="content-origin" content=""', `name="content-origin" content="${contentOrigin}"`)
  return new Document(content, 'text/html; charset=utf-8', {
    // Each answer has another nonce.
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      `img-src 'self' data: blob: ${contentOrigin}`,
      `media-src ${contentOrigin}`,
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
