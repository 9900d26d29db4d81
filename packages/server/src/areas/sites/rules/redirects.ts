import { shortened } from '../../../shared/quoted.js'
import { readLines, type RuleLine } from './lines.js'
import {
  namesIn,
  parsePattern,
  staticPath,
  withoutSlash,
  type Captures,
  type PathPattern,
  type Refuse,
} from './pattern.js'
import { parseUrl } from '../../../shared/parse-url.js'

const redirectStatuses = [301, 302, 303, 307, 308] as const
const statuses = [...redirectStatuses, 200, 404] as const
type Status = (typeof statuses)[number]

/** The maxima of Cloudflare Pages. */
const staticMax = 2_000
const dynamicMax = 100

/** A line of `_redirects`. JSON. */
export interface RedirectRule {
  readonly from: PathPattern
  readonly to: string
  readonly status: Status
  /** Whether the rule also applies to a path that has a file. */
  readonly isForced: boolean
}

/** @param content of `_redirects` @throws ApiError `bad_request` with the line of a rule that is not supported */
export function parseRedirects(content: string): RedirectRule[] {
  const rules: RedirectRule[] = []
  let dynamic = 0
  for (const line of readLines('_redirects', content)) {
    const { rule, isStatic } = parseRule(line)
    rules.push(rule)
    if (!isStatic) dynamic++
    if (dynamic > dynamicMax) line.refuse(`at most ${dynamicMax} rules may have placeholders or an asterisk`)
    if (rules.length - dynamic > staticMax)
      line.refuse(`at most ${staticMax} rules without placeholders and asterisk are supported`)
  }
  return rules
}

function parseRule({ text, refuse }: RuleLine): { rule: RedirectRule; isStatic: boolean } {
  const [from = '', to, status = '302', ...others] = withoutComment(text.trim().split(/[ \t]+/))
  if (to === undefined) return refuse('a rule has the form /from /to [status]')
  const [condition] = [status, ...others].filter((word) => !/^\d+!?$/.test(word))
  if (condition !== undefined)
    refuse(`conditions, query parameters and other options are not supported: ${shortened(condition)}`)
  if (others.length > 0) refuse('a rule has the form /from /to [status]')
  const code = statusOf(status, refuse)
  const pattern = parsePattern(from, refuse)
  if (pattern.suffix !== undefined && pattern.suffix !== '')
    refuse(`in _redirects the asterisk must be the last character of a path, unlike in ${shortened(from)}`)
  const target = parseTarget(to, code, refuse)
  requireNames(target, namesIn(pattern), refuse)
  const path = staticPath(pattern)
  if (path !== undefined && code >= 300 && code < 400 && withoutSlash(target.split(/[?#]/, 1)[0] ?? '') === path)
    refuse('this rule redirects a path to itself')
  const rule = { from: pattern, to: target, status: code, isForced: status.endsWith('!') }
  return { rule, isStatic: path !== undefined }
}

/** A word that begins with `#` after the rule begins a comment. */
function withoutComment(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word, index) => index > 0 && word.startsWith('#'))
  return start === -1 ? words : words.slice(0, start)
}

function statusOf(text: string, refuse: Refuse): Status {
  const code = Number(text.replace('!', ''))
  const status = statuses.find((supported) => supported === code)
  return status ?? refuse(`the status must be one of ${statuses.join(', ')}, not ${shortened(text)}`)
}

/** The target in ASCII. */
function parseTarget(given: string, status: Status, refuse: Refuse): string {
  const to = given.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
  const isRedirect = status >= 300 && status < 400
  if (to.startsWith('/')) {
    if (/^\/[/\\]/.test(to)) refuse('a target begins with one slash, or with https:// or http://')
    if (!isRedirect && /[?#]/.test(to)) refuse(`the target of a rule with status ${status} is a file: without ? and #`)
    return to
  }
  if (!isRedirect && isUrl(to))
    refuse(`status ${status} needs a path of this site as its target: svc does not fetch from other servers`)
  if (!isUrl(to) || !parseUrl(to))
    refuse(`a target must be a path or a URL with https or http, not ${shortened(given)}`)
  const host = /^https?:\/\/([^/?#]*)/i.exec(to)?.[1] ?? ''
  if (/[@\\]|:[A-Za-z]/.test(host)) refuse('the host of a target has no user and no placeholder')
  return to
}

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)

function requireNames(target: string, names: readonly string[], refuse: Refuse): void {
  for (const [, name = ''] of target.matchAll(intended))
    if (!names.includes(name))
      refuse(
        `the target uses :${shortened(name)}, but the path before it has no such placeholder; a colon that begins no placeholder is %3A there`,
      )
}

/** A colon that begins a port is not followed by a letter; the one of the scheme is followed by a slash. */
const placeholders = /:([A-Za-z]\w*)/g

/** A colon after a letter or a digit is text, unless the rule has the placeholder: `https://en.wikipedia.org/wiki/Help:Contents`. */
const intended = /(?<![A-Za-z\d]):([A-Za-z]\w*)/g

/**
 * The value of Location for a rule with a redirect.
 * @param query of the request, with its question mark; empty without one. A target with its own query keeps that.
 */
export function locationOf({ to }: Pick<RedirectRule, 'to'>, captures: Captures, query: string): string {
  const location = fill(to, captures)
  const hash = location.indexOf('#')
  const end = hash === -1 ? location.length : hash
  const beforeFragment = location.slice(0, end)
  return beforeFragment.includes('?') ? location : `${beforeFragment}${query}${location.slice(end)}`
}

/** The target of a rule, with percent-escapes. A path never begins with two slashes, which would name a host. */
export function fill(to: string, captures: Captures): string {
  const filled = to.replace(placeholders, (text, name: string) =>
    Object.hasOwn(captures, name) ? encodeCapture(captures[name] ?? '') : text,
  )
  return filled.startsWith('/') ? filled.replace(/^\/+/, '/') : filled
}

/** Percent-encodes a decoded path: everything but unreserved characters and slashes. */
export const encodePath = (path: string): string => path.toWellFormed().split('/').map(encodeURIComponent).join('/')

/** The path of a request keeps its encoded slashes and backslashes (`readPath`). */
const encodeCapture = (text: string): string => encodePath(text).replace(/%25(?=2f|5c)/gi, '%')
