import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Logger } from 'pino'
import type { Metrics } from './metrics.js'
import { requestLog } from './request-log.js'

/** Records an answer that was given outside of any route. */
export type Observe = (seen: Unrouted) => void

interface Unrouted {
  readonly requestId: string
  readonly status: number
  readonly method?: string | undefined
  /** The answered request, if the parser failed in the middle of one. It is recorded when its response closes. */
  readonly request?: IncomingMessage | undefined
}

/** Logged for a request whose client left before the answer. Not an HTTP status; a convention of nginx. */
export const clientLeft = 499

/**
 * Writes one log line and one observation for each request, when its answer is sent or the client has left.
 * @param apps all that answer requests of the server
 */
export function observe(apps: readonly FastifyInstance[], log: Logger, metrics: Metrics | undefined): Observe {
  const answered = new WeakMap<IncomingMessage, Unrouted>()
  const logRequest = requestLog(log)
  const record = (request: FastifyRequest, status: number, requestId: string) => {
    const ms = performance.now() - request.startedAt
    const operation = operationOf(request)
    // Without the URL: a path or a query may hold secrets or personal data.
    logRequest({
      requestId,
      method: request.method,
      operation,
      status,
      ms: Math.round(ms * 1000) / 1000,
      accountId: request.caller?.account.id,
    })
    metrics?.observe(operation, status, ms)
  }
  const recordAtClose: onRequestHookHandler = (request, { raw }, done) => {
    request.startedAt = performance.now()
    // Not the hook onResponse: it does not run if the client has left.
    raw.on('close', () => {
      if (raw.writableFinished) record(request, raw.statusCode, request.id)
      else {
        const { status = clientLeft, requestId = request.id } = answered.get(request.raw) ?? {}
        record(request, status, requestId)
      }
    })
    done()
  }
  for (const app of apps) app.addHook('onRequest', recordAtClose)
  return (unrouted) => {
    const { requestId, method, status, request } = unrouted
    if (request) {
      answered.set(request, unrouted)
      return
    }
    logRequest({ requestId, method, operation: noOperation, status, ms: 0, accountId: undefined })
    metrics?.observe(noOperation, status, 0)
  }
}

const noOperation = 'none'

const operationOf = (request: FastifyRequest): string => request.routeOptions.config.operation ?? noOperation
