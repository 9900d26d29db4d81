import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ApiError, lateBodyMessage } from '@svc/contract'
import { ContentError } from './answer.js'
import type { HttpSocket } from './connections.js'
import { failure, plainFailure, type ErrorAnswer } from './envelope.js'
import { clientLeft, type Observe } from './observe.js'
import { newRequestId } from './request-id.js'

/** Answers errors of clients that Node.js would otherwise answer itself, before routing. Adds the envelope and a log line. */

/** How long the client has to read the last answer and close its side. */
const lingerMs = 2_000

/**
 * Answers unknown expectations (Expect) and CONNECT.
 * @param allow the methods of all paths, as the value of `Allow`
 */
export function answerOddHandshakes(server: Server, observe: Observe, allow: () => string): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const error = new ApiError('bad_request', 'Expect may only be 100-continue.')
    const requestId = newRequestId()
    const { status, headers, body } = failure(error, { id: requestId, url: '', isSecure: false })
    // The client may still send the body, which would be read as the next request.
    const all = { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) }
    response.writeHead(status, all).end(body)
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

/**
 * Answers input that the parser of Node.js rejects. Without a request object, the answer is written to the socket.
 * @param hasUserContent whether the request is for a host with pages of users, as far as the socket knows
 */
export function answerUnparsable(
  error: NodeJS.ErrnoException,
  socket: HttpSocket,
  observe: Observe,
  hasUserContent: (socket: HttpSocket) => boolean = () => false,
): void {
  const current = socket._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable || isUnused(error, socket)) {
    socket.destroy()
  } else if (current?.req.complete === true) {
    // An earlier request is still being answered: this answer must follow that one.
    takeOver(socket)
    afterEarlierAnswers(socket, () => {
      answerUnparsable(error, socket, observe, hasUserContent)
    })
  } else if (current?.headersSent === true) {
    socket.destroy()
  } else if (error.code === headerOverflow && hasUserContent(socket)) {
    answerLargeCookies(socket, observe)
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

/** Of Node.js, beyond `maxHeaderSize`. */
const headerOverflow = 'HPE_HEADER_OVERFLOW'

/** Also for the API, whose limit is lower than that of the parser. */
export const largeHeaders = 'The request line and headers are too large.'

const unparsable: Record<string, string> = {
  [headerOverflow]: largeHeaders,
  [lateHeaders]: 'The request did not arrive in time.',
  [lateBody]: lateBodyMessage,
}

/**
 * A page of one site can set large cookies for the domain of all sites, and every request of that visitor would fail. The browser
 * deletes the cookies of the domain, so the next request succeeds.
 */
function answerLargeCookies(socket: HttpSocket, observe: Observe): void {
  const requestId = newRequestId()
  const message = `${largeHeaders} Cookies of this domain have been deleted: reload the page.`
  const error = new ContentError(400, message, { 'clear-site-data': '"cookies"' })
  endWith(socket, messageOf(plainFailure(error, requestId)))
  observe({ requestId, status: 400 })
}

function answerOnSocket(
  socket: HttpSocket,
  error: ApiError,
  of: { method?: string; request?: IncomingMessage | undefined },
  observe: Observe,
): void {
  const requestId = newRequestId()
  endWith(socket, messageOf(failure(error, { id: requestId, url: '', isSecure: false })))
  observe({ requestId, status: error.status, ...of })
}

/** The last HTTP message of a connection. */
function messageOf({ status, headers, body }: ErrorAnswer): string {
  const all = { ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}

/**
 * Writes the last answer of a connection by hand, or an alert of TLS, and closes it. Further input is discarded: closing with
 * unread bytes would reset the connection, and the client could lose the answer (RFC 9112, section 9.6). The socket is
 * destroyed once the client has closed its side, and after two seconds in any case.
 */
export function endWith(socket: HttpSocket, answer: string | Buffer): void {
  takeOver(socket)
  socket.end(answer)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => {
    clearTimeout(timer)
  })
}

/** Detaches a socket from the HTTP parser. Further bytes are discarded, but read, so that the end of the connection is noticed. */
function takeOver(socket: HttpSocket): void {
  socket.removeAllListeners('data')
  // Node.js hands the socket back to JavaScript when it gets a listener for data.
  socket.on('data', () => undefined)
  socket.resume()
}

/**
 * Calls back once all answers to earlier requests of the connection are sent: answers go out in the order of the requests
 * (RFC 9112, section 9.3.2). A request with an incomplete body does not count as earlier: the rest of its body is not read.
 * Never calls back if the connection ends first.
 */
function afterEarlierAnswers(socket: HttpSocket, next: () => void): void {
  const current = socket._httpMessage
  if (!current?.req.complete) {
    if (socket.writable) next()
    return
  }
  // Not at once: Node.js assigns the next response to the socket in a listener of the same event.
  current.once('finish', () => setImmediate(afterEarlierAnswers, socket, next))
}
