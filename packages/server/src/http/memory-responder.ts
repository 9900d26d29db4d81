import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { ContentRoute, EndpointRoute, MemoryAnswer, SiteServer } from './area.js'
import { evaluateConditions, hasPrecondition, headOf, isYoung, type Head } from './conditions.js'
import { contentHeaders, contentPolicyOf, redirectHeaders } from './headers.js'
import type { Observer } from './observe.js'
import { newRequestId } from './request-id.js'
import { siteOperation } from './site-app.js'
import type { AnswerSite } from './route-by-host.js'
import type { RunningHandlers } from './running-handlers.js'
import type { SlowClients } from './slow-clients.js'

/** Longer bodies may take a slow client longer than the deadline of an answer, which then does not apply. In bytes. */
const streamMin = 16 * 1024

/** A request that is answered from memory, or looked up there. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Its name in the log and the metrics. */
  readonly operation: string
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
}

interface ResponderOptions {
  readonly server: Server
  readonly log: Logger
  readonly slowClients: Pick<SlowClients, 'allowStream'>
  readonly recordClosed: Observer['recordClosed']
  /** Further headers of a host's answers, by lower-case name. The answer overrides them. */
  readonly headersFor?: (head: MemoryAnswer['head']) => Readonly<Record<string, string>>
}

/**
 * Answers requests from memory without Fastify, with the same checks and headers: its router, hooks and reply take most of the time of
 * such a request (`npm run bench -- downloads sites short-links`).
 */
class MemoryResponder {
  /** By `head` object. */
  readonly #heads = new WeakMap<MemoryAnswer['head'], MemoryHeads>()

  constructor(private readonly options: ResponderOptions) {}

  /**
   * Calls `tryAnswer` for a GET or HEAD without a range, a body or a condition that could fail. An error in it ends the connection.
   * @param tryAnswer returns false to leave the request to `next`
   */
  serve(request: IncomingMessage, response: ServerResponse, tryAnswer: () => boolean, next: RequestListener): void {
    try {
      // A pipelined request has no socket for its response yet. While the server stops, Fastify closes the connections.
      const isAnswerable = isPlain(request) && response.socket !== null && this.options.server.listening
      if (isAnswerable && tryAnswer()) return
    } catch (error) {
      this.fail(response, error)
      return
    }
    next(request, response)
  }

  /** @returns false if the answer needs bytes that are not in memory */
  tryAnswer(exchange: Exchange, answer: MemoryAnswer): boolean {
    const { request, response } = exchange
    const selected = this.#select(request, answer)
    if (!selected) return false
    const { status, headers, body } = selected
    const requestId = newRequestId()
    response.on('close', () => {
      this.record(exchange, requestId)
      answer.onSent?.(response.writableFinished ? (body?.length ?? 0) : 0)
    })
    // The list is shared: `writeHead` reads it at once. A copy for each request would cost more.
    headers[headers.length - 1] = requestId
    response.writeHead(status, headers)
    // Without an empty chunk, which would be a second buffer of the system call.
    if (body === undefined || body.length === 0) response.end()
    else {
      if (body.length > streamMin) this.options.slowClients.allowStream(request)
      response.end(body)
    }
    return true
  }

  #select({ method, headers }: IncomingMessage, { head, bytes }: MemoryAnswer): Selected | undefined {
    const { send, unmodified } = this.#headsOf(head)
    if (!('etag' in head)) return send
    if (isConditional(headers) && evaluateConditions(headers, head) === 'unmodified') return unmodified
    return method === 'HEAD' ? send : bytes && { ...send, body: bytes }
  }

  /** Records a request whose response has closed without an answer. */
  record(exchange: Exchange, requestId = newRequestId()): void {
    const { request, response, operation, startedAt } = exchange
    const { method } = request
    this.options.recordClosed(request, response, { requestId, method, operation, caller: null, startedAt })
  }

  fail(response: ServerResponse, error: unknown): void {
    this.options.log.error({ err: error }, 'internal error')
    response.destroy()
  }

  #headsOf(head: MemoryAnswer['head']): MemoryHeads {
    const known = this.#heads.get(head)
    if (known) return known
    const heads = this.#makeHeads(head)
    // It will get the header Last-Modified.
    if (!('etag' in head && isYoung(head.lastModified))) this.#heads.set(head, heads)
    return heads
  }

  #makeHeads(head: MemoryAnswer['head']): MemoryHeads {
    const ofHost = this.options.headersFor?.(head) ?? {}
    const asList = ({ status, headers }: Head): Selected => ({ status, headers: listOf({ ...ofHost, ...headers }) })
    if ('etag' in head) return { send: asList(headOf(head, 'send')), unmodified: asList(headOf(head, 'unmodified')) }
    const redirect = asList({ status: head.status, headers: { ...head.headers, 'content-length': '0' } })
    return { send: redirect, unmodified: redirect }
  }
}

