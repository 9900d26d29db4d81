import type { ApiError } from '@svc/contract'

/** The envelope of every answer (specification, section 2.1), around `data` that is JSON already. */
export const success = (data: string, requestId: string): string =>
  `{"success":true,"data":${data},"request_id":"${requestId}"}`

export const failure = (error: ApiError, requestId: string): string =>
  JSON.stringify({
    success: false,
    error: error.code,
    message: error.message,
    ...error.extra,
    request_id: requestId,
  })

export const jsonMediaType = 'application/json; charset=utf-8'
