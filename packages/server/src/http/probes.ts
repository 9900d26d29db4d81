import type { FastifyInstance } from 'fastify'
import { ApiError } from '@svc/contract'
import type { DiskSpace } from '../ports/space/port.js'
import { jsonMediaType, success } from './envelope.js'

interface Probed {
  /** Resolves when the database and the nameserver answer. */
  readonly ping: () => Promise<void>
  readonly space?: Pick<DiskSpace, 'isLow'>
}

/**
 * Liveness (/healthz) and readiness (/readyz) probes. Unauthenticated. Below the reserve of the disk, readiness is still 200: a proxy that
 * takes the server out of service would stop the reads and deletes that work, and all servers of one disk are below it together.
 */
export function mountProbes(app: FastifyInstance, { ping, space }: Probed): void {
  const ok = '{"status":"ok"}'
  const degraded = '{"status":"degraded","degraded":["disk_space"]}'
  app.get('/healthz', (request, reply) => reply.header('content-type', jsonMediaType).send(success(ok, request.id)))
  app.get('/readyz', async (request, reply) => {
    try {
      await ping()
    } catch (error) {
      request.log.error({ request_id: request.id, err: error }, 'not ready')
      throw new ApiError('upstream_error', 'The database or the nameserver does not answer: the log says which.')
    }
    return reply
      .header('content-type', jsonMediaType)
      .send(success(space?.isLow() === true ? degraded : ok, request.id))
  })
}
