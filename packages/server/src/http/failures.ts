import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '@svc/contract'
import { failure, jsonMediaType } from './envelope.js'
import { fixedHeaders } from './headers.js'
import { newRequestId } from './request-id.js'

/** Whatever goes wrong becomes an ApiError here, and an ApiError becomes an answer. */

/** Answers in the envelope. Sets the fixed headers itself: some errors are raised before any hook has run. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: ApiError): void {
  void reply
    .code(error.status)
    .headers({ ...fixedHeaders(request.id, request.url), 'content-type': jsonMediaType, 'cache-control': 'no-store', ...error.headers })
    .send(failure(error, request.id))
}

/** An error as the caller is told of it; what is not theirs to mend is `internal_error` and tells nothing. */
export function toApiError(error: unknown, bodyLimit: number): ApiError {
  if (error instanceof ApiError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  if (code !== undefined && code in frameworkMessages) return new ApiError('bad_request', frameworkMessages[code] ?? '')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('bad_request', `The body is larger than ${String(bodyLimit)} bytes, the most this operation takes.`)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('bad_request', 'The request could not be read.')
  return new ApiError('internal_error', 'Something went wrong here; the log knows it under this request_id.')
}

const frameworkMessages: Record<string, string> = {
  FST_ERR_BAD_URL: 'The path is not percent-encoded UTF-8 (RFC 3986, section 2.1).',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be JSON, with the header Content-Type: application/json.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as its Content-Length says.',
}

/** What Node's parser refuses never becomes a request: the answer is written to the socket by hand. */
export function answerUnparsable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  writeRaw(socket, new ApiError('bad_request', unparsable[error.code ?? ''] ?? 'This is not an HTTP request that can be read.'))
}

const unparsable: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

/** An answer for a connection that has no response object. */
export function writeRaw(socket: Duplex, error: ApiError): void {
  const requestId = newRequestId()
  const body = failure(error, requestId)
  const headers = { 'content-type': jsonMediaType, 'x-request-id': requestId, connection: 'close', ...error.headers }
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.end(`HTTP/1.1 ${String(error.status)} ${error.code}\r\n${lines}\r\n${body}`)
}

/** An `Expect` that is not `100-continue`: Node would answer it by itself, without the envelope. */
export function answerExpectation(response: ServerResponse): void {
  const error = new ApiError('bad_request', 'Expect may only be 100-continue.')
  const requestId = newRequestId()
  response.writeHead(error.status, { ...fixedHeaders(requestId, ''), 'content-type': jsonMediaType }).end(failure(error, requestId))
}
