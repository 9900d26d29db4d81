import type { IncomingMessage, Server } from 'node:http'
import type { HttpSocket } from './connections.js'
import type { Destinations } from './destinations.js'

/**
 * Node's HTTP parser calls `onIncoming` when the headers of a request have ended, and `kOnExecute` after each chunk of a connection.
 * `incoming` is the last request, until its answer has ended. Not documented: without these members no host is known, and an answer to
 * headers that are too large has no `Clear-Site-Data`.
 */
interface Parser {
  incoming?: IncomingMessage | null
  onIncoming?: (request: IncomingMessage, keepAlive: boolean) => number
  readonly getCurrentBuffer?: () => Buffer | undefined
  readonly constructor: { readonly kOnExecute?: number }
}

type OnExecute = (result: unknown) => void

const hostLine = /\r\nhost:([^\r\n]{1,300})\r\n/i

/** The header Host of the last request in a chunk. */
const hostIn = (chunk: string) => hostLine.exec(chunk.slice(Math.max(0, chunk.lastIndexOf('\r\n\r\n'))))?.[1]?.trim()

/**
 * Knows the host of a request whose headers have not ended: if they are too large, the parser reports no part of them. Browsers send the
 * host first, and large cookies in chunks behind it.
 */
class UnfinishedHeaders {
  readonly #hosts = new WeakMap<HttpSocket, string>()

  constructor(server: Server) {
    server.on('connection', (socket: HttpSocket & { parser?: Parser | null }) => {
      if (socket.parser) this.#watch(socket, socket.parser)
    })
  }

  /** The header Host of the request whose headers have not ended; undefined if it is not known. */
  hostOf(socket: HttpSocket): string | undefined {
    return this.#hosts.get(socket)
  }

  #watch(socket: HttpSocket, parser: Parser): void {
    const index = parser.constructor.kOnExecute
    const { onIncoming } = parser
    if (index === undefined || onIncoming === undefined) return
    const slots = parser as unknown as Record<number, OnExecute>
    const next = slots[index]
    if (typeof next !== 'function') return
    let host: string | undefined
    let isBetweenRequests = true
    let hasRequest = false
    parser.onIncoming = (request, keepAlive) => {
      hasRequest = true
      return onIncoming(request, keepAlive)
    }
    slots[index] = (result) => {
      // Most chunks have whole headers, or a part of a body.
      const areHeadersUnfinished = isBetweenRequests && !hasRequest
      isBetweenRequests = parser.incoming?.complete !== false
      hasRequest = false
      if (areHeadersUnfinished) {
        host ??= hostIn(parser.getCurrentBuffer?.()?.toString('latin1') ?? '')
        if (host !== undefined) this.#hosts.set(socket, host)
      } else if (host !== undefined) {
        host = undefined
        this.#hosts.delete(socket)
      }
      next(result)
    }
  }
}

/** Whether a request whose headers have not ended is for the content host or a site below the sites domain, as far as is known. */
export function userContentTest(server: Server, destinations: Destinations): (socket: HttpSocket) => boolean {
  const unfinished = new UnfinishedHeaders(server)
  return (socket) => {
    const { part } = destinations.of({ url: '/', headers: { host: unfinished.hostOf(socket) } })
    return part === 'content' || part === 'site'
  }
}
