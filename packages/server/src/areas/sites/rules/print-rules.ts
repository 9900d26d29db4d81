import type { HeaderRule } from './headers.js'
import type { PathPattern } from './pattern.js'
import type { RedirectRule } from './redirects.js'
import type { SiteRules } from './rules.js'

/** The `_headers` and `_redirects` from which `parseRules` makes these rules: to check stored rules as those of a deployment. */
export const printRules = ({ headers, redirects }: SiteRules): { headers: string; redirects: string } => ({
  headers: headers.map(printHeaders).join(''),
  redirects: redirects.map(printRedirect).join(''),
})

const printHeaders = ({ path, changes }: HeaderRule): string => {
  const lines = changes.map(({ name, value }) => (value === undefined ? `  ! ${name}\n` : `  ${name}: ${value}\n`))
  return `${printPattern(path)}\n${lines.join('')}`
}

const printRedirect = ({ from, to, status, isForced }: RedirectRule): string =>
  `${printPattern(from)} ${to} ${String(status)}${isForced ? '!' : ''}\n`

const printPattern = ({ parts, suffix }: PathPattern): string => {
  const printed = parts.map((part) => (typeof part === 'string' ? escape(part) : `:${part.name}`)).join('')
  return suffix === undefined ? printed : `${printed}*${escape(suffix)}`
}

/** Escapes what has a meaning in a pattern or ends it. */
const escape = (literal: string): string =>
  literal.replace(/[%*:?#\s\p{Cc}]/gu, (character) => encodeURIComponent(character).replace('*', '%2A'))
