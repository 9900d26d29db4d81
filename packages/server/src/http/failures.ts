import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '@svc/contract'
import { StorageError } from '../ports/blobs/port.js'
import { LowDiskSpace } from '../ports/space/port.js'
import { isFullDisk } from '../shared/full-disk.js'
import { throttledLog } from '../shared/throttled-log.js'
import { ContentError } from './answer.js'
import { failure, plainFailure, type ErrorAnswer } from './envelope.js'

/** Turns every error into an ApiError, and every ApiError into an answer. */

type SendError<Shown> = (request: FastifyRequest, reply: FastifyReply, error: Shown) => void

/** A line with a stack for each of a thousand requests would fill the disk of the log, too. */
const fullDiskEveryMs = 60_000

/** Answers the errors of an application, and logs those that the client cannot fix. */
export function answerErrors<Shown extends ApiError | ContentError>(
  app: FastifyInstance,
  log: Logger,
  {
    toShown,
    send,
  }: { readonly toShown: (error: unknown, bodyLimit?: number) => Shown; readonly send: SendError<Shown> },
): void {
  const logFullDisk = throttledLog(log, 'the disk is full: requests fail', { everyMs: fullDiskEveryMs })
  app.setErrorHandler((error, request, reply) => {
    const shown = toShown(error, request.routeOptions.bodyLimit)
    if (error instanceof LowDiskSpace || isFullDisk(error)) logFullDisk(error, { request_id: request.id })
    else if (shown.status === 500) log.error({ request_id: request.id, err: error }, 'internal error')
    else if (error instanceof StorageError) log.error({ request_id: request.id, err: error }, 'the blob store failed')
    send(request, reply, shown)
  })
}

/**
 * Answers an error as plain text, also after the headers of a download have been set. Headers of the response itself stay:
 * Strict-Transport-Security holds for errors too.
 */
export function sendPlainError(request: FastifyRequest, reply: FastifyReply, error: ApiError | ContentError): void {
  for (const name of Object.keys(reply.getHeaders())) if (!reply.raw.hasHeader(name)) reply.removeHeader(name)
  sendFailure(reply, plainFailure(error, request.id))
}

/** The errors of the content host and of sites. */
export const plainErrors = {
  toShown: (error: unknown): ApiError | ContentError => (error instanceof ContentError ? error : toApiError(error)),
  send: sendPlainError,
}

/** Answers an error in the envelope. Sets the fixed headers too, because some errors occur before any hook runs. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: ApiError): void {
  sendFailure(reply, failure(error, request))
}

function sendFailure(reply: FastifyReply, { status, headers, body }: ErrorAnswer): void {
  void reply.code(status).headers(headers).send(body)
}

/**
 * The error that the caller gets. Errors that the caller cannot fix become `internal_error`, without details.
 * @param bodyLimit the largest body of the route in bytes; undefined for errors that occur before the route is known
 */
export function toApiError(error: unknown, bodyLimit?: number): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof StorageError) return new ApiError('upstream_error', error.message)
  if (isFullDisk(error))
    return new ApiError(
      'upstream_error',
      'The disk of the server is full. Nothing has changed: repeat the request later.',
    )
  const { code, statusCode } = error as Partial<FastifyError>
  if (code !== undefined && code in frameworkMessages) return new ApiError('bad_request', frameworkMessages[code] ?? '')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' && bodyLimit !== undefined)
    return new ApiError('bad_request', `The body must have at most ${bodyLimit} bytes.`)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('bad_request', 'The request could not be read.')
  return new ApiError('internal_error', "Internal error. The server's log has the details under this request_id.")
}

const frameworkMessages: Record<string, string> = {
  FST_ERR_BAD_URL: 'The path is not percent-encoded UTF-8 (RFC 3986, section 2.1).',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be JSON, with the header Content-Type: application/json.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as its Content-Length says.',
}
