import type { FastifyInstance } from 'fastify'
import { ApiError } from '@svc/contract'
import { jsonMediaType, success } from './envelope.js'

/** For who keeps the process alive and who sends it traffic; neither asks for a token. */

export const probePaths = ['/healthz', '/readyz'] as const

/** @param ping resolves when what the server depends on answers */
export function mountProbes(app: FastifyInstance, ping: () => Promise<void>): void {
  const [health, ready] = probePaths
  const ok = '{"status":"ok"}'
  app.get(health, (request, reply) => reply.header('content-type', jsonMediaType).send(success(ok, request.id)))
  app.get(ready, async (request, reply) => {
    try {
      await ping()
    } catch (error) {
      request.log.error({ request_id: request.id, err: error }, 'not ready')
      throw new ApiError('upstream_error', 'The database or the nameserver does not answer: the log says which.')
    }
    return reply.header('content-type', jsonMediaType).send(success(ok, request.id))
  })
}
