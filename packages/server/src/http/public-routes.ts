import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Document, Redirect } from './answer.js'
import type { PublicRequest, PublicRoute } from './area.js'
import { ContentContext, type TrustedProxies } from './context.js'
import { fixedHeaders } from './headers.js'
import { pathIn } from './paths.js'
import { sendDownload } from './send-download.js'
import { sendDocument } from './send.js'

/** Serves the documents and stored bytes that areas have outside the contract. */
export function mountPublicRoutes(app: FastifyInstance, routes: readonly PublicRoute[], trusted: TrustedProxies): void {
  for (const { path, answer } of routes)
    app.get(path, async (request, reply) => {
      const answered = await answer(new PublicContext(request, trusted))
      if (answered instanceof Document) return sendDocument(request, reply, answered)
      if (answered instanceof Redirect) return reply.redirect(answered.location, 302)
      return sendDownload(request, reply, answered, 'api')
    })
}

/**
 * Sends the page that an area has for a path that is not percent-encoded UTF-8.
 * @returns whether an area has one
 */
export function sendUnreadable(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  routes: readonly PublicRoute[],
  trusted: TrustedProxies,
): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  const context = new PublicContext(request, trusted)
  for (const { answerUnreadable: answer } of routes) {
    const document = answer?.(context)
    if (document === undefined) continue
    // No hook runs for such a request.
    reply.headers(fixedHeaders(request))
    sendDocument(request, reply, document)
    return true
  }
  return false
}

class PublicContext extends ContentContext implements PublicRequest {
  readonly #query: object
  readonly #url: string

  constructor(request: FastifyRequest, trusted: TrustedProxies) {
    super(request, trusted)
    this.#query = request.query as object
    this.#url = request.url
  }

  get path(): string {
    return pathIn(this.#url)
  }

  get query(): Readonly<Record<string, string | undefined>> {
    const entries = Object.entries(this.#query).filter(([, value]) => typeof value === 'string')
    return Object.fromEntries(entries)
  }
}
