import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { DownloadDescription } from './answer.js'
import type { FixedHead, SiteCopy, SiteServer } from './area.js'
import type { Observer } from './observe.js'
import { newRequestId } from './request-id.js'
import type { AnswerSite } from './route-by-host.js'
import { isFresh, validators, wholeHeaders } from './send-download.js'
import { siteOperation } from './site-app.js'
import type { SlowClients } from './slow-clients.js'

/** Longer contents may take a slow client longer than the deadline of an answer, which then does not apply. In bytes. */
const streamMin = 16 * 1024

interface SitesFromMemoryOptions {
  readonly sites: SiteServer
  readonly server: Server
  readonly log: Logger
  readonly slowClients: SlowClients
  readonly recordClosed: Observer['recordClosed']
  /** Answers all other requests. */
  readonly next: (request: IncomingMessage, response: ServerResponse) => void
}

/**
 * Answers requests to sites from memory, in the same turn and without Fastify, also those that revalidate.
 * `npm run bench -- sites` measures it.
 */
export function sitesFromMemory(options: SitesFromMemoryOptions): AnswerSite {
  const { sites, server, log, next } = options
  const heads = new SiteHeads()
  return (request, response, host) => {
    // A pipelined request has no socket for its response yet. While the server stops, Fastify closes the connections.
    if (!isPlain(request) || response.socket === null || !server.listening) {
      next(request, response)
      return
    }
    const startedAt = performance.now()
    try {
      const { url: target = '/', headers } = request
      const copy = sites.findInMemory({ host, target, encodings: headers['accept-encoding'] })
      const answer = copy && heads.answerTo(request, copy)
      if (answer) send(options, { request, response, startedAt }, answer)
      else next(request, response)
    } catch (error) {
      log.error({ err: error }, 'internal error')
      response.destroy()
    }
  }
}

/** The parameters of `writeHead` and `end`: in the list of headers, names and values alternate. */
interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer | undefined
}

function send(
  { slowClients, recordClosed }: SitesFromMemoryOptions,
  { request, response, startedAt }: { request: IncomingMessage; response: ServerResponse; startedAt: number },
  { status, headers, body }: Answer,
): void {
  const { method } = request
  const requestId = newRequestId()
  if (body !== undefined && body.length > streamMin) slowClients.allowStream(request)
  response.on('close', () => {
    recordClosed(request, response, { requestId, method, operation: siteOperation, accountId: undefined, startedAt })
  })
  response.writeHead(status, [...headers, 'x-request-id', requestId])
  response.end(body)
}

/** Whether a request is a GET or HEAD without a range and without a body. */
const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.range === undefined &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

type Lists = Readonly<Record<'whole' | 'unmodified', readonly string[]>>

/** Lists of headers are kept as long as the head that they are made from. */
class SiteHeads {
  readonly #known = new WeakMap<SiteCopy['head'], Lists>()

  /** @returns undefined if the bytes are needed and not in memory */
  answerTo({ method, headers }: IncomingMessage, { head, bytes }: SiteCopy): Answer | undefined {
    if (!('etag' in head)) return { status: head.status, headers: listOfFixed(head), body: undefined }
    const lists = this.#of(head)
    const isConditional = headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined
    if (isConditional && isFresh(headers, head)) return { status: 304, headers: lists.unmodified, body: undefined }
    const status = head.status ?? 200
    if (method === 'HEAD') return { status, headers: lists.whole, body: undefined }
    return bytes && { status, headers: lists.whole, body: bytes }
  }

  #of(head: DownloadDescription): Lists {
    const known = this.#known.get(head)
    if (known) return known
    const lists = {
      whole: Object.entries(wholeHeaders(head)).flat(),
      unmodified: Object.entries(validators(head)).flat(),
    }
    this.#known.set(head, lists)
    return lists
  }
}

const listOfFixed = ({ headers }: FixedHead): readonly string[] =>
  Object.entries({ ...headers, 'content-length': '0' }).flat()
