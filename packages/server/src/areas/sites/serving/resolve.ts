import type { MatchedRedirect, RuleMatcher } from '../rules/matcher.js'
import { encodePath, fill, type RedirectRule } from '../rules/redirects.js'
import { readPath, type RequestPath } from './site-path.js'

/** How deep the folders of a site may be. */
const foldersMax = 32

/** The most characters of the path of a folder: names of entries have at most 1024 bytes. */
const folderMax = 1024

/** Far more than a client takes in a header. */
const targetMax = 16 * 1024

/** A redirect; `locationOf` makes its target. */
export interface FoundRedirect extends Pick<MatchedRedirect, 'captures'> {
  readonly rule: Pick<RedirectRule, 'to' | 'status'>
}

/** What a site has at a path: a file without a leading slash, or a redirect. */
export type Found = { readonly file: string; readonly status: 200 | 404 } | FoundRedirect

/** A path of a request, with the rule that matches it. */
export interface Asked extends RequestPath {
  readonly match: MatchedRedirect | undefined
  /** The path of a rule with a file as its target; undefined for another rule, or for a target that no file can have. */
  readonly rewritten: string | undefined
}

export function ask(asked: RequestPath, rules: RuleMatcher): Asked {
  const found = rules.redirectFor(asked.path)
  const filled = found && fill(found.rule.to, found.captures)
  const match = filled !== undefined && isTarget(filled, found, asked) ? found : undefined
  const target = match && filled !== undefined && !isRedirect(match.rule) ? readPath(filled) : undefined
  return { ...asked, match, rewritten: target?.canBeFile === true ? target.path : undefined }
}

/** Whether a target can be used: a rule may repeat a placeholder, and the captures of a path that was cut are not whole. */
const isTarget = (filled: string, found: MatchedRedirect | undefined, { isCut }: RequestPath): boolean =>
  filled.length <= targetMax && (!isCut || filled === found?.rule.to)

const isRedirect = ({ status }: RedirectRule): boolean => status >= 300 && status < 400

/** Every file that the answer can depend on. */
export const candidatesOf = ({ path, canBeFile, rewritten }: Asked): readonly string[] => [
  ...(canBeFile ? filesAt(path) : []),
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

/** `404.html` of the folder of a path and of all folders above it that a site can have. */
function notFoundPages(path: string): readonly string[] {
  const pages = ['404.html']
  for (
    let slash = path.indexOf('/', 1);
    slash !== -1 && slash <= folderMax && pages.length <= foldersMax;
    slash = path.indexOf('/', slash + 1)
  )
    pages.unshift(`${path.slice(1, slash)}/404.html`)
  return pages
}

/** @param has whether the site has one of the candidates @returns undefined if the site has no answer */
export function resolve(asked: Asked, has: (file: string) => boolean): Found | undefined {
  const { path, canBeFile, match } = asked
  const byRule = match && ((): Found | undefined => applyRule(asked, match, has))
  return (
    (match?.rule.isForced === true ? byRule?.() : undefined) ??
    (canBeFile ? fileOf(path, has) : undefined) ??
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
