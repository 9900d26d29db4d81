import { ApiError, type ErrorCode, type ErrorExtra } from '@svc/contract/errors'

/** Transfers an error from the writer thread: a structured clone loses its class and its code. */
export type CrossingError =
  | { api: { code: ErrorCode; message: string; extra: ErrorExtra; headers: Readonly<Record<string, string>> } }
  | { other: { name: string; message: string; stack: string; code?: string; cause?: CrossingError } }

/** Maximum number of causes that are transferred: an error may be its own cause. */
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

/** Keeps the stack of the original thread, which shows the failed statement. */
export function decodeError(crossing: CrossingError): Error {
  if ('api' in crossing) {
    const { code, message, extra, headers } = crossing.api
    return new ApiError(code, message, extra, headers)
  }
  const { name, message, stack, code, cause } = crossing.other
  const error = new Error(message, cause && { cause: decodeError(cause) })
  return Object.assign(error, { name, stack }, code === undefined ? {} : { code })
}
