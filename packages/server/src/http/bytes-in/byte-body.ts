import type { IncomingMessage } from 'node:http'
import { ApiError } from '@svc/contract'
import type { Bytes } from '../../ports/blobs/port.js'
import type { ByteLimit } from '../handler.js'

/** The body of an operation with bytes, in one of its forms. */
export interface ByteBody {
  /** The bytes of the field while they arrive. @throws ApiError for a body or other fields that are not valid */
  readonly bytes: Bytes
  /** The other fields that are known before the bytes, checked. */
  readonly known: object
  /** The other fields, checked. To be read after `bytes` has ended. */
  readonly fields: () => object
  /** The longest body, in bytes, that so many bytes of the field can have. */
  readonly maxLength: (bytes: number) => number
}

/** The most bytes of a body besides those of its field: the other fields, and the boundaries and headers of a form. */
export const maxRest = 64 * 1024

/**
 * The body of a request while it arrives. Leaving the loop keeps the connection open, so that it can be answered.
 * @throws ApiError `bad_request` if the client leaves before the end
 */
export async function* arriving(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  } catch {
    // Node.js reports only a connection that has ended.
    throw new ApiError('bad_request', 'The request could not be read.')
  }
}

/** @throws ApiError for a body whose Content-Length is too long for the limit */
export function refuseTooLong(request: IncomingMessage, body: ByteBody, { max, reason }: ByteLimit): void {
  if (Number(request.headers['content-length']) > body.maxLength(max)) throw new ApiError('bad_request', reason)
}

/** The same bytes. @throws ApiError as soon as there are more than the limit */
export async function* atMost({ max, reason }: ByteLimit, bytes: Bytes): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > max) throw new ApiError('bad_request', reason)
    yield chunk
  }
}
