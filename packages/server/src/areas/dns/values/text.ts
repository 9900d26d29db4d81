import { isUtf8 } from 'node:buffer'
import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { closingQuote } from './quoted-strings.js'
import { textMaxBytes } from './size.js'

/**
 * The text of TXT (RFC 1035, section 3.3.14) and SPF (RFC 7208, section 3.1), as one text of any length: it is cut into
 * strings of 255 bytes on the wire, which readers join again (RFC 7208, section 3.3; RFC 6376, section 3.6.2.2). What
 * begins with a quotation mark is taken for strings as a zone file has them; all else is the text as it is.
 */
export function textValue(given: string): string {
  if (!given.isWellFormed()) throw badRequest('value', `must be text in Unicode, not ${quoted(given)}.`)
  const text = given.startsWith('"') ? joined(given) : given
  if (text === '') throw badRequest('value', 'must not be an empty text.')
  // It would be read as a quoted string when it is sent back as it was answered.
  if (text.startsWith('"')) throw badRequest('value', 'must be a text that does not begin with a quotation mark.')
  if (/[^\P{Cc}\t]/u.test(text))
    throw badRequest('value', `must be a text on one line without control characters, not ${quoted(given)}.`)
  const bytes = Buffer.byteLength(text)
  if (bytes > textMaxBytes) throw badRequest('value', `must have at most ${textMaxBytes} bytes in UTF-8, not ${bytes}.`)
  return text
}

/** Strings in quotes, joined (RFC 1035, section 5.1). Between them are blanks and line ends. */
function joined(given: string): string {
  let text = ''
  for (let at = 0; at < given.length;) {
    const close = given[at] === '"' ? closingQuote(given, at + 1) : -1
    if (close < 0) throw notStrings(given)
    text += given.slice(at + 1, close)
    at = close + 1
    while (' \t\r\n'.includes(given[at] ?? '"')) at += 1
  }
  const read = unescaped(text)
  if (read !== undefined) return read
  throw badRequest('value', `must be UTF-8 once its escapes are read, \\000 to \\255; ${quoted(given)} is not.`)
}

const notStrings = (given: string) =>
  badRequest(
    'value',
    'begins with a quotation mark and must then be strings such as "one" "two", with \\" for a quotation mark and ' +
      `\\\\ for a backslash inside; ${quoted(given)} is not.`,
  )

const backslash = 0x5c

/**
 * Reads escapes: `\DDD` is a byte, `\X` any character but a digit (RFC 1035, section 5.1). Byte by byte, so that an escaped
 * character of several bytes loses the backslash before its first; in a loop, as 160,000 escapes take a regex 100 ms.
 * @returns undefined for an invalid escape, or bytes that are not UTF-8
 */
export function unescaped(text: string): string | undefined {
  if (!text.includes('\\')) return text
  const bytes = Buffer.from(text)
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === backslash) {
      const byte = escapedByte(bytes, at + 1)
      if (byte === undefined || byte > 255) return undefined
      at += isDigit(bytes[at + 1]) ? 3 : 1
      bytes[length++] = byte
    } else bytes[length++] = bytes[at] ?? 0
  }
  const read = bytes.subarray(0, length)
  return isUtf8(read) ? read.toString() : undefined
}

const zero = 0x30

const isDigit = (byte: number | undefined): byte is number => byte !== undefined && byte >= zero && byte <= zero + 9

/** The byte of an escape, read from after its backslash; above 255 if the escape is invalid. */
function escapedByte(bytes: Uint8Array, at: number): number | undefined {
  const first = bytes[at]
  if (!isDigit(first)) return first
  const [second, third] = [bytes[at + 1], bytes[at + 2]]
  return isDigit(second) && isDigit(third) ? first * 100 + second * 10 + third - 111 * zero : undefined
}
