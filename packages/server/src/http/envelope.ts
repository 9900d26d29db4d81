import type { ApiError } from '@svc/contract'
import type { LongJson } from './answer.js'

/** Puts `data`, which is JSON, into the envelope of every answer (specification, section 2.1). */
export const success = (data: string, requestId: string): string => `${head}${data}${tail(requestId)}`

const head = '{"success":true,"data":'
const tail = (requestId: string) => `,"request_id":"${requestId}"}`

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

export const failure = (error: ApiError, requestId: string): string =>
  JSON.stringify({
    success: false,
    error: error.code,
    message: error.message,
    ...error.extra,
    request_id: requestId,
  })

export const jsonMediaType = 'application/json; charset=utf-8'
