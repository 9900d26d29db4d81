import type { Socket } from 'node:net'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '@svc/contract'
import { unknownPath } from './answer.js'
import { appOptions, prepareApp } from './app-options.js'
import type { PublicRoute } from './area.js'
import { largeHeaders } from './client-errors.js'
import type { TrustedProxies } from './context.js'
import { hasSeveralHosts } from './content-host.js'
import { sendError, toApiError } from './failures.js'
import { headerBytesOf } from './head-limits.js'
import { fixedHeaders, preflightHeaders } from './headers.js'
import type { Observe } from './observe.js'
import { hasEmptyStep, type AllowedMethods } from './paths.js'
import { sendUnreadable } from './public-routes.js'
import type { Deadlines } from './slow-clients.js'

/**
 * The most bytes of the request line and the headers. For the API: enough for a `value` of public.hash with every byte percent-encoded,
 * and for other headers. For all hosts, because the parser does not know the host: a page can set cookies of more than 64 KiB for
 * the domain of all sites.
 */
const maxHeaderBytes = { api: 64 * 1024, all: 128 * 1024 }

/**
 * How long a connection may be idle between requests. Behind a proxy, longer than the proxy keeps its connections (most: 60
 * seconds): a request that the proxy sends while the server closes the connection would fail.
 */
const keepAliveMs = { direct: 20_000, proxied: 72_000 }

interface ApiOptions {
  readonly log: Logger
  readonly trusted: TrustedProxies
  readonly routes: readonly PublicRoute[]
  readonly hosts: { readonly publicUrl: string | undefined }
  readonly isProxied: boolean
  readonly deadlines: Deadlines
}

/**
 * The application of the API. Its server gets the requests for all hosts.
 * @param onUnparsable answers input that the parser of Node.js rejects
 * @param isSecure whether answers on a connection may tell browsers to use https only
 */
export function apiApp(
  options: ApiOptions,
  observe: Observe,
  onUnparsable: (error: Error, socket: Socket) => void,
  isSecure: (socket: Socket) => boolean,
): FastifyInstance {
  const app = fastify({
    ...appOptions(options),
    keepAliveTimeout: options.isProxied ? keepAliveMs.proxied : keepAliveMs.direct,
    // No deadline for the whole request, because some routes stream bytes. SlowClients has the deadlines of bodies.
    requestTimeout: 0,
    http: {
      maxHeaderSize: maxHeaderBytes.all,
      headersTimeout: options.deadlines.headers,
      connectionsCheckingInterval: options.deadlines.sweep,
      // A missing Host header is rejected in the onRequest hook, so that the answer has the envelope.
      requireHostHeader: false,
    },
    clientErrorHandler: onUnparsable,
    frameworkErrors: (error, request, reply) => {
      answerUnroutable({ error, request, reply }, options.routes, options.trusted)
      observe({ requestId: request.id, method: request.method, status: reply.statusCode })
    },
  })
  prepareApp(app, options.log, isSecure)
  return app
}

/** Rejects requests without a Host header, with several, or with large headers. */
export const checkHead: onRequestHookHandler = (request, _reply, done) => {
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
    done(new ApiError('bad_request', 'The header Host is required (RFC 9112, section 3.2).'))
  else if (headerBytesOf(request.raw) > maxHeaderBytes.api) done(new ApiError('bad_request', largeHeaders))
  else if (hasSeveralHosts(request.raw))
    done(new ApiError('bad_request', 'The header Host may be given only once (RFC 9112, section 3.2).'))
  else done()
}

/** Answers unknown paths, wrong methods and preflights. */
export const answerUnrouted =
  (allowed: AllowedMethods): onRequestHookHandler =>
  (request, reply, done) => {
    // Not from routeOptions, which Fastify builds anew at each access.
    const isParametric = Object.keys(request.params as object).length > 0
    const isOther =
      isParametric && (hasEmptyStep(request.params as object) || allowed.isOnlyForOthers(request.method, request.url))
    if (!request.is404 && !isOther) {
      done()
      return
    }
    const allow = allowed.of(request.url)
    if (allow !== undefined && request.method === 'OPTIONS') {
      const headers = { ...fixedHeaders(request), ...preflightHeaders(allow, request.url) }
      void reply.code(204).headers(headers).send()
    } else done(noRoute(request.method, allow))
  }

function noRoute(method: string, allow: string | undefined): ApiError {
  if (allow === undefined) return unknownPath()
  const message = `${method} is not supported at this path. Supported: ${allow}.`
  return new ApiError('method_not_allowed', message, {}, { allow })
}

interface Unroutable {
  readonly error: FastifyError
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Answers a request that has no route, such as one whose path cannot be decoded. Fastify does not catch errors here. */
function answerUnroutable(
  { error, request, reply }: Unroutable,
  routes: readonly PublicRoute[],
  trusted: TrustedProxies,
): void {
  try {
    const isPage = error.code === 'FST_ERR_BAD_URL' && sendUnreadable({ request, reply }, routes, trusted)
    if (!isPage) sendError(request, reply, toApiError(error))
  } catch (failure) {
    sendError(request, reply, toApiError(failure))
  }
}
