import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { ContentRoute, EndpointRoute, MemoryAnswer } from './area.js'
import { contentHeaders, contentPolicyOf, redirectHeaders } from './content-headers.js'
import { isConditional, MemoryResponder, type Exchange, type ResponderOptions } from './memory-responder.js'
import type { RunningHandlers } from './running-handlers.js'

interface FromMemoryOptions extends ResponderOptions {
  readonly content: readonly Pick<ContentRoute, 'name' | 'path' | 'findInMemory'>[]
  readonly endpoints: readonly Pick<EndpointRoute, 'name' | 'path' | 'findInMemory'>[]
  readonly running: RunningHandlers
  readonly log: Logger
  /** Answers all other requests. */
  readonly next: RequestListener
}

/** Answers requests to the content host from memory. */
export function fromMemory(options: FromMemoryOptions): RequestListener {
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
