import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { closingQuote } from './quoted-strings.js'
import { unescaped } from './text.js'

const form = `flags, tag and value, such as '0 issue "letsencrypt.org"'`

/**
 * Who may issue certificates: `flags tag "value"` (RFC 8659, section 4.1.1). The tag is kept in lower case, as it is
 * matched; the value is printable ASCII and kept as it is, in quotes, with `\"` and `\\` inside.
 */
export function caaValue(given: string): string {
  const [, flags, tag, rest] = /^(\S+)\s+(\S+)\s+(\S.*)$/su.exec(given.trim()) ?? []
  if (flags === undefined || tag === undefined || rest === undefined)
    throw badRequest('value', `must be ${form}, not ${quoted(given)}.`)
  if (!/^\d{1,9}$/.test(flags) || Number(flags) > 255)
    throw badRequest('value', `must have flags from 0 to 255, 128 for critical, not ${quoted(flags)}.`)
  // RFC 8659, section 4.1, has letters and digits; RFC 6844, section 5.1, at most 15 of them.
  if (!/^[a-z0-9]{1,15}$/i.test(tag))
    throw badRequest('value', `must have a tag of 1 to 15 letters and digits, such as issue, not ${quoted(tag)}.`)
  const value = property(rest)
  checkIssuer(tag.toLowerCase(), value)
  return `${Number(flags)} ${tag.toLowerCase()} "${value.replaceAll(/["\\]/g, '\\$&')}"`
}

function property(text: string): string {
  const isWhole = closingQuote(text, 1) === text.length - 1
  const inQuotes = isWhole ? unescaped(text.slice(1, -1)) : undefined
  const value = text.startsWith('"') ? inQuotes : text
  // `inQuotes` may be the empty text, which is a value: it forbids issuance.
  if (value === undefined)
    throw badRequest('value', `must be ${form}, with \\" for a quotation mark inside, not ${quoted(text)}.`)
  if (!/^[\x20-\x7e]*$/.test(value))
    throw badRequest('value', `must have a value of printable ASCII characters, not ${quoted(text)}.`)
  return value
}

/** RFC 8659, section 4.2; what the parameters mean is between the owner and the authority. */
const issuer = /^([a-z0-9]+(-+[a-z0-9]+)*(\.[a-z0-9]+(-+[a-z0-9]+)*)*)?( *;.*)?$/i

/** Who is named in a form no authority reads is shut out (RFC 8659, section 4.2, last paragraph): a URL, most often. */
function checkIssuer(tag: string, value: string): void {
  if (tag === 'iodef' && !/^(mailto:.+@|https?:\/\/.)/i.test(value))
    throw badRequest(
      'value',
      `must have a mailto: or https: URL for iodef (RFC 8659, section 4.4), not ${quoted(value)}.`,
    )
  if (tag !== 'issue' && tag !== 'issuewild' && tag !== 'issuemail') return
  if (!issuer.test(value.trim()))
    throw badRequest(
      'value',
      `must name an authority for ${tag}, such as letsencrypt.org, or ; for none, not ${quoted(value)}.`,
    )
}
