import { isUtf8 } from 'node:buffer'
import { ApiError } from '@svc/contract/errors'

/** Some editors write a byte order mark. The RFC allows parsers to ignore it. */
const byteOrderMark = /^\uFEFF/

/**
 * Parses JSON.
 * @param valuesMax the most values that it may have
 * @throws ApiError for a body that is not JSON in UTF-8, is costly to parse, or has text that a database cannot store
 */
export function parseJson(body: Buffer, valuesMax = defaultValuesMax): unknown {
  const value = parseAnyText(body, valuesMax)
  refuseUnstorable(value)
  return value
}

/**
 * Parses JSON, and keeps characters that a database cannot store.
 * @throws ApiError for a body that is not JSON in UTF-8, or is costly to parse
 */
export function parseAnyText(body: Buffer, valuesMax = defaultValuesMax): unknown {
  if (!isUtf8(body)) throw new ApiError('bad_request', 'The body is not UTF-8.')
  refuseCostly(body, valuesMax)
  try {
    return JSON.parse(body.toString().replace(byteOrderMark, ''))
  } catch (error) {
    throw new ApiError('bad_request', `The body is not JSON: ${problemOf(error as SyntaxError)}.`)
  }
}

/** V8 quotes the text around an unexpected token: it may be a secret, so it is left out. */
const problemOf = ({ message }: SyntaxError): string => (message.includes('"') ? 'Unexpected token' : message)

/** Far more than most operations need. */
const defaultValuesMax = 1000
const maxDepth = 32

const [quote, backslash, comma, bracket, closingBracket, brace, closingBrace] = Buffer.from('"\\,[]{}')

/**
 * Refuses JSON that is costly to parse, in one pass over the bytes. JSON.parse needs more than 100 ms and 60 MB for a mebibyte
 * of `{},{},…` or `[[[[…`, but 2 ms for one of plain text.
 * @throws ApiError for a body with too many values or levels
 */
function refuseCostly(body: Buffer, valuesMax: number): void {
  let depth = 0
  let values = 1
  let inString = false
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]
    if (inString) {
      if (byte === backslash) i++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === comma) values++
    else if (byte === bracket || byte === brace) {
      values++
      depth++
      if (depth > maxDepth) throw new ApiError('bad_request', `The body is nested more than ${maxDepth} levels deep.`)
    } else if (byte === closingBracket || byte === closingBrace) depth--
  }
  if (values > valuesMax) throw new ApiError('bad_request', `The body has more than ${valuesMax} values.`)
}

/** @throws ApiError for text that a database cannot store unchanged: a NUL, or half of a surrogate pair */
export function refuseUnstorable(value: unknown): void {
  const parts: unknown[] = [value]
  while (parts.length > 0) {
    const part = parts.pop()
    if (typeof part === 'string' && (!part.isWellFormed() || part.includes('\0')))
      throw new ApiError(
        'bad_request',
        'The body has a NUL character or half of a surrogate pair, which text must not contain.',
      )
    if (typeof part === 'object' && part !== null)
      for (const [key, inner] of Object.entries(part)) parts.push(key, inner)
  }
}
