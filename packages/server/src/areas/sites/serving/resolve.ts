import type { MatchedRedirect, RuleMatcher } from '../rules/matcher.js'
import { encodePath, fill, type RedirectRule } from '../rules/redirects.js'
import { decodePath } from './site-path.js'

/** How deep the folders of a site may be. */
const foldersMax = 32

/** A redirect; `locationOf` makes its target. */
export interface FoundRedirect extends Pick<MatchedRedirect, 'captures'> {
  readonly rule: Pick<RedirectRule, 'to' | 'status'>
}

/** What a site has at a path: a file without a leading slash, or a redirect. */
export type Found = { readonly file: string; readonly status: 200 | 404 } | FoundRedirect

/** A path of a request, with the rule that matches it. */
export interface Asked {
  /** Of `decodePath`. */
  readonly path: string
  readonly match: MatchedRedirect | undefined
  /** The path of a rule with a file as its target; undefined for another rule, or for a target that no file can have. */
  readonly rewritten: string | undefined
}

export function ask(path: string, rules: RuleMatcher): Asked {
  const match = rules.redirectFor(path)
  const isRewrite = match !== undefined && !isRedirect(match.rule)
  return { path, match, rewritten: isRewrite ? decodePath(fill(match.rule.to, match.captures)) : undefined }
}

const isRedirect = ({ status }: RedirectRule): boolean => status >= 300 && status < 400

/** Every file that the answer can depend on. */
export const candidatesOf = ({ path, rewritten }: Asked): readonly string[] => [
  ...filesAt(path),
  ...(rewritten === undefined ? [] : filesAt(rewritten)),
  ...notFoundPages(path),
  appPage,
]

/** The page of a single-page application, for paths without a file. */
const appPage = '200.html'

/** The files of a path, the first one that exists counts: the file, the page without its extension, the index of a folder. */
function filesAt(path: string): readonly string[] {
  const name = path.slice(1)
  return name === '' || name.endsWith('/')
    ? [`${name}index.html`, `${name.slice(0, -1)}.html`]
    : [name, `${name}.html`, `${name}/index.html`]
}

/** `404.html` of the folder of a path and of all folders above it. */
function notFoundPages(path: string): readonly string[] {
  const folders = path.slice(1).split('/').slice(0, -1)
  const pages: string[] = []
  for (let depth = Math.min(folders.length, foldersMax); depth >= 0; depth--)
    pages.push([...folders.slice(0, depth), '404.html'].join('/'))
  return pages
}

/** @param has whether the site has one of the candidates @returns undefined if the site has no answer */
export function resolve(asked: Asked, has: (file: string) => boolean): Found | undefined {
  const { path, match } = asked
  const byRule = match && ((): Found | undefined => applyRule(asked, match, has))
  return (
    (match?.rule.isForced === true ? byRule?.() : undefined) ??
    fileOf(path, has) ??
    byRule?.() ??
    pageOf(notFoundPages(path), 404, has) ??
    pageOf([appPage], 200, has)
  )
}

/** The file of a path. A page and a folder have one address each: the other spelling of the slash is redirected to it. */
function fileOf(path: string, has: (file: string) => boolean): Found | undefined {
  const [file, page, index] = filesAt(path)
  if (file !== undefined && has(file)) return { file, status: 200 }
  if (page === undefined || path === '/') return undefined
  const isFolder = path.endsWith('/')
  if (has(page)) return isFolder ? redirectTo(path.slice(0, -1)) : { file: page, status: 200 }
  return index !== undefined && has(index) ? redirectTo(`${path}/`) : undefined
}

const redirectTo = (path: string): FoundRedirect => ({ rule: { to: encodePath(path), status: 308 }, captures: {} })

function applyRule(
  { rewritten }: Asked,
  { rule, captures }: MatchedRedirect,
  has: (file: string) => boolean,
): Found | undefined {
  if (isRedirect(rule)) return { rule, captures }
  if (rewritten === undefined) return undefined
  return pageOf(filesAt(rewritten), rule.status === 404 ? 404 : 200, has)
}

function pageOf(pages: readonly string[], status: 200 | 404, has: (file: string) => boolean): Found | undefined {
  const file = pages.find(has)
  return file === undefined ? undefined : { file, status }
}
