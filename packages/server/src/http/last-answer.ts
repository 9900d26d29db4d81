import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long the client has to read the last answer and close its side. */
const lingerMs = 2_000

/**
 * An HTTP connection. `_httpMessage` is the response that Node.js is sending; queued ones come later. `_handle` tells how many bytes
 * of running writes the system has not taken yet. Both are not documented.
 */
export type HttpSocket = Socket & {
  readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null
  readonly _handle?: { readonly writeQueueSize: number } | null
}

/**
 * Writes the last answer of a connection by hand and closes it. Further input is discarded: closing with
 * unread bytes would reset the connection, and the client could lose the answer (RFC 9112, section 9.6). The socket is
 * destroyed once the client has closed its side, and after two seconds in any case.
 */
export function endWith(socket: HttpSocket, answer: string): void {
  takeOver(socket)
  socket.end(answer)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => {
    clearTimeout(timer)
  })
}

/** Detaches a socket from the HTTP parser. Further bytes are discarded, but read, so that the end of the connection is noticed. */
export function takeOver(socket: HttpSocket): void {
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
export function afterEarlierAnswers(socket: HttpSocket, next: () => void): void {
  const current = socket._httpMessage
  if (!current?.req.complete) {
    if (socket.writable) next()
    return
  }
  // Not at once: Node.js assigns the next response to the socket in a listener of the same event.
  current.once('finish', () => setImmediate(afterEarlierAnswers, socket, next))
}
