import {
  ApiError,
  type ConsoleErrorCode,
  type ErrorCode,
  type ErrorExtra,
  type FieldProblem,
} from '@svc/contract/errors'

/** An error in a form that the writer thread can post: a structured clone of an Error loses its class and its code. */
export type SerializedError =
  | { api: SerializedApiError }
  | { other: { name: string; message: string; stack: string; code?: string; cause?: SerializedError } }

interface SerializedApiError {
  code: ErrorCode | ConsoleErrorCode
  message: string
  extra: ErrorExtra
  headers: Readonly<Record<string, string>>
  about: FieldProblem | undefined
}

/** Maximum number of nested causes that are serialized: an error may be its own cause. */
const causesMax = 5

/** @param causes maximum number of nested causes */
export function serializeError(error: unknown, causes = causesMax): SerializedError {
  if (error instanceof ApiError) {
    const { code, message, extra, headers, about } = error
    return { api: { code, message, extra, headers, about } }
  }
  if (!(error instanceof Error)) return { other: { name: 'Error', message: String(error), stack: '' } }
  const { name, message, stack = '', cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const causedBy = cause === undefined || causes === 0 ? {} : { cause: serializeError(cause, causes - 1) }
  return { other: { name, message, stack, ...code, ...causedBy } }
}

/** Rebuilds the error. It keeps the stack of the writer thread, which shows the failed statement. */
export function deserializeError(serialized: SerializedError): Error {
  if ('api' in serialized) {
    const { code, message, extra, headers, about } = serialized.api
    return new ApiError(code, message, extra, headers, about)
  }
  const { name, message, stack, code, cause } = serialized.other
  const error = new Error(message, cause && { cause: deserializeError(cause) })
  return Object.assign(error, { name, stack }, code === undefined ? {} : { code })
}
