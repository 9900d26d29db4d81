import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { RequestMetrics } from './metrics.js'

/** Notes what was answered outside of any route. */
export type Observe = (seen: Unrouted) => void

interface Unrouted {
  readonly requestId: string
  readonly status: number
  readonly method?: string | undefined
  /** The request that this answered, where the parser gave up in the middle of one: it is noted when it is given up. */
  readonly request?: IncomingMessage | undefined
}

/** What a request is logged with whose client left before the answer: no such status exists, nginx made it customary. */
export const clientLeft = 499

/** One log line and one observation for each request, when its answer is out or nobody is there to hear it. */
export function observe(app: FastifyInstance, log: Logger, metrics: RequestMetrics | undefined): Observe {
  const answered = new WeakMap<IncomingMessage, Unrouted>()
  const note = (request: FastifyRequest, status: number, requestId: string) => {
    const ms = performance.now() - request.startedAt
    const operation = operationOf(request)
    // The URL stays out of it: a path or a query may hold what should not be kept.
    log.info({
      request_id: requestId,
      method: request.method,
      operation,
      status,
      ms: Math.round(ms * 1000) / 1000,
      account_id: request.caller?.account.id,
    })
    metrics?.observe(operation, status, ms)
  }
  app.addHook('onRequest', (request, { raw }, done) => {
    request.startedAt = performance.now()
    // Not the hook onResponse: it never runs when the client has left.
    raw.on('close', () => {
      if (raw.writableFinished) note(request, raw.statusCode, request.id)
      else {
        const { status = clientLeft, requestId = request.id } = answered.get(request.raw) ?? {}
        note(request, status, requestId)
      }
    })
    done()
  })
  return (unrouted) => {
    const { requestId, method, status, request } = unrouted
    if (request) {
      answered.set(request, unrouted)
      return
    }
    log.info({ request_id: requestId, method, operation: noOperation, status, ms: 0 })
    metrics?.observe(noOperation, status, 0)
  }
}

const noOperation = 'none'

const operationOf = (request: FastifyRequest): string => request.routeOptions.config.operation ?? noOperation
