import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { closingQuote, decodeEscapedBytes, decodeEscapes, escapeQuotes, joinStrings } from '../presentation/strings.js'
import { withoutPriority, type RecordTypeRules } from './record-type.js'

/**
 * A certificate authority that may issue certificates: `flags tag "value"` (RFC 8659, section 4.1.1). The tag is in lower
 * case; the value is printable ASCII, in quotes, with `\"` and `\\` inside.
 */
export const caa: RecordTypeRules = {
  code: 257,
  hasPriority: false,
  hasCompressibleName: false,
  targetOffset: undefined,
  nameOffset: undefined,
  fields: {
    count: 3,
    description: 'flags, tag and value, such as 0 issue "letsencrypt.org"',
    words: 2,
    toGiven: ([flags = '', tag = '', value = '']) => `${flags} ${tag} "${value}"`,
  },
  canonicalize,
  // Never too low: the flags, spaces and quotes of the text take more octets than the two before the tag.
  size: (value) => value.length,
  encode(to, text) {
    const [, flags, tag, inQuotes] = /^(\d{1,3}) ([a-z\d]{1,255}) "((?:[^"\\]|\\.)*)"$/isu.exec(text) ?? []
    const value = inQuotes === undefined ? undefined : decodeEscapedBytes(inQuotes)
    if (tag === undefined || value === undefined)
      throw new RangeError(`CAA needs 'flags tag "value"', not ${JSON.stringify(text)}.`)
    to.u8(Number(flags))
    to.u8(tag.length)
    to.raw(Buffer.from(tag.toLowerCase(), 'latin1'))
    to.raw(value)
  },
  decode(data) {
    const tagEnd = 2 + data.readUInt8(1)
    const tag = data.toString('latin1', 2, tagEnd).toLowerCase()
    return formatCaa(data.readUInt8(0), tag, data.subarray(tagEnd).toString())
  },
  // RFC 8659, section 4.1: the tag is not empty.
  isWellFormed: ({ length, 1: tagLength = 0 }) => tagLength > 0 && 2 + tagLength <= length,
  format: (value) => value,
  parse(text) {
    const [, flags, tag = '', rest = ''] = /^(\d{1,3})\s+([a-z\d]+)\s+(\S.*)$/is.exec(text) ?? []
    // A value of one word need not be in quotes (RFC 8659, section 4.1.1).
    const inQuotes = /^[^\s"\\;]+$/.test(rest) ? rest : joinStrings(rest)
    const value = inQuotes === undefined ? undefined : decodeEscapes(inQuotes)
    return value === undefined ? undefined : formatCaa(Number(flags), tag.toLowerCase(), value)
  },
  examples: withoutPriority(
    '0 issue "letsencrypt.org; validationmethods=dns-01"',
    '128 iodef "mailto:a\\"b\\\\c@example.com"',
  ),
}

const formatCaa = (flags: number, tag: string, value: string): string => `${flags} ${tag} "${escapeQuotes(value)}"`

const form = `flags, tag and value, such as '0 issue "letsencrypt.org"'`

function canonicalize(given: string): string {
  const [, flags, tag, rest] = /^(\S+)\s+(\S+)\s+(\S.*)$/su.exec(given.trim()) ?? []
  if (flags === undefined || tag === undefined || rest === undefined)
    throw badRequest('value', `must be ${form}, not ${quoted(given)}`)
  if (!/^\d{1,9}$/.test(flags) || Number(flags) > 255)
    throw badRequest('value', `must have flags from 0 to 255, 128 for critical, not ${quoted(flags)}`)
  // RFC 8659, section 4.1, allows letters and digits. RFC 6844, section 5.1, allows at most 15 of them.
  if (!/^[a-z0-9]{1,15}$/i.test(tag))
    throw badRequest('value', `must have a tag of 1 to 15 letters and digits, such as issue, not ${quoted(tag)}`)
  const value = propertyValue(rest)
  checkIssuer(tag.toLowerCase(), value)
  return formatCaa(Number(flags), tag.toLowerCase(), value)
}

function propertyValue(text: string): string {
  const isWhole = closingQuote(text, 1) === text.length - 1
  const inQuotes = isWhole ? decodeEscapes(text.slice(1, -1)) : undefined
  const value = text.startsWith('"') ? inQuotes : text
  // The empty text is a valid value: it forbids issuance.
  if (value === undefined)
    throw badRequest('value', `must be ${form}, with \\" for a quotation mark inside, not ${quoted(text)}`)
  if (!/^[\x20-\x7e]*$/.test(value))
    throw badRequest('value', `must have a value of printable ASCII characters, not ${quoted(text)}`)
  return value
}

/** RFC 8659, section 4.2. The parameters after the semicolon are not checked, because each authority defines its own. */
const issuer = /^([a-z0-9]+(-+[a-z0-9]+)*(\.[a-z0-9]+(-+[a-z0-9]+)*)*)?( *;.*)?$/i

/** Rejects a malformed value, most often a URL: it would forbid all issuance (RFC 8659, section 4.2, last paragraph). */
function checkIssuer(tag: string, value: string): void {
  if (tag === 'iodef' && !/^(mailto:.+@|https?:\/\/.)/i.test(value))
    throw badRequest(
      'value',
      `must have a mailto: or https: URL for iodef (RFC 8659, section 4.4), not ${quoted(value)}`,
    )
  if (tag !== 'issue' && tag !== 'issuewild' && tag !== 'issuemail') return
  if (!issuer.test(value.trim()))
    throw badRequest(
      'value',
      `must name an authority for ${tag}, such as letsencrypt.org, or ; for none, not ${quoted(value)}`,
    )
}
