import { shortened } from '../../../shared/quoted.js'
import { readLines, type RuleLine } from './lines.js'
import { namesIn, parsePattern, type PathPattern, type Refuse } from './pattern.js'

const rulesMax = 100
const linesMax = 500

/** A path of `_headers` with its lines. JSON. */
export interface HeaderRule {
  readonly path: PathPattern
  readonly changes: readonly HeaderChange[]
}

/** @property value undefined removes the header */
export interface HeaderChange {
  /** In lower case. */
  readonly name: string
  readonly value?: string
}

/**
 * The headers that a site may set: those that concern only browsers on its own host. A list of refused names would miss orders to some
 * proxy or cache (`X-Sendfile2`, `xkey`, `Surrogate-Control`), and headers that reach other sites of the domain (`Set-Cookie`).
 */
export const allowedHeaders = [
  ...['Cache-Control', 'Expires', 'Pragma'],
  ...['Content-Type', 'Content-Disposition', 'Content-Language', 'Link', 'X-Robots-Tag', 'SourceMap', 'X-SourceMap'],
  ...['Content-Security-Policy', 'Content-Security-Policy-Report-Only', 'X-Frame-Options', 'X-Content-Type-Options'],
  ...['Referrer-Policy', 'Permissions-Policy', 'Permissions-Policy-Report-Only', 'Feature-Policy', 'Document-Policy'],
  ...['Strict-Transport-Security', 'X-XSS-Protection', 'X-Download-Options', 'X-Permitted-Cross-Domain-Policies'],
  ...['Cross-Origin-Opener-Policy', 'Cross-Origin-Opener-Policy-Report-Only', 'Cross-Origin-Resource-Policy'],
  ...['Cross-Origin-Embedder-Policy', 'Cross-Origin-Embedder-Policy-Report-Only', 'Origin-Agent-Cluster'],
  ...['Access-Control-Allow-Origin', 'Access-Control-Allow-Methods', 'Access-Control-Allow-Headers'],
  ...['Access-Control-Allow-Credentials', 'Access-Control-Expose-Headers', 'Access-Control-Max-Age'],
  ...['Timing-Allow-Origin', 'Service-Worker-Allowed', 'Speculation-Rules', 'Supports-Loading-Mode'],
  ...['Reporting-Endpoints', 'Report-To', 'NEL', 'Accept-CH', 'X-DNS-Prefetch-Control', 'X-UA-Compatible'],
] as const

const allowed: ReadonlySet<string> = new Set(allowedHeaders.map((name) => name.toLowerCase()))

/** Whether a site may set a header. Rules of versions from before the list can have others. @param name in lower case */
export const isAllowedHeader = (name: string): boolean => allowed.has(name)

/** @param content of `_headers` @throws ApiError `bad_request` with the line of a rule that is not supported */
export function parseHeaders(content: string): HeaderRule[] {
  const rules: { path: PathPattern; changes: HeaderChange[] }[] = []
  let placeholders: readonly string[] = []
  let changes = 0
  for (const line of readLines('_headers', content)) {
    const { text, refuse } = line
    const rule = rules.at(-1)
    if (!/^\s/.test(text)) {
      const path = parsePattern(text, refuse)
      rules.push({ path, changes: [] })
      placeholders = namesIn(path)
      if (rules.length > rulesMax) refuse(`at most ${rulesMax} paths are supported`)
    } else if (rule) {
      rule.changes.push(parseChange(line, placeholders))
      if (++changes > linesMax) refuse(`at most ${linesMax} headers are supported`)
    } else refuse('a header must follow a path that begins at the start of its line')
  }
  return rules
}

function parseChange({ text, refuse }: RuleLine, placeholders: readonly string[]): HeaderChange {
  const line = text.trim()
  if (line.startsWith('!')) return { name: headerName(line.slice(1).trim(), refuse) }
  const colon = line.indexOf(':')
  if (colon === -1) return refuse('a header has the form Name: value, its removal the form ! Name')
  const name = headerName(line.slice(0, colon).trimEnd(), refuse)
  const value = line.slice(colon + 1).trim()
  if (!/^[\x20-\x7e]+$/.test(value)) refuse(`the value of ${name} must be visible ASCII characters`)
  if (placeholders.some((placeholder) => value.includes(`:${placeholder}`)))
    refuse('placeholders are not supported in the value of a header')
  return { name, value }
}

function headerName(given: string, refuse: Refuse): string {
  if (!/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(given))
    refuse(`the name of a header has letters, digits and hyphens, unlike ${shortened(given)}`)
  const name = given.toLowerCase()
  if (!isAllowedHeader(name))
    refuse(`a site cannot set the header ${shortened(given)}; accepted are ${allowedHeaders.join(', ')}`)
  return name
}
