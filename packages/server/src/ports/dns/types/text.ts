import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { decodeEscapes, escapeQuotes, formatStrings, joinStrings, stringMax } from '../presentation/strings.js'
import type { Bytes } from '../wire/bytes.js'
import { withoutPriority, type RecordTypeRules } from './record-type.js'
import { recordOverhead, rrsetMaxBytes } from './rrset-limit.js'

/**
 * A text of any length, without quotes and escapes. On the wire it consists of strings of 255 octets, which readers join
 * (RFC 7208, section 3.3; RFC 6376, section 3.6.2.2).
 */
const text: Omit<RecordTypeRules, 'code' | 'examples'> = {
  hasPriority: false,
  hasCompressibleName: false,
  targetOffset: undefined,
  nameOffset: undefined,
  fields: {
    count: Infinity,
    description: 'one or more strings, such as "v=spf1 -all"',
    words: 0,
    // In quotes even if the file has no quotes: the escapes are the same, and a quotation mark cannot be misread.
    toGiven: (strings) => `"${strings.join('')}"`,
  },
  canonicalize,
  // In quotes: without them, a text that begins with a quotation mark would be read as strings.
  toGiven: (value) => `"${escapeQuotes(value)}"`,
  size(value) {
    const bytes = Buffer.byteLength(value)
    return bytes + Math.ceil(bytes / stringMax)
  },
  encode: encodeStrings,
  decode: decodeStrings,
  isWellFormed: hasWholeStrings,
  format: formatStrings,
  parse(text) {
    const joined = joinStrings(text)
    return joined === undefined ? undefined : decodeEscapes(joined)
  },
}

/** RFC 1035, section 3.3.14. */
export const txt: RecordTypeRules = {
  ...text,
  code: 16,
  examples: withoutPriority('v=DKIM1; p=' + 'A'.repeat(700), 'Grüße "an" \\ alle', ' '),
}

/** The type that SPF policies once had (RFC 7208, section 3.1). */
export const spf: RecordTypeRules = {
  ...text,
  code: 99,
  examples: withoutPriority('v=spf1 include:_spf.example.net ~all'),
}

/** The longest text that fits, alone in its RRset: each string of 255 octets needs one more for its length. */
export const textMaxBytes = Math.floor(((rrsetMaxBytes - recordOverhead) * stringMax) / (stringMax + 1))

/** A value that begins with a quotation mark is read as strings of a zone file, any other as the text itself. */
function canonicalize(given: string): string {
  if (!given.isWellFormed()) throw badRequest('value', `must be text in Unicode, not ${quoted(given)}`)
  const text = given.startsWith('"') ? textOfStrings(given) : given
  if (text === '') throw badRequest('value', 'must not be an empty text')
  // A caller that sends this answer back would send quoted strings.
  if (text.startsWith('"')) throw badRequest('value', 'must be a text that does not begin with a quotation mark')
  if (/[^\P{Cc}\t]/u.test(text))
    throw badRequest('value', `must be a text on one line without control characters, not ${quoted(given)}`)
  const bytes = Buffer.byteLength(text)
  if (bytes > textMaxBytes) throw badRequest('value', `must have at most ${textMaxBytes} bytes in UTF-8, not ${bytes}`)
  return text
}

function textOfStrings(given: string): string {
  const joined = joinStrings(given)
  if (joined === undefined)
    throw badRequest(
      'value',
      'begins with a quotation mark and must then be strings such as "one" "two", with \\" for a quotation mark and ' +
        `\\\\ for a backslash inside; ${quoted(given)} is not`,
    )
  const text = decodeEscapes(joined)
  if (text !== undefined) return text
  throw badRequest('value', `must be UTF-8 once its escapes are read, \\000 to \\255; ${quoted(given)} is not`)
}

function encodeStrings(to: Bytes, value: string): void {
  const bytes = Buffer.from(value)
  // An empty text is one empty string: a TXT record has at least one (RFC 1035, section 3.3.14).
  for (let at = 0; at === 0 || at < bytes.length; at += stringMax) {
    const part = bytes.subarray(at, at + stringMax)
    to.u8(part.length)
    to.raw(part)
  }
}

function decodeStrings(data: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at < data.length; at += 1 + (data[at] ?? 0))
    parts.push(data.subarray(at + 1, at + 1 + (data[at] ?? 0)))
  return Buffer.concat(parts).toString()
}

/** Whether octets are one or more strings. */
function hasWholeStrings(data: Buffer): boolean {
  let at = 0
  while (at < data.length) at += 1 + (data[at] ?? 0)
  return data.length > 0 && at === data.length
}
