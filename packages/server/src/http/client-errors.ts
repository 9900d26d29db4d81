import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ApiError, lateBodyMessage } from '@svc/contract'
import { failure, jsonMediaType } from './envelope.js'
import { fixedHeaders } from './headers.js'
import { afterEarlierAnswers, endWith, takeOver, type HttpSocket } from './last-answer.js'
import { clientLeft, type Observe } from './observe.js'
import { newRequestId } from './request-id.js'

/** Answers errors of clients that Node.js would otherwise answer itself, before routing. Adds the envelope and a log line. */

/**
 * Answers unknown expectations (Expect) and CONNECT.
 * @param allow the methods of all paths, as the value of `Allow`
 */
export function answerOddHandshakes(server: Server, observe: Observe, allow: () => string): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const error = new ApiError('bad_request', 'Expect may only be 100-continue.')
    const requestId = newRequestId()
    const body = failure(error, requestId)
    // The client may still send the body, which would be read as the next request.
    const headers = { ...fixedHeaders(requestId, ''), 'content-type': jsonMediaType, connection: 'close' }
    response.writeHead(error.status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
    observe({ requestId, method: request.method, status: error.status })
  })
  server.on('connect', (_request, socket: HttpSocket) => {
    answerConnect(socket, observe, allow)
  })
}

/** Node.js has removed its listeners from the socket, so only this code reads it. Earlier answers may still be in progress. */
function answerConnect(socket: HttpSocket, observe: Observe, allow: () => string): void {
  takeOver(socket)
  // An earlier answer that is a stream waits for this event.
  socket.on('drain', () => socket._httpMessage?.emit('drain'))
  const gone = () => {
    observe({ requestId: newRequestId(), method: 'CONNECT', status: clientLeft })
  }
  socket.once('close', gone)
  afterEarlierAnswers(socket, () => {
    socket.off('close', gone)
    const message = 'This server is not a proxy: CONNECT is not supported.'
    const error = new ApiError('method_not_allowed', message, {}, { allow: allow() })
    answerOnSocket(socket, error, { method: 'CONNECT' }, observe)
  })
}

/** Answers input that the parser of Node.js rejects. Without a request object, the answer is written to the socket. */
export function answerUnparsable(error: NodeJS.ErrnoException, socket: HttpSocket, observe: Observe): void {
  const current = socket._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable || isUnused(error, socket)) {
    socket.destroy()
  } else if (current?.req.complete === true) {
    // An earlier request is still being answered: this answer must follow that one.
    takeOver(socket)
    afterEarlierAnswers(socket, () => {
      answerUnparsable(error, socket, observe)
    })
  } else if (current?.headersSent === true) {
    socket.destroy()
  } else {
    const message = unparsable[error.code ?? ''] ?? 'The HTTP request could not be parsed.'
    answerOnSocket(socket, new ApiError('bad_request', message), { request: current?.req }, observe)
  }
}

/**
 * Whether the client has opened a connection and not used it. Browsers keep such connections for later requests: one that they send
 * at this moment would take the text as its answer. When a connection closes without an answer, they send the request on another one.
 */
const isUnused = ({ code }: NodeJS.ErrnoException, { bytesRead }: HttpSocket): boolean =>
  code === lateHeaders && bytesRead === 0

/** Answers a request whose body is late: 400, and the connection is closed. */
export function answerLateBody(socket: HttpSocket, observe: Observe): void {
  answerUnparsable(Object.assign(new Error('late body'), { code: lateBody }), socket, observe)
}

const lateBody = 'SVC_LATE_BODY'

/** Of Node.js. Not for a connection that is idle after an answer: Node.js closes that one itself, without a word. */
const lateHeaders = 'ERR_HTTP_REQUEST_TIMEOUT'

const unparsable: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and headers are too large.',
  [lateHeaders]: 'The request did not arrive in time.',
  [lateBody]: lateBodyMessage,
}

function answerOnSocket(
  socket: HttpSocket,
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
  const status = `${error.status} ${STATUS_CODES[error.status] ?? ''}`
  endWith(socket, `HTTP/1.1 ${status}\r\n${lines}\r\n${body}`)
  observe({ requestId, status: error.status, ...of })
}
