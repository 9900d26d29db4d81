import type { IncomingMessage } from 'node:http'
import { ApiError } from '@svc/contract'
import type { ByteLimits } from '../handler.js'

/** The body of an operation with bytes, in one of its forms. */
export interface ByteBody {
  /**
   * The bytes of the field while they arrive; of several files one after another, each with `endOfFile` after its last byte. An empty
   * chunk stands for other bytes of the body, so that the reader sees whether the client goes on.
   * @throws ApiError for a body or other fields that are not valid
   */
  readonly bytes: AsyncGenerator<Uint8Array>
  /** Reads up to the first byte of the field. @returns the other fields, checked; empty if some may follow */
  readonly known: () => Promise<object>
  /** The other fields, checked. To be read after `bytes` has ended. */
  readonly fields: () => object
  /** The names of several files, in their order; empty for a field with one. To be read after `bytes` has ended. */
  readonly names: () => readonly string[]
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

/** @throws ApiError for a body whose Content-Length is too long for the limits */
export function refuseTooLong(request: IncomingMessage, body: ByteBody, { request: own, account }: ByteLimits): void {
  const isAccountSmaller = account.max < own.max
  if (Number(request.headers['content-length']) > body.maxLength(isAccountSmaller ? account.max : own.max))
    throw new ApiError('bad_request', isAccountSmaller ? account.reason(0) : own.reason)
}

/** Stands for bytes of the body that are not those of the field. */
export const noBytes = Buffer.alloc(0)

/** Stands for the end of one of several files. Compared by identity. */
export const endOfFile = Buffer.alloc(0)
