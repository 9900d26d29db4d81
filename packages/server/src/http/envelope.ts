import type { ApiError } from '@svc/contract'
import type { ContentError, LongJson } from './answer.js'
import { contentHeaders, fixedHeaders, type AnsweredRequest } from './headers.js'

/** Puts `data`, which is JSON, into the envelope of every answer (specification, section 2.1). */
export const success = (data: string, requestId: string): string => `${head}${data}${tail(requestId)}`

const head = '{"success":true,"data":'
const tail = (requestId: string) => `,"request_id":"${requestId}"}`

const fixedLength = head.length + tail('').length

/** How many bytes `success` adds. */
export const envelopeLength = (requestId: string): number => fixedLength + requestId.length

type Pieces = LongJson['pieces']

/** The same for pieces of JSON. */
export const successPieces = (data: Pieces, requestId: string): Pieces =>
  isList(data)
    ? [Buffer.from(head), ...data, Buffer.from(tail(requestId))]
    : between(Buffer.from(head), data, Buffer.from(tail(requestId)))

const isList = (pieces: Pieces): pieces is readonly Buffer[] => Array.isArray(pieces)

async function* between(first: Buffer, pieces: AsyncIterable<Buffer>, last: Buffer): AsyncGenerator<Buffer> {
  yield first
  yield* pieces
  yield last
}

/** The answer to an error, however it is sent. */
export interface ErrorAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An error of the API, in the envelope. */
export function failure(
  { code, status, message, about, extra, headers }: ApiError,
  request: AnsweredRequest,
): ErrorAnswer {
  const body = { success: false, error: code, message, ...about, ...extra, request_id: request.id }
  const fixed = { ...fixedHeaders(request), 'content-type': jsonMediaType, 'cache-control': 'no-store' }
  return { status, headers: { ...fixed, ...headers }, body: JSON.stringify(body) }
}

type PlainError = Pick<ContentError, 'status' | 'message' | 'headers'>

/** An error of the content host and of sites, as plain text. */
export function plainFailure({ status, message, headers }: PlainError, requestId: string): ErrorAnswer {
  const fixed = {
    ...contentHeaders,
    'x-request-id': requestId,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
  }
  return { status, headers: { ...fixed, ...headers }, body: `${message}\nrequest_id: ${requestId}\n` }
}

export const jsonMediaType = 'application/json; charset=utf-8'