/** What is sent. */
interface Selected {
  readonly status: number
  /** Names and values alternate. The last value is the id of the request. */
  readonly headers: string[]
  readonly body?: Buffer
}

type MemoryHeads = Readonly<Record<'send' | 'unmodified', Selected>>

const listOf = (headers: Readonly<Record<string, string>>): string[] => [
  ...Object.entries(headers).flat(),
  'x-request-id',
  '',
]

/** Whether a request is a GET or HEAD without a range, a body or a condition that could fail. */
const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.range === undefined &&
  !hasPrecondition(headers) &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

const isConditional = (headers: IncomingHttpHeaders): boolean =>
  headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined

interface ContentOptions extends ResponderOptions {
  readonly content: readonly Pick<ContentRoute, 'name' | 'path' | 'findInMemory'>[]
  readonly endpoints: readonly Pick<EndpointRoute, 'name' | 'path' | 'findInMemory'>[]
  readonly running: RunningHandlers
  /** Answers all other requests. */
  readonly next: RequestListener
}

/** Answers requests to the content host from memory. */
export function contentFromMemory(options: ContentOptions): RequestListener {
  const { running, log, next } = options
  const responder = new MemoryResponder({ ...options, headersFor: contentHeadersFor })
  const routes = [...options.content, ...options.endpoints].flatMap(({ name, path, findInMemory: find }) =>
    find ? [{ name, prefix: path.split(':', 1)[0] ?? path, find }] : [],
  )
  const answerLater = async (exchange: Exchange, found: Promise<MemoryAnswer | undefined>) => {
    const { request, response } = exchange
    const answer = await found.catch((error: unknown) => {
      // The route looks again, and answers an error if that fails too.
      log.warn({ err: error }, 'a look-up of bytes in memory failed')
      return undefined
    })
    if (response.closed || request.socket.destroyed) responder.record(exchange)
    else if (!answer || !responder.tryAnswer(exchange, answer)) next(request, response)
  }
  /** @returns whether the answer is found in memory, or looked for there */
  const tryAnswer = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method, url = '', headers } = request
    // The routes count answers to HEAD and conditional requests in their own ways.
    if (method !== 'GET' || isConditional(headers)) return false
    const route = routes.find(({ prefix }) => url.startsWith(prefix))
    if (!route) return false
    const startedAt = performance.now()
    const found = route.find(request)
    if (found === undefined) return false
    const exchange = { request, response, operation: route.name, startedAt }
    if (!(found instanceof Promise)) return responder.tryAnswer(exchange, found)
    running.track(answerLater(exchange, found)).catch((error: unknown) => {
      responder.fail(response, error)
    })
    return true
  }
  return (request, response) => {
    responder.serve(request, response, () => tryAnswer(request, response), next)
  }
}

const contentHeadersFor = (head: MemoryAnswer['head']): Readonly<Record<string, string>> =>
  'etag' in head ? { ...contentHeaders, 'content-security-policy': contentPolicyOf(head.mediaType) } : redirectHeaders

interface SiteOptions extends ResponderOptions {
  readonly sites: SiteServer
  /** Answers all other requests. */
  readonly next: RequestListener
}

/** Answers requests to sites from memory, also those that revalidate. */
export function sitesFromMemory({ sites, next, ...options }: SiteOptions): AnswerSite {
  const responder = new MemoryResponder(options)
  return (request, response, host) => {
    const tryAnswer = () => {
      const startedAt = performance.now()
      const { url: target = '/', headers } = request
      const found = sites.findInMemory({ host, target, encodings: headers['accept-encoding'] })
      return (
        found !== undefined && responder.tryAnswer({ request, response, operation: siteOperation, startedAt }, found)
      )
    }
    responder.serve(request, response, tryAnswer, next)
  }
}
