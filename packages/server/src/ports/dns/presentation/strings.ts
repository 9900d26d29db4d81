import { isUtf8 } from 'node:buffer'

/** Quoted strings in the presentation format of DNS data (RFC 1035, section 5.1). */

/** Octets of one string (RFC 1035, section 3.3). */
export const stringMax = 255

/**
 * Finds the end of a quoted string. A backslash escapes the next character. A loop and not a regex, because V8 stores a
 * backtracking position for each escape, and millions of them overflow its stack.
 * @param from the index after the opening quotation mark
 * @returns the index of the closing quotation mark, or -1 if it is missing before `end`
 */
export function closingQuote(text: string, from: number, end = text.length): number {
  for (let at = from; at < end; at += 1) {
    const character = text[at]
    if (character === '"') return at
    if (character === '\\') at += 1
  }
  return -1
}

/**
 * Joins quoted strings, which blanks and line ends may separate.
 * @returns their text, escapes not decoded; undefined if malformed
 */
export function joinStrings(text: string): string | undefined {
  if (text === '') return undefined
  let joined = ''
  for (let at = 0; at < text.length;) {
    const close = text[at] === '"' ? closingQuote(text, at + 1) : -1
    if (close < 0) return undefined
    joined += text.slice(at + 1, close)
    at = close + 1
    while (' \t\r\n'.includes(text[at] ?? '"')) at += 1
  }
  return joined
}

/** Formats a text as strings of at most 255 octets, in ASCII: other octets as `\DDD`. An empty text is one empty string. */
export function formatStrings(text: string): string {
  const bytes = Buffer.from(text)
  const strings: string[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += stringMax) {
    const part = escapeQuotes(bytes.toString('latin1', at, at + stringMax))
    strings.push(`"${part.replaceAll(/[^ -~]/g, (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`)}"`)
  }
  return strings.join(' ')
}

/** Escapes quotation marks and backslashes. */
export const escapeQuotes = (text: string): string => text.replaceAll(/["\\]/g, '\\$&')

/** @returns undefined for an invalid escape, or octets that are not UTF-8 */
export function decodeEscapes(text: string): string | undefined {
  if (!text.includes('\\')) return text
  const bytes = decodeEscapedBytes(text)
  return bytes !== undefined && isUtf8(bytes) ? bytes.toString() : undefined
}

const backslash = 0x5c

/**
 * Decodes escapes: `\DDD` is an octet, `\X` any character except a digit. Octet by octet, so that an escaped character of
 * several octets loses only the backslash before its first octet. In a loop, because a regex needs 100 ms for 160,000 escapes.
 * @returns undefined for an invalid escape
 */
export function decodeEscapedBytes(text: string): Buffer | undefined {
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
  return bytes.subarray(0, length)
}

const zero = 0x30

const isDigit = (byte: number | undefined): byte is number => byte !== undefined && byte >= zero && byte <= zero + 9

/** The octet of an escape, read from after its backslash; undefined or above 255 if the escape is invalid. */
function escapedByte(bytes: Uint8Array, at: number): number | undefined {
  const first = bytes[at]
  if (!isDigit(first)) return first
  const [second, third] = [bytes[at + 1], bytes[at + 2]]
  return isDigit(second) && isDigit(third) ? first * 100 + second * 10 + third - 111 * zero : undefined
}
