import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that are answered in one turn of the event loop. Browsers and proxies send one at a time. */
const most = 256

/** From which request on the end of the turn is waited for: most turns have fewer, and pay nothing. */
const counted = 32

/**
 * Closes connections that send too many requests at once. libuv reads up to two mebibytes from a socket before it looks at the
 * others: 70,000 short requests, which take seconds. The last one that is answered says `Connection: close`, the others are
 * ignored (RFC 9112, section 9.3.2).
 */
export function limitPipelined(server: Server): void {
  const [answer] = server.listeners('request') as [RequestListener]
  const closing = new Set<Socket>()
  let current: Socket | undefined
  let count = 0
  const endTurn = () => {
    count = 0
  }
  server.off('request', answer)
  server.on('request', (request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }) => {
    const { socket } = request
    if (closing.size > 0 && closing.has(socket)) {
      // What has been read already still arrives here.
      socket.pause()
      return
    }
    // The requests of one socket come one after another within a turn.
    count = socket === current ? count + 1 : 1
    current = socket
    if (count === counted) setImmediate(endTurn)
    if (count === most && !socket.destroyed) {
      response.shouldKeepAlive = false
      closing.add(socket)
      socket.once('close', () => closing.delete(socket))
    }
    answer(request, response)
  })
}
