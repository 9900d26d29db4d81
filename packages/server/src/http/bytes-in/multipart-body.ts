import { ApiError, type ByteField } from '@svc/contract'
import { refuseUnstorable } from '../../shared/parse-json.js'
import { maxRest, noBytes, type ByteBody } from './byte-body.js'
import { FormParser } from './form-parser.js'

/** Stands for a file whose name is not known yet, in a check of the other fields. */
const anyName = 'a'

/**
 * A form (RFC 7578) with one file part, or with several if `names.each`, before or after the other fields.
 * @param contentType the header, with the boundary
 * @param check checks the fields, which are text. Several files are their field as in JSON, with empty texts. @throws ApiError
 * @param maxFiles the most file parts
 */
export function multipartBody(
  arriving: AsyncIterable<Buffer>,
  contentType: string,
  names: ByteField,
  check: (given: object) => object,
  maxFiles = 1,
): ByteBody {
  const form = new FormParser(contentType, names, maxFiles)
  let fields: object = {}

  function checkFields(fileNames: readonly string[]): object {
    refuseUnstorable(form.fields)
    const { field, each } = names
    if (!each) return check(form.fields)
    const list = fileNames.map((name) => ({ [each.name]: name, [each.content]: '' }))
    const { [field]: _list, ...others } = check({ ...form.fields, [field]: list }) as Record<string, unknown>
    return others
  }

  async function* fileBytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of arriving) {
      await form.write(chunk)
      yield noBytes
      yield* form.takeFileBytes()
    }
    await form.end()
    yield* form.takeFileBytes()
    fields = checkFields(form.fileNames)
  }

  const bytes = fileBytes()

  async function known(): Promise<object> {
    // No limit of a single file depends on the fields of a form.
    if (!names.each) return {}
    // The generator pauses before it gives out the bytes of the chunk in which the first file begins.
    while (form.fileNames.length === 0) if ((await bytes.next()).done === true) return fields
    try {
      return checkFields([anyName])
    } catch (error) {
      // Fields may follow the file, and all of them are checked after it.
      if (error instanceof ApiError) return {}
      throw error
    }
  }

  return {
    bytes,
    known,
    fields: () => fields,
    names: () => (names.each ? form.fileNames : []),
    maxLength: (length) => length + maxRest,
  }
}
