import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { DownloadDescription } from './answer.js'
import type { ContentRoute, EndpointRoute, FixedHead, MemoryAnswer } from './area.js'
import { contentHeaders, contentPolicyOf } from './content-headers.js'
import type { Observed, Observer } from './observe.js'
import { newRequestId } from './request-id.js'
import type { RunningHandlers } from './running-handlers.js'
import { wholeHeaders } from './send-download.js'
import type { SlowClients } from './slow-clients.js'

type MemoryRoute = Pick<ContentRoute | EndpointRoute, 'name' | 'findInMemory'>

interface FromMemoryOptions {
  readonly content: readonly MemoryRoute[]
  readonly endpoints: readonly MemoryRoute[]
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
  const { server, running, log, next } = options
  const routes = [...options.content, ...options.endpoints].filter(({ findInMemory }) => findInMemory !== undefined)
  const heads = new Heads()
  const answerLater = async (route: MemoryRoute, found: Promise<MemoryAnswer | undefined>, exchange: Exchange) => {
    const { request, response } = exchange
    const copy = await found.catch((error: unknown) => {
      // The route looks again, and answers an error if that fails too.
      log.warn({ err: error }, 'a look-up of bytes in memory failed')
      return undefined
    })
    if (response.closed || request.socket.destroyed)
      options.recordClosed(request, response, observed(exchange, route, newRequestId()))
    else if (copy) send(options, exchange, route, copy, heads.of(copy))
    else next(request, response)
  }
  /** @returns whether the answer is found in memory, or looked for there */
  const isTaken = (route: MemoryRoute, request: IncomingMessage, response: ServerResponse): boolean => {
    const startedAt = performance.now()
    const found = route.findInMemory?.(request)
    if (found === undefined) return false
    const exchange = { request, response, startedAt }
    if (found instanceof Promise) running.track(answerLater(route, found, exchange)).catch(failed(response))
    else send(options, exchange, route, found, heads.of(found))
    return true
  }
  const failed = (response: ServerResponse) => (error: unknown) => {
    log.error({ err: error }, 'internal error')
    response.destroy()
  }
  return (request, response) => {
    try {
      // A pipelined request has no socket for its response yet. While the server stops, Fastify closes the connections.
      const isAnswerable = isPlain(request) && response.socket !== null && server.listening
      if (isAnswerable && routes.some((route) => isTaken(route, request, response))) return
    } catch (error) {
      failed(response)(error)
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
  route: MemoryRoute,
  { bytes, onSent }: MemoryAnswer,
  { status, headers }: Head,
): void {
  const { request, response } = exchange
  const requestId = newRequestId()
  response.on('close', () => {
    recordClosed(request, response, observed(exchange, route, requestId))
    onSent(response.writableFinished ? bytes.length : 0)
  })
  response.writeHead(status, [...headers, 'x-request-id', requestId])
  if (bytes.length > 0) {
    slowClients.allowStream(request)
    response.end(bytes)
  }
  // Without the empty chunk, which would be a second buffer of the system call.
  else response.end()
}

const observed = ({ startedAt }: Exchange, { name }: MemoryRoute, requestId: string): Observed => ({
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

/** The parameters of `writeHead`: in the list of headers, names and values alternate. */
interface Head {
  readonly status: number
  readonly headers: readonly string[]
}

/** Heads are kept as long as what they are made from. */
class Heads {
  readonly #known = new WeakMap<MemoryAnswer['head'], Head>()

  of({ head: from, bytes }: MemoryAnswer): Head {
    const known = this.#known.get(from)
    if (known) return known
    const { status, headers } = 'etag' in from ? headOfDownload(from) : from
    const all = { ...contentHeaders, ...headers, 'content-length': String(bytes.length) }
    const head = { status, headers: Object.entries(all).flat() }
    this.#known.set(from, head)
    return head
  }
}

const headOfDownload = (description: DownloadDescription): FixedHead => ({
  status: 200,
  headers: { 'content-security-policy': contentPolicyOf(description.mediaType), ...wholeHeaders(description) },
})
