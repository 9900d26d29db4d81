import { ApiError, type ErrorCode, type ErrorExtra } from '@svc/contract/errors'

/** How an error crosses from the thread that writes: a structured clone keeps neither its class nor its code. */
export type CrossingError =
  | { api: { code: ErrorCode; message: string; extra: ErrorExtra; headers: Readonly<Record<string, string>> } }
  | { other: { name: string; message: string; stack: string; code?: string; cause?: CrossingError } }

/** Of the causes of an error, how many cross: an error may be its own cause. */
const causesMax = 5

export function encodeError(error: unknown, causes = causesMax): CrossingError {
  if (error instanceof ApiError) {
    const { code, message, extra, headers } = error
    return { api: { code, message, extra, headers } }
  }
  if (!(error instanceof Error)) return { other: { name: 'Error', message: String(error), stack: '' } }
  const { name, message, stack = '', cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const caused = cause === undefined || causes === 0 ? {} : { cause: encodeError(cause, causes - 1) }
  return { other: { name, message, stack, ...code, ...caused } }
}

/** With the stack it had in its own thread, where it says which statement failed. */
export function decodeError(crossing: CrossingError): Error {
  if ('api' in crossing) {
    const { code, message, extra, headers } = crossing.api
    return new ApiError(code, message, extra, headers)
  }
  const { name, message, stack, code, cause } = crossing.other
  const error = new Error(message, cause && { cause: decodeError(cause) })
  return Object.assign(error, { name, stack }, code === undefined ? {} : { code })
}
