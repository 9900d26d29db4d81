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

/** Names that the server decides: they frame the message, describe its bytes, or reach beyond the site's host. */
const reserved = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
  ...['content-length', 'content-encoding', 'content-range', 'accept-ranges', 'date', 'etag', 'last-modified'],
  ...['age', 'location', 'proxy-authenticate', 'server', 'set-cookie', 'status', 'vary', 'via', 'x-request-id'],
  // Netlify asks for a password then. Ignoring it would publish the site without one.
  'basic-auth',
])

/** Orders to a proxy to send another file, and to a browser to delete the data of the domain that all sites are in. */
const orders = /^(?:x-accel-.*|x-sendfile|x-lighttpd-send-file|clear-site-data)$/

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
  if (reserved.has(name)) refuse(`the server sets ${shortened(given)}; a site cannot change it`)
  if (orders.test(name)) refuse(`${shortened(given)} is not supported: it would reach beyond the files of this site`)
  return name
}
