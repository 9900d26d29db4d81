import { shortened } from '../../../shared/quoted.js'

/** A path pattern of `_headers` and `_redirects`, such as `/blog/:year/*`. JSON. Matching is linear in the path. */
export interface PathPattern {
  /** Literal text and placeholders, up to the asterisk. */
  readonly parts: readonly (string | Placeholder)[]
  /** The text after the asterisk; missing in a pattern without one. */
  readonly suffix?: string
}

interface Placeholder {
  readonly name: string
}

/** The texts that placeholders and the asterisk (`splat`) stand for, decoded. */
export type Captures = Readonly<Record<string, string>>

/** Reports what is wrong with a line. */
export type Refuse = (problem: string) => never

const placeholdersMax = 10

const placeholderForm = /^:([A-Za-z]\w{0,63})$/

/** @param text with percent-escapes or without @param refuse called for a pattern that is not supported */
export function parsePattern(text: string, refuse: Refuse): PathPattern {
  if (!text.startsWith('/') || text.startsWith('//'))
    refuse(`a path must begin with one slash and have no host, not ${shortened(text)}`)
  if (/[?#]/.test(text)) refuse(`a path has no query and no fragment, unlike ${shortened(text)}`)
  const [head = '', suffix, ...others] = withoutSlash(text).split('*')
  if (others.length > 0) refuse(`a path may have one asterisk, unlike ${shortened(text)}`)
  if (suffix?.includes('/:') === true)
    refuse(`placeholders must come before the asterisk, unlike in ${shortened(text)}`)
  const parts = partsOf(head, suffix !== undefined, refuse)
  return suffix === undefined ? { parts } : { parts, suffix: decode(suffix, refuse) }
}

function partsOf(head: string, hasSplat: boolean, refuse: Refuse): PathPattern['parts'] {
  // Most of thousands of rules are as simple as that.
  if (/^[\w./-]*$/.test(head)) return [head]
  const parts: (string | Placeholder)[] = []
  let literal = ''
  const names = new Set<string>()
  const segments = head.slice(1).split('/')
  for (const [index, segment] of segments.entries()) {
    literal += '/'
    if (!segment.startsWith(':')) {
      literal += decode(segment, refuse)
      continue
    }
    const name = placeholderForm.exec(segment)?.[1]
    const isBeforeSplat = hasSplat && index === segments.length - 1
    if (name === undefined || isBeforeSplat)
      return refuse(
        `a placeholder is a whole segment of letters, digits and underscores such as /:id, not ${shortened(segment)}`,
      )
    if (name === 'splat' || names.has(name)) refuse(`the name :${name} is used twice, or is that of the asterisk`)
    names.add(name)
    if (names.size > placeholdersMax) refuse(`at most ${placeholdersMax} placeholders are supported in a path`)
    parts.push(literal, { name })
    literal = ''
  }
  return literal === '' ? parts : [...parts, literal]
}

function decode(text: string, refuse: Refuse): string {
  try {
    return decodeURIComponent(text).normalize('NFC')
  } catch {
    return refuse(`a percent-escape is invalid in ${shortened(text)}`)
  }
}

/** The names of a pattern's placeholders, and `splat` for an asterisk. */
export const namesIn = ({ parts, suffix }: PathPattern): readonly string[] => [
  ...parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name])),
  ...(suffix === undefined ? [] : ['splat']),
]

/** The path of a pattern without placeholders and asterisk; undefined for other patterns. */
export function staticPath({ parts, suffix }: PathPattern): string | undefined {
  const [only] = parts
  return parts.length === 1 && typeof only === 'string' && suffix === undefined ? only : undefined
}

/** `/a/` and `/a` are one path to a rule. */
export const withoutSlash = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)

/** @param path decoded @returns undefined if the path does not match */
export function matchPattern(pattern: PathPattern, path: string): Captures | undefined {
  if (pattern.suffix === undefined) return matchWhole(pattern, path)
  // `/blog/*` includes `/blog`.
  return matchSplat(pattern, pattern.suffix, path) ?? matchSplat(pattern, pattern.suffix, `${path}/`)
}

function matchWhole({ parts }: PathPattern, path: string): Captures | undefined {
  const captures: Record<string, string> = {}
  const whole = withoutSlash(path)
  return consume(parts, whole, captures) === whole.length ? captures : undefined
}

function matchSplat({ parts }: PathPattern, suffix: string, path: string): Captures | undefined {
  const captures: Record<string, string> = {}
  const start = consume(parts, path, captures)
  if (start === undefined || !path.endsWith(suffix) || path.length - suffix.length < start) return undefined
  return { ...captures, splat: path.slice(start, path.length - suffix.length) }
}

/** @returns where the rest of the path begins; undefined if a part does not match */
function consume(parts: PathPattern['parts'], path: string, captures: Record<string, string>): number | undefined {
  let at = 0
  for (const part of parts) {
    if (typeof part === 'string') {
      if (!path.startsWith(part, at)) return undefined
      at += part.length
      continue
    }
    const slash = path.indexOf('/', at)
    const end = slash === -1 ? path.length : slash
    if (end === at) return undefined
    captures[part.name] = path.slice(at, end)
    at = end
  }
  return at
}
