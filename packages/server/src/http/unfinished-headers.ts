import type { IncomingMessage, Server } from 'node:http'
import type { HttpSocket } from './connections.js'
import type { Destinations } from './destinations.js'

/**
 * Node's HTTP parser calls `kOnMessageBegin` when a request begins, `onIncoming` when its headers have ended, and `kOnExecute` after each
 * chunk of a connection. Not documented: without these members no host is known, and an answer to headers that are too large has no
 * `Clear-Site-Data`.
 */
interface Parser {
  onIncoming?: (request: IncomingMessage, keepAlive: boolean) => number
  readonly getCurrentBuffer?: () => Buffer | undefined
  readonly constructor: { readonly kOnExecute?: number; readonly kOnMessageBegin?: number }
}

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
    const { kOnExecute, kOnMessageBegin } = parser.constructor
    const { onIncoming } = parser
    if (kOnExecute === undefined || kOnMessageBegin === undefined || onIncoming === undefined) return
    const slots = parser as unknown as Record<number, ((result: unknown) => void) | null | undefined>
    const next = slots[kOnExecute]
    const begun = slots[kOnMessageBegin]
    if (typeof next !== 'function') return
    let host: string | undefined
    let areHeadersUnfinished = false
    slots[kOnMessageBegin] = (result) => {
      areHeadersUnfinished = true
      host = undefined
      begun?.call(parser, result)
    }
    parser.onIncoming = (request, keepAlive) => {
      areHeadersUnfinished = false
      return onIncoming(request, keepAlive)
    }
    slots[kOnExecute] = (result) => {
      // Most chunks have whole headers, or a part of a body.
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
