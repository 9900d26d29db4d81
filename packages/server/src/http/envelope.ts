import type { ApiError } from '@svc/contract'

/** Puts `data`, which is JSON, into the envelope of every answer (specification, section 2.1). */
export const success = (data: string, requestId: string): string => `${head}${data}${tail(requestId)}`

const head = '{"success":true,"data":'
const tail = (requestId: string) => `,"request_id":"${requestId}"}`

/** The same for pieces of JSON. */
export const successPieces = (data: readonly Buffer[], requestId: string): readonly Buffer[] => [
  Buffer.from(head),
  ...data,
  Buffer.from(tail(requestId)),
]

export const failure = (error: ApiError, requestId: string): string =>
  JSON.stringify({
    success: false,
    error: error.code,
    message: error.message,
    ...error.extra,
    request_id: requestId,
  })

export const jsonMediaType = 'application/json; charset=utf-8'
