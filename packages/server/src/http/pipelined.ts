import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { endWith } from './client-errors.js'

/** Maximum requests of one connection in one turn of the event loop. Browsers and proxies send one at a time. */
const most = 64

/** At this request the end of the turn is scheduled. Most turns have fewer requests, so they have no extra cost. */
const counted = 2

/** A socket with Node's HTTP parser. Not documented: if `parser` is missing, further requests are still ignored below. */
interface HttpSocket extends Socket {
  readonly parser?: { onIncoming: (request: IncomingMessage & { upgrade?: boolean }) => number } | null
}

/**
 * Stops parsing the input of a connection. Node.js would otherwise create an aborted request for each of thousands of requests
 * in the buffer, at 45 µs each.
 */
function stopParsing(socket: HttpSocket): void {
  if (!socket.parser) return
  socket.parser.onIncoming = (request) => {
    socket.pause()
    // Otherwise Node.js destroys the socket for a request with `Upgrade`, before the earlier answers are sent.
    request.upgrade = false
    // To the parser, 2 means that HTTP ends on this connection.
    return 2
  }
}

/**
 * Closes connections that send too many requests at once: 70,000 short requests fit into what libuv reads from one socket before it
 * looks at the others. The last request that is answered gets `Connection: close`, later ones are ignored (RFC 9112, section 9.3.2).
 */
export function limitPipelined(next: RequestListener): RequestListener {
  const closing = new Set<Socket>()
  let current: Socket | undefined
  let count = 0
  const endTurn = () => {
    count = 0
  }
  return (request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }) => {
    const { socket } = request
    if (closing.size > 0 && closing.has(socket)) {
      socket.pause()
      return
    }
    // The requests of one socket follow each other within a turn.
    count = socket === current ? count + 1 : 1
    current = socket
    if (count === counted) setImmediate(endTurn)
    if (count === most && !socket.destroyed) {
      response.shouldKeepAlive = false
      closing.add(socket)
      socket.once('close', () => closing.delete(socket))
      stopParsing(socket)
    }
    next(request, response)
  }
}

/**
 * Closes a connection whose chunked body continues after the answer. Node.js would parse the rest and call back for each chunk: a few
 * clients with chunks of one byte would hold the event loop for hundreds of milliseconds. The rest of a body with Content-Length
 * costs little, so that connection stays open.
 */
export function closeUnreadBodies(next: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers['transfer-encoding'] !== undefined)
      response.once('finish', () => {
        // A destroyed socket: the client has left.
        if (!request.complete && !request.socket.destroyed) endWith(request.socket, '')
      })
    next(request, response)
  }
}
