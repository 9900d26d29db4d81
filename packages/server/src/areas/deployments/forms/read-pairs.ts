import { ApiError, badRequest } from '@svc/contract/errors'
import { ContentError } from '../../../http/answer.js'
import { quoted } from '../../../shared/quoted.js'
import { parseJson } from '../../../shared/parse-json.js'
import { pairsMax, tooManyPairs, type Pair } from './fields.js'
import { readMultipart } from './multipart.js'

/** The largest body. Percent-encoding and multipart headers make it longer than the stored fields. */
export const bodyMaxBytes = 128 * 1024

/** More than the pairs of a form, because browsers and scripts send empty ones. */
const separatorsMax = 4 * pairsMax

/**
 * Reads the pairs of a form in one of the three encodings of the web.
 * @param contentType the header; undefined counts as that of an HTML form
 * @throws ApiError `bad_request`; ContentError 415 for another type
 */
export async function readPairs(contentType: string | undefined, body: Buffer): Promise<readonly Pair[]> {
  switch (mediaTypeOf(contentType)) {
    case undefined:
    case 'application/x-www-form-urlencoded':
      return readUrlencoded(body)
    case 'multipart/form-data':
      return readMultipart(contentType ?? '', body)
    case 'application/json':
      return readJson(body)
    default:
      throw new ContentError(
        415,
        'Send the form as application/x-www-form-urlencoded, multipart/form-data or application/json.',
      )
  }
}

/** In lower case, without parameters. */
export const mediaTypeOf = (contentType: string | undefined): string | undefined =>
  contentType?.split(';', 1)[0]?.trim().toLowerCase()

function readUrlencoded(body: Buffer): readonly Pair[] {
  const text = body.toString()
  // Parsing 128 KiB of short pairs takes 80 ms.
  if (text.split('&', separatorsMax + 1).length > separatorsMax) throw tooManyPairs()
  return [...new URLSearchParams(text)]
}

function readJson(body: Buffer): readonly Pair[] {
  const value = parseJson(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('bad_request', 'The body must be a JSON object with the fields of the form.')
  return Object.entries(value).flatMap(([name, given]: [string, unknown]) =>
    (Array.isArray(given) ? given : [given]).map((item: unknown): Pair => [name, toText(name, item)]),
  )
}

function toText(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw badRequest(`The field ${quoted(name)}`, 'must be a text, a number, true or false, or a list of these')
}
