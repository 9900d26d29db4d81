import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PublicRequest, PublicRoute } from './area.js'
import { RequestContext, type TrustedProxies } from './context.js'
import { sendDocument } from './send.js'

/** Serves the documents that areas have outside the contract. */
export function mountPublicRoutes(app: FastifyInstance, routes: readonly PublicRoute[], trusted: TrustedProxies): void {
  for (const { path, answer } of routes)
    app.get(path, async (request, reply) =>
      sendDocument(request, reply, await answer(new PublicContext(request, trusted))),
    )
}

class PublicContext extends RequestContext implements PublicRequest {
  readonly #query: object

  constructor(request: FastifyRequest, trusted: TrustedProxies) {
    super(request, trusted)
    this.#query = request.query as object
  }

  get query(): Readonly<Record<string, string | undefined>> {
    const entries = Object.entries(this.#query).filter(([, value]) => typeof value === 'string')
    return Object.fromEntries(entries)
  }
}
