import type { Server } from 'node:http'
import { endWith } from './last-answer.js'

/**
 * Closes a connection whose chunked body continues after the answer. Node.js would parse the rest and call back for each chunk: a few
 * clients with chunks of one byte would hold the event loop for hundreds of milliseconds. The rest of a body with Content-Length
 * costs little, so that connection stays open.
 */
export function closeUnreadBodies(server: Server): void {
  server.on('request', (request, response) => {
    if (request.headers['transfer-encoding'] === undefined) return
    response.once('finish', () => {
      // A destroyed socket: the client has left.
      if (!request.complete && !request.socket.destroyed) endWith(request.socket, '')
    })
  })
}
