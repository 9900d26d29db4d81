import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type onRequestHookHandler,
} from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '@svc/contract'
import type { Document } from './answer.js'
import { Connections, type ConnectionLimits } from './connections.js'
import type { TrustedProxies } from './context.js'
import { sendError, toApiError } from './failures.js'
import { fixedHeaders, preflightHeaders } from './headers.js'
import type { RequestMetrics } from './metrics.js'
import { keepAccepting } from './keep-accepting.js'
import { mount, type Mounted } from './mount.js'
import { answerOddHandshakes, answerUnparsable } from './client-errors.js'
import { observe } from './observe.js'
import { AllowedMethods, maxParamLength } from './paths.js'
import { limitPipelined } from './pipelined.js'
import { mountProbes, probePaths } from './probes.js'
import { mountReferencePage, referencePaths } from '../areas/catalogue/reference-page.js'
import { readJson } from './read-json.js'
import { newRequestId } from './request-id.js'
import type { RunningHandlers } from './running-handlers.js'
import { SlowClients, type Deadlines } from './slow-clients.js'

/** Room for a `value` of public.hash with every byte percent-encoded, and the headers beside it. */
const maxHeaderBytes = 64 * 1024

/**
 * How long a connection may be idle between requests. Behind a proxy longer than the proxy itself keeps it (60 seconds with
 * most): a request that is sent while the server closes would fail.
 */
const keepAliveMs = { direct: 20_000, proxied: 72_000 }

interface HttpOptions {
  readonly log: Logger
  readonly metrics: RequestMetrics | undefined
  readonly trusted: TrustedProxies
  /** The reference as Markdown, by path. */
  readonly reference: ReadonlyMap<string, Document>
  /** Whether the peers are proxies of the operator. */
  readonly isProxied: boolean
  readonly connections: ConnectionLimits
  readonly deadlines: Deadlines
  readonly running: RunningHandlers
  /** Resolves when what the server depends on answers. */
  readonly ping: () => Promise<void>
}

/** The HTTP server: every route comes from the contract, every answer has the envelope. Not yet listening. */
export function createServer(operations: readonly Mounted[], options: HttpOptions): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = options.log
  const app = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all: a child for each request costs more than most handlers.
    childLoggerFactory: (logger) => logger,
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy: options.trusted,
    return503OnClosing: false,
    routerOptions: { maxParamLength },
    keepAliveTimeout: options.isProxied ? keepAliveMs.proxied : keepAliveMs.direct,
    // No deadline for the whole request, because of routes that stream bytes: SlowClients has the deadlines of bodies.
    requestTimeout: 0,
    http: {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: options.deadlines.headers,
      connectionsCheckingInterval: options.deadlines.sweep,
      // A missing Host header is rejected below, so that the answer has the envelope; Node.js would answer without it.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => answerUnparsable(error, socket, noteUnrouted),
    frameworkErrors: (error, request, reply) => {
      const shown = toApiError(error)
      sendError(request, reply, shown)
      noteUnrouted({ requestId: request.id, method: request.method, status: shown.status })
    },
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('startedAt', 0)
  const noteUnrouted = observe(app, options.log, options.metrics)
  const { log, metrics, trusted } = options
  const onRefused = () => metrics?.refusedConnection()
  keepAccepting(app.server, log)
  limitPipelined(app.server)
  const connections = new Connections(app.server, { limits: options.connections, trusted, log, onRefused })
  endSlowClients(app, new SlowClients(connections.open, noteUnrouted, options.deadlines))
  readJson(app)
  answerWhatNoRouteDoes(app, operations, [...referencePaths, ...options.reference.keys(), ...probePaths])
  answerOddHandshakes(app.server, noteUnrouted)
  app.setErrorHandler((error, request, reply) => {
    const shown = toApiError(error, request.routeOptions.bodyLimit)
    if (shown.code === 'internal_error') options.log.error({ request_id: request.id, err: error }, 'internal error')
    sendError(request, reply, shown)
  })
  mount(app, operations, options.trusted, options.running)
  mountReferencePage(app, options.reference)
  mountProbes(app, options.ping)
  return app
}

function endSlowClients(app: FastifyInstance, slowClients: SlowClients): void {
  // A hook on the affected routes only, so that the others have no extra cost.
  app.addHook('onRoute', (route) => {
    if (route.config?.isStream !== true) return
    const allowStream: onRequestHookHandler = (request, _reply, done) => {
      slowClients.allowStream(request.raw)
      done()
    }
    route.onRequest = [allowStream, ...[route.onRequest ?? []].flat()]
  })
  app.addHook('onClose', (_app, done) => {
    slowClients.stop()
    done()
  })
}

/** What Node and Fastify would answer by themselves: unknown paths, wrong methods, preflights, odd handshakes. */
function answerWhatNoRouteDoes(
  app: FastifyInstance,
  operations: readonly Mounted[],
  otherPaths: readonly string[],
): void {
  const allowed = new AllowedMethods([
    ...operations.map(({ op, path }) => ({ method: op.method, path })),
    ...otherPaths.map((path) => ({ method: 'GET' as const, path })),
  ])
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(fixedHeaders(request.id, request.url))
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      done(new ApiError('bad_request', 'The header Host is required (RFC 9112, section 3.2).'))
      return
    }
    if (!request.is404) {
      done()
      return
    }
    const allow = allowed.of(request.url)
    if (allow !== undefined && request.method === 'OPTIONS')
      void reply.code(204).headers(preflightHeaders(allow, request.url)).send()
    else done(noRoute(request.method, allow))
  })
  // Never reached, the hook above answers first; without it Fastify would answer in its own words.
  app.setNotFoundHandler((request) => {
    throw noRoute(request.method, undefined)
  })
}

function noRoute(method: string, allow: string | undefined): ApiError {
  if (allow === undefined)
    return new ApiError('not_found', 'There is nothing at this path; GET /v1 lists what there is.')
  return new ApiError('method_not_allowed', `${method} is not supported here; ${allow} are.`, {}, { allow })
}
