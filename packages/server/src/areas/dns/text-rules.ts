import { isUtf8 } from 'node:buffer'
import { badRequest } from '@svc/contract/errors'
import { quoted } from './quoted.js'
import { textMaxBytes } from './size-rules.js'

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

/** Strings in quotes, joined (RFC 1035, section 5.1). */
function joined(given: string): string {
  const strings = /"([^"\\]*(?:\\.[^"\\]*)*)"\s*/suy
  let text = ''
  while (strings.lastIndex < given.length) {
    const match = strings.exec(given)
    if (match === null) throw notStrings(given)
    text += match[1] ?? ''
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

/** `\DDD` is a byte, `\X` any character but a digit (RFC 1035, section 5.1). */
const escapes = /^[^\\]*(?:\\(?:[01]\d\d|2[0-4]\d|25[0-5]|\D)[^\\]*)*$/u

/** @returns undefined for what is no escape, or bytes that are no UTF-8 */
export function unescaped(text: string): string | undefined {
  if (!text.includes('\\')) return text
  if (!escapes.test(text)) return undefined
  // Byte by byte: an escaped character of several bytes loses the backslash before its first.
  const read = Buffer.from(text)
    .toString('latin1')
    .replaceAll(/\\(?:(\d{3})|(.))/gs, (_, decimal: string | undefined, character: string) =>
      decimal === undefined ? character : String.fromCharCode(Number(decimal)),
    )
  const bytes = Buffer.from(read, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : undefined
}
