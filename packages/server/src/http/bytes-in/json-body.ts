import { ApiError, type ByteField } from '@svc/contract'
import { parseJson } from '../../shared/parse-json.js'
import { Base64Decoder } from './base64-decoder.js'
import { endOfFile, maxRest, noBytes, type ByteBody } from './byte-body.js'
import { JsonSplitter } from './json-splitter.js'

/** PHP writes each slash as `\/`, and a text may be nothing but slashes. */
const charactersPerByte = (4 / 3) * 2

interface Checked {
  readonly fields: object
  readonly names: readonly string[]
}

/**
 * A JSON object with one text in base64, or a list of objects with one text each. The texts are decoded while they arrive.
 * @param check checks the object, with empty texts. @throws ApiError
 */
export function jsonBody(
  arriving: AsyncIterable<Buffer>,
  { field, each }: ByteField,
  check: (given: unknown) => object,
): ByteBody {
  const splitter = new JsonSplitter({ field, ...(each && { each }) }, maxRest)
  let checked: Checked = { fields: {}, names: [] }

  function checkOthers(json: Buffer): Checked {
    const given = check(json.length === 0 ? undefined : parseJson(json)) as Readonly<Record<string, unknown>>
    const { [field]: list, ...fields } = given
    const names = each ? (list as Readonly<Record<string, string>>[]).map((entry) => entry[each.name] ?? '') : []
    return { fields, names }
  }

  /** The name of a text in messages. */
  const nameOf = (index: number) => (each ? `${field}[${index}].${each.content}` : field)

  async function* decoded(): AsyncGenerator<Uint8Array> {
    let index = 0
    let decoder = new Base64Decoder(nameOf(index))
    for await (const chunk of arriving) {
      const pieces = splitter.push(chunk)
      yield noBytes
      for (const piece of pieces) {
        const isEnd = piece === endOfFile
        const bytes = isEnd ? decoder.end() : decoder.push(piece)
        if (bytes.length > 0) yield bytes
        if (!isEnd) continue
        yield endOfFile
        decoder = new Base64Decoder(nameOf(++index))
      }
    }
    checked = checkOthers(splitter.rest)
  }

  const bytes = decoded()

  async function known(): Promise<object> {
    // The generator pauses before it decodes the chunk in which the text begins.
    while (splitter.before === undefined) if ((await bytes.next()).done === true) return checked.fields
    try {
      return checkOthers(splitter.before).fields
    } catch (error) {
      // Fields may follow the text, and all of them are checked after it.
      if (error instanceof ApiError) return {}
      throw error
    }
  }

  return {
    bytes,
    known,
    fields: () => checked.fields,
    names: () => checked.names,
    maxLength: (length) => Math.ceil(length * charactersPerByte) + maxRest,
  }
}
