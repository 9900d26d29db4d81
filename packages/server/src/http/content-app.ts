import fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '@svc/contract'
import { nothingHere } from './answer.js'
import { appOptions, prepareApp } from './app-options.js'
import type { ContentRoute, EndpointRoute } from './area.js'
import { contentHeaders, contentPolicyOf } from './headers.js'
import { ContentContext, type TrustedProxies } from './context.js'
import { mountEndpoints } from './endpoints.js'
import { answerErrors, plainErrors, sendPlainError, toApiError } from './failures.js'
import type { Observe } from './observe.js'
import { AllowedMethods, maxParamLength } from './paths.js'
import type { RunningHandlers } from './running-handlers.js'
import { sendDownload } from './send-download.js'

interface ContentOptions {
  readonly log: Logger
  readonly trusted: TrustedProxies
  readonly running: RunningHandlers
}

/**
 * The application of the content host, or of sites: bytes at paths without authentication, and errors as plain text. It never
 * listens: the server of the API gives it requests. It reads and sets no cookie.
 */
export function plainApp(options: Omit<ContentOptions, 'running'>, observe: Observe): FastifyInstance {
  const app = fastify({
    ...appOptions(options),
    // Endpoints read the query as it was sent; one with thousands of parameters would be parsed for nothing.
    routerOptions: { maxParamLength, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => {
      const shown = toApiError(error)
      sendPlainError(request, reply, shown)
      observe({ requestId: request.id, method: request.method, status: shown.status })
    },
  })
  // Its owners choose whether browsers keep to https.
  prepareApp(app, options.log, () => false)
  return app
}

/** Adds the routes, and the answers to all other requests. */
export function mountContent(
  app: FastifyInstance,
  { content, endpoints }: { readonly content: readonly ContentRoute[]; readonly endpoints: readonly EndpointRoute[] },
  options: ContentOptions,
): void {
  answerUnrouted(app)
  answerErrors(app, options.log, plainErrors)
  for (const { name, path, answer } of content)
    app.get(path, { config: { operation: name, isStream: true } }, async (request, reply) => {
      const download = await options.running.track(answer(new ContentContext(request, options.trusted)))
      if (download === undefined) throw nothingHere()
      reply.header('content-security-policy', contentPolicyOf(download.content.mediaType))
      return sendDownload(request, reply, download, 'content')
    })
  mountEndpoints(app, endpoints, options)
}

function answerUnrouted(app: FastifyInstance): void {
  const allowed = new AllowedMethods(app)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...contentHeaders, 'x-request-id': request.id })
    if (!request.is404) done()
    else done(noRoute(request.method, allowed.listOf(request.url)))
  })
}

function noRoute(method: string, allowed: readonly string[] | undefined): ApiError {
  if (allowed === undefined) return nothingHere()
  const message = `${method} is not supported here; ${methodNames.format(allowed)} are.`
  return new ApiError('method_not_allowed', message, {}, { allow: allowed.join(', ') })
}

const methodNames = new Intl.ListFormat('en')
