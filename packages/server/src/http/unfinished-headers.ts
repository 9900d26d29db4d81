import type { IncomingMessage, Server } from 'node:http'
import type { HttpSocket } from './last-answer.js'

/**
 * Node's HTTP parser calls `kOnExecute` after each chunk of a connection. Not documented: without these members no host is known, and
 * an answer to headers that are too large has no `Clear-Site-Data`.
 */
interface Parser {
  readonly headersCompleted?: () => boolean
  readonly getCurrentBuffer?: () => Buffer | undefined
  readonly constructor: { readonly kOnExecute?: number }
}

type OnExecute = (result: unknown) => void

const hostLine = /\r\nhost:([^\r\n]{1,300})\r\n/i

/**
 * Knows the host of a request whose headers have not ended: if they are too large, the parser reports no part of them. Browsers send the
 * host first, and large cookies in chunks behind it.
 */
export class UnfinishedHeaders {
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
    if (index === undefined) return
    const slots = parser as unknown as Record<number, OnExecute>
    const next = slots[index]
    if (typeof next !== 'function') return
    let host: string | undefined
    slots[index] = (result) => {
      // With an answer in progress, the chunk is of a body. Most chunks have whole headers.
      if (!socket._httpMessage && parser.headersCompleted?.() === false) {
        host ??= hostLine.exec(parser.getCurrentBuffer?.()?.toString('latin1') ?? '')?.[1]?.trim()
        if (host !== undefined) this.#hosts.set(socket, host)
      } else if (host !== undefined) {
        host = undefined
        this.#hosts.delete(socket)
      }
      next(result)
    }
  }
}

/** The bytes of the request target and the headers, without their separators. */
export function headerBytesOf({ url = '', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>): number {
  let bytes = url.length
  for (const text of rawHeaders) bytes += text.length
  return bytes
}
