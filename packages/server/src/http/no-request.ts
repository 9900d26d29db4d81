import { METHODS, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '@svc/contract'
import { failure, jsonMediaType } from './envelope.js'
import { fixedHeaders } from './headers.js'
import type { Observe } from './observe.js'
import { newRequestId } from './request-id.js'

/** What Node would answer by itself, before there is a request for a route: it too gets the envelope and its log line. */

export function answerOddHandshakes(server: Server, observe: Observe): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const error = new ApiError('bad_request', 'Expect may only be 100-continue.')
    const requestId = newRequestId()
    const body = failure(error, requestId)
    const headers = { ...fixedHeaders(requestId, ''), 'content-type': jsonMediaType }
    response.writeHead(error.status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
    observe({ requestId, method: request.method, status: error.status })
  })
  server.on('connect', (_request, socket) => {
    const message = 'This is no proxy: CONNECT is not supported.'
    const allow = METHODS.filter((method) => used.has(method)).join(', ')
    answerOnSocket(socket, new ApiError('method_not_allowed', message, {}, { allow }), { method: 'CONNECT' }, observe)
  })
}

/** What some path or other takes. */
const used = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])

/** The response a connection is busy with. Node keeps it there for its own answer to what it cannot parse. */
type HttpSocket = Duplex & { readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null }

/** What Node's parser refuses never becomes a request: the answer is written to the socket by hand. */
export function answerUnparsable(error: NodeJS.ErrnoException, socket: HttpSocket, observe: Observe): void {
  const current = socket._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
  } else if (current?.req.complete === true) {
    // It follows a request that is still being answered: its own answer comes after, not in the middle.
    current.once('finish', () => setImmediate(answerUnparsable, error, socket, observe))
  } else if (current?.headersSent === true) {
    socket.destroy()
  } else {
    const message = unparsable[error.code ?? ''] ?? 'This is not an HTTP request that can be read.'
    answerOnSocket(socket, new ApiError('bad_request', message), { request: current?.req }, observe)
  }
}

const unparsable: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

function answerOnSocket(
  socket: Duplex,
  error: ApiError,
  of: { method?: string; request?: IncomingMessage | undefined },
  observe: Observe,
): void {
  const requestId = newRequestId()
  const body = failure(error, requestId)
  const headers = {
    ...fixedHeaders(requestId, ''),
    'content-type': jsonMediaType,
    connection: 'close',
    ...error.headers,
  }
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.end(`HTTP/1.1 ${String(error.status)} ${error.code}\r\n${lines}\r\n${body}`)
  observe({ requestId, status: error.status, ...of })
}
