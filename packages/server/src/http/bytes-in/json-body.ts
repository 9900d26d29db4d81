import { ApiError } from '@svc/contract'
import { parseJson } from '../read-json.js'
import { Base64Decoder } from './base64-decoder.js'
import { maxRest, noBytes, type ByteBody } from './byte-body.js'
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

  function checkOthers(json: Buffer): object {
    const { [field]: _empty, ...others } = check(json.length === 0 ? undefined : parseJson(json)) as Record<
      string,
      unknown
    >
    return others
  }

  async function* decoded(): AsyncGenerator<Uint8Array> {
    for await (const chunk of arriving) {
      const text = splitter.push(chunk)
      yield noBytes
      const bytes = decoder.push(text)
      if (bytes.length > 0) yield bytes
    }
    fields = checkOthers(splitter.rest)
    const last = decoder.end()
    if (last.length > 0) yield last
  }

  const bytes = decoded()

  async function known(): Promise<object> {
    // The generator pauses before it decodes the chunk in which the text begins.
    while (splitter.before === undefined) if ((await bytes.next()).done === true) return fields
    try {
      return checkOthers(splitter.before)
    } catch (error) {
      // Fields may follow the text, and all of them are checked after it.
      if (error instanceof ApiError) return {}
      throw error
    }
  }

  return {
    ...{ bytes, known },
    fields: () => fields,
    maxLength: (length) => Math.ceil(length * charactersPerByte) + maxRest,
  }
}
