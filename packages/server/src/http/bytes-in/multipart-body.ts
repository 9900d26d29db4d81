import type { ByteField } from '@svc/contract'
import { refuseUnstorable } from '../read-json.js'
import { maxRest, noBytes, type ByteBody } from './byte-body.js'
import { FormParser } from './form-parser.js'

/**
 * A form (RFC 7578) with one file part, before or after the other fields.
 * @param contentType the header, with the boundary
 * @param check checks the other fields, which are text. @throws ApiError
 */
export function multipartBody(
  arriving: AsyncIterable<Buffer>,
  contentType: string,
  names: ByteField,
  check: (given: object) => object,
): ByteBody {
  const form = new FormParser(contentType, names)
  let fields: object = {}

  async function* fileBytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of arriving) {
      await form.write(chunk)
      yield noBytes
      yield* form.takeFileBytes()
    }
    await form.end()
    yield* form.takeFileBytes()
    refuseUnstorable(form.fields)
    fields = check(form.fields)
  }

  return {
    bytes: fileBytes(),
    // No operation has a form with fields that a limit depends on.
    known: () => Promise.resolve({}),
    fields: () => fields,
    maxLength: (bytes) => bytes + maxRest,
  }
}
