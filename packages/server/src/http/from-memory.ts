import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { DownloadDescription } from './answer.js'
import type { Logger } from 'pino'
import type { ContentRoute, MemoryAnswer } from './area.js'
import { contentHeaders, contentPolicyOf } from './content-headers.js'
import type { Observed, Observer } from './observe.js'
import { newRequestId } from './request-id.js'
import type { RunningHandlers } from './running-handlers.js'
import { wholeHeaders } from './send-download.js'
import type { SlowClients } from './slow-clients.js'

interface FromMemoryOptions {
  readonly content: readonly ContentRoute[]
  readonly server: Server
  readonly running: RunningHandlers
  readonly log: Logger
  readonly slowClients: SlowClients
  readonly recordClosed: Observer['recordClosed']
  /** Answers all other requests. */
  readonly next: RequestListener
}

/**
 * Answers requests to the content host from memory, without Fastify: its router, hooks and reply take most of the time of such a
 * request (`npm run bench -- downloads`).
 */
export function fromMemory(options: FromMemoryOptions): RequestListener {
  const { content, server, running, log, next } = options
  const headerLists = new HeaderLists()
  const answer = async (route: ContentRoute, found: Promise<MemoryAnswer | undefined>, exchange: Exchange) => {
    const { request, response } = exchange
    const copy = await found.catch((error: unknown) => {
      // The route looks again, and answers an error if that fails too.
      log.warn({ err: error }, 'a look-up of bytes in memory failed')
      return undefined
    })
    if (response.closed || request.socket.destroyed)
      options.recordClosed(request, response, observed(exchange, route, newRequestId()))
    else if (copy) send(options, exchange, route, copy, headerLists.of(copy.description))
    else next(request, response)
  }
  return (request, response) => {
    // A pipelined request has no socket for its response yet. While the server stops, Fastify closes the connections.
    if (isPlain(request) && response.socket !== null && server.listening)
      for (const route of content) {
        const found = route.findInMemory?.(request.url ?? '')
        if (found === undefined) continue
        running
          .track(answer(route, found, { request, response, startedAt: performance.now() }))
          .catch((error: unknown) => {
            log.error({ err: error }, 'internal error')
            response.destroy()
          })
        return
      }
    next(request, response)
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly startedAt: number
}

function send(
  { slowClients, recordClosed }: FromMemoryOptions,
  exchange: Exchange,
  route: ContentRoute,
  { bytes, onSent }: MemoryAnswer,
  headers: readonly string[],
): void {
  const { request, response } = exchange
  const requestId = newRequestId()
  slowClients.allowStream(request)
  response.on('close', () => {
    recordClosed(request, response, observed(exchange, route, requestId))
    onSent(response.writableFinished ? bytes.length : 0)
  })
  response.writeHead(200, [...headers, 'x-request-id', requestId])
  response.end(bytes)
}

const observed = ({ startedAt }: Exchange, { name }: ContentRoute, requestId: string): Observed => ({
  requestId,
  method: 'GET',
  operation: name,
  accountId: undefined,
  startedAt,
})

/** Whether a request is a GET without a range, condition or body. */
const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.range === undefined &&
  headers['if-none-match'] === undefined &&
  headers['if-modified-since'] === undefined &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

/** Header lists for `writeHead`: names and values alternate. Kept as long as their description. */
class HeaderLists {
  readonly #lists = new WeakMap<DownloadDescription, readonly string[]>()

  of(description: DownloadDescription): readonly string[] {
    const known = this.#lists.get(description)
    if (known) return known
    const policy = { 'content-security-policy': contentPolicyOf(description.mediaType) }
    const list = Object.entries({ ...contentHeaders, ...policy, ...wholeHeaders(description) }).flat()
    this.#lists.set(description, list)
    return list
  }
}
