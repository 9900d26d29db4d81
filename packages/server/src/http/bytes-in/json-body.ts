import type { Bytes } from '../../ports/blobs/port.js'
import { parseJson } from '../read-json.js'
import { Base64Decoder } from './base64-decoder.js'
import { maxRest, type ByteBody } from './byte-body.js'
import { JsonSplitter } from './json-splitter.js'

/** PHP writes each slash as `\/`, and a text may be nothing but slashes. */
const charactersPerByte = (4 / 3) * 2

/**
 * A JSON object whose field is base64. The field is decoded while it arrives.
 * @param check checks the object, with an empty field. @throws ApiError
 */
export function jsonBody(arriving: AsyncIterable<Buffer>, field: string, check: (given: unknown) => object): ByteBody {
  const splitter = new JsonSplitter(field, maxRest)
  const decoder = new Base64Decoder(field)
  let fields: object = {}

  async function* decoded(): Bytes {
    for await (const chunk of arriving) {
      const bytes = decoder.push(splitter.push(chunk))
      if (bytes.length > 0) yield bytes
    }
    const { rest } = splitter
    const { [field]: _empty, ...others } = check(rest.length === 0 ? undefined : parseJson(rest)) as Record<
      string,
      unknown
    >
    fields = others
    const last = decoder.end()
    if (last.length > 0) yield last
  }

  return {
    bytes: decoded(),
    known: {},
    fields: () => fields,
    maxLength: (bytes) => Math.ceil(bytes * charactersPerByte) + maxRest,
  }
}
