import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { RequestMetrics } from './metrics.js'

/** One log line and one observation for each request, when its answer is out. */
export function observe(app: FastifyInstance, log: Logger, metrics: RequestMetrics | undefined): void {
  app.addHook('onResponse', (request, reply, done) => {
    const ms = performance.now() - request.startedAt
    const status = reply.statusCode
    const operation = operationOf(request)
    // The URL stays out of it: a path or a query may hold what should not be kept.
    log.info({
      request_id: request.id,
      method: request.method,
      operation,
      status,
      ms: Math.round(ms * 1000) / 1000,
      account_id: request.caller?.account.id,
      aborted: request.raw.destroyed && !request.raw.complete ? true : undefined,
    })
    metrics?.observe(operation, status, ms)
    done()
  })
}

const operationOf = (request: FastifyRequest): string => request.routeOptions.config.operation ?? 'none'
