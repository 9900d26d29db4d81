import type { FastifyInstance } from 'fastify'
import type { PublicRoute } from './area.js'
import { RequestContext, type TrustedProxies } from './context.js'
import { sendDocument } from './send.js'

/** Serves the documents that areas have outside the contract. */
export function mountPublicRoutes(app: FastifyInstance, routes: readonly PublicRoute[], trusted: TrustedProxies): void {
  for (const { path, answer } of routes)
    app.get(path, async (request, reply) =>
      sendDocument(request, reply, await answer(new RequestContext(request, trusted))),
    )
}
