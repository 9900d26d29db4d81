import { randomBytes } from 'node:crypto'
import { consoleAreas } from '@svc/contract'
import { Document } from '../http/answer.js'
import { filesOfPage, type PageFiles } from './page-files.js'

/** The built page, split at its placeholders. */
export interface PageTemplate {
  readonly beforeRoot: string
  readonly beforeBase: string
  readonly beforeNonce: string
  readonly beforeHeadEnd: string
  readonly end: string
}

/** As packages/console/index.html has them. Vite writes them unchanged. */
const rootPlaceholder = '<html lang="en">'
const headEndPlaceholder = '</head>'
const basePlaceholder = '<base href="/console/" />'
const noncePlaceholder = '<meta name="csp-nonce" content="" />'
const originPlaceholder = '<meta name="content-origin" content="" />'

/**
 * @param contentOrigin of the content host, for the addresses that the console shows
 * @throws Error unless the page has each placeholder once, in the order of `PageTemplate`
 */
export function pageTemplate(html: string, contentOrigin: string): PageTemplate {
  const [beforeOrigin, afterOrigin, ...moreOrigins] = html.split(originPlaceholder)
  if (afterOrigin === undefined) throw new Error(`The built page of the console must have ${originPlaceholder}.`)
  if (moreOrigins.length > 0) throw new Error('The built page of the console has a placeholder twice.')
  const parts: string[] = []
  let rest = `${beforeOrigin ?? ''}<meta name="content-origin" content="${contentOrigin}" />${afterOrigin}`
  for (const placeholder of [rootPlaceholder, basePlaceholder, noncePlaceholder, headEndPlaceholder]) {
    const at = rest.indexOf(placeholder)
    if (at < 0) throw new Error(`The built page of the console must have ${placeholder}, in its place.`)
    parts.push(rest.slice(0, at))
    rest = rest.slice(at + placeholder.length)
    if (rest.includes(placeholder)) throw new Error('The built page of the console has a placeholder twice.')
  }
  const [beforeRoot = '', beforeBase = '', beforeNonce = '', beforeHeadEnd = ''] = parts
  return { beforeRoot, beforeBase, beforeNonce, beforeHeadEnd, end: rest }
}

/** The page of a build, and the files of each page that it shows. */
export interface BuiltPage {
  readonly page: PageTemplate
  readonly pages: readonly PageFiles[]
}

/** What a request for the page says about its browser. */
interface PageRequest {
  /** As it was sent. */
  readonly path: string
  /** The colors that the user has chosen; undefined for those of the system. */
  readonly colors: 'light' | 'dark' | undefined
  /** Whether it has sent a session, which may have ended. */
  readonly hasSession: boolean
}

/**
 * The page of the console, for one request. With a session, it names the files of the page, and the call that the console begins with.
 * @param contentOrigin of the content host, whose images the console may show
 */
export function consolePage(
  { page: { beforeRoot, beforeBase, beforeNonce, beforeHeadEnd, end }, pages }: BuiltPage,
  { path, colors, hasSession }: PageRequest,
  contentOrigin: string,
): Document {
  const nonce = randomBytes(16).toString('base64')
  const base = `<base href="${baseOf(path)}" />`
  const scheme = colors === undefined ? '' : ` data-mantine-color-scheme="${colors}"`
  const root = `<html lang="en"${scheme}${hasSession ? '' : ' data-visitor'}>`
  const preloads = hasSession ? [...filesOfPage(pages, path), sessionPath].map(preload).join('') : ''
  const head = `${base}${beforeNonce}<meta name="csp-nonce" content="${nonce}" />${beforeHeadEnd}${preloads}</head>`
  const content = `${beforeRoot}${root}${beforeBase}${head}${end}`
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

const { path: sessionUrl } = consoleAreas.session.whoAmI
/** Relative to the console. */
const sessionPath = sessionUrl.slice('/console/'.length)

/**
 * As the console fetches it: a script that is preloaded as a module and fails could not be requested again by the page
 * (https://github.com/whatwg/html/issues/6768).
 */
const preload = (file: string): string => `<link rel="preload" as="fetch" crossorigin href="./${file}" />`

/**
 * The path of the console relative to a page of it. Relative, because a reverse proxy may serve this server below a path that it
 * does not tell.
 */
function baseOf(path: string): string {
  const below = path.split('/').length - 3
  return below < 0 ? 'console/' : below === 0 ? './' : '../'.repeat(below)
}
