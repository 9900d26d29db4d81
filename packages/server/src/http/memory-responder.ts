import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { MemoryAnswer } from './area.js'
import { evaluateConditions, hasPrecondition, isYoung } from './conditions.js'
import type { Observer } from './observe.js'
import { newRequestId } from './request-id.js'
import { validators, wholeHeaders } from './send-download.js'
import type { SlowClients } from './slow-clients.js'

/** Longer bodies may take a slow client longer than the deadline of an answer, which then does not apply. In bytes. */
const streamMin = 16 * 1024

/** A request that is answered from memory, or looked up there. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Its name in the log and the metrics. */
  readonly operation: string
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
}

export interface ResponderOptions {
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
export class MemoryResponder {
  /** By `head` object. */
  readonly #lists = new WeakMap<MemoryAnswer['head'], HeaderLists>()

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
    const { whole, unmodified } = this.#listsOf(head)
    if (!('etag' in head)) return { status: head.status, headers: whole, body: undefined }
    if (isConditional(headers) && evaluateConditions(headers, head) === 'unmodified')
      return { status: 304, headers: unmodified, body: undefined }
    const status = head.status ?? 200
    if (method === 'HEAD') return { status, headers: whole, body: undefined }
    return bytes && { status, headers: whole, body: bytes }
  }

  /** Records a request whose response has closed without an answer. */
  record(exchange: Exchange, requestId = newRequestId()): void {
    const { request, response, operation, startedAt } = exchange
    const { method } = request
    this.options.recordClosed(request, response, { requestId, method, operation, accountId: undefined, startedAt })
  }

  fail(response: ServerResponse, error: unknown): void {
    this.options.log.error({ err: error }, 'internal error')
    response.destroy()
  }

  #listsOf(head: MemoryAnswer['head']): HeaderLists {
    const known = this.#lists.get(head)
    if (known) return known
    const lists = this.#makeLists(head)
    // It will get the header Last-Modified.
    if (!('etag' in head && isYoung(head.lastModified))) this.#lists.set(head, lists)
    return lists
  }

  #makeLists(head: MemoryAnswer['head']): HeaderLists {
    const ofHost = this.options.headersFor?.(head) ?? {}
    if (!('etag' in head)) {
      const whole = listOf({ ...ofHost, ...head.headers, 'content-length': '0' })
      return { whole, unmodified: whole }
    }
    return {
      whole: listOf({ ...ofHost, ...wholeHeaders(head) }),
      unmodified: listOf({ ...ofHost, ...validators(head) }),
    }
  }
}

/** What is sent; undefined for no content. */
interface Selected {
  readonly status: number
  readonly headers: string[]
  readonly body: Buffer | undefined
}

/** Names and values alternate. The last value is the id of the request. */
type HeaderLists = Readonly<Record<'whole' | 'unmodified', string[]>>

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

export const isConditional = (headers: IncomingHttpHeaders): boolean =>
  headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined
