import type { FastifyInstance } from 'fastify'
import { ApiError } from '@svc/contract'
import { jsonMediaType, success } from './envelope.js'

/**
 * Liveness (/healthz) and readiness (/readyz) probes. Unauthenticated.
 * @param ping resolves when the database and the nameserver answer
 */
export function mountProbes(app: FastifyInstance, ping: () => Promise<void>): void {
  const ok = '{"status":"ok"}'
  app.get('/healthz', (request, reply) => reply.header('content-type', jsonMediaType).send(success(ok, request.id)))
  app.get('/readyz', async (request, reply) => {
    try {
      await ping()
    } catch (error) {
      request.log.error({ request_id: request.id, err: error }, 'not ready')
      throw new ApiError('upstream_error', 'The database or the nameserver does not answer: the log says which.')
    }
    return reply.header('content-type', jsonMediaType).send(success(ok, request.id))
  })
}
