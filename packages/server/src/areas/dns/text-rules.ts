import { badRequest } from '@svc/contract/errors'
import { quoted } from './quoted.js'
import { textMaxBytes } from './size-rules.js'

/**
 * The text of TXT (RFC 1035, section 3.3.14) and SPF (RFC 7208, section 3.1), as one text of any length: it is cut into
 * strings of 255 bytes on the wire, which readers join again (RFC 7208, section 3.3; RFC 6376, section 3.6.2.2). What
 * begins with a quotation mark is taken for strings as a zone file has them; all else is the text as it is.
 */
export function textValue(given: string): string {
  const text = given.startsWith('"') ? joined(given) : given
  if (text === '') throw badRequest('value', 'must not be an empty text.')
  // It would be read as a quoted string when it is sent back as it was answered.
  if (text.startsWith('"')) throw badRequest('value', 'must be a text that does not begin with a quotation mark.')
  const control = /[^\P{Cc}\t]/u.exec(text)
  if (control !== null)
    throw badRequest('value', `must be a text on one line without control characters, not ${quoted(given)}.`)
  if (!text.isWellFormed()) throw badRequest('value', `must be text in Unicode, not ${quoted(given)}.`)
  const bytes = Buffer.byteLength(text)
  if (bytes > textMaxBytes) throw badRequest('value', `must have at most ${textMaxBytes} bytes in UTF-8, not ${bytes}.`)
  return text
}

const notStrings = (given: string) =>
  badRequest(
    'value',
    `begins with a quotation mark and must then be strings such as "one" "two", with \\" for a quotation mark ` +
      `and \\\\ for a backslash inside; ${quoted(given)} is not.`,
  )

/** Strings in quotes, joined (RFC 1035, section 5.1). */
function joined(given: string): string {
  const strings = /"((?:[^"\\]|\\.)*)"\s*/suy
  let text = ''
  while (strings.lastIndex < given.length) {
    const match = strings.exec(given)
    if (match === null) throw notStrings(given)
    text += match[1] ?? ''
  }
  return unescaped(text) ?? refuse(given)
}

const refuse = (given: string): never => {
  throw badRequest('value', `must be UTF-8 once its escapes are read, and \\DDD at most 255; ${quoted(given)} is not.`)
}

/** `\DDD` is a byte, `\X` is X (RFC 1035, section 5.1); undefined where the bytes are no UTF-8. */
export function unescaped(text: string): string | undefined {
  if (!text.includes('\\')) return text
  const parts = Array.from(text.matchAll(/\\(\d{3})|\\(.)|[^\\]+/gsu), ([whole, byte, character]) =>
    byte === undefined ? Buffer.from(character ?? whole) : Number(byte),
  )
  const bytes = parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part))
  if (parts.some((part) => typeof part === 'number' && part > 255)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes))
  } catch {
    return undefined
  }
}
