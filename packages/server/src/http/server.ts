import { isUtf8 } from 'node:buffer'
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '@svc/contract'
import type { TrustedProxies } from './context.js'
import { answerExpectation, answerUnparsable, sendError, toApiError, writeRaw } from './failures.js'
import { fixedHeaders, preflightHeaders } from './headers.js'
import type { RequestMetrics } from './metrics.js'
import { mount, type Mounted } from './mount.js'
import { observe } from './observe.js'
import { AllowedMethods } from './paths.js'
import { mountProbes, probePaths } from './probes.js'
import { mountReferencePage, referencePaths } from './reference-page.js'
import { newRequestId } from './request-id.js'

/** The largest JSON body, in bytes. */
const bodyLimit = 1024 * 1024

/** Room for a `value` of public.hash with every byte percent-encoded, and the headers beside it. */
const maxHeaderBytes = 64 * 1024

interface HttpOptions {
  readonly log: Logger
  readonly metrics: RequestMetrics | undefined
  readonly trusted: TrustedProxies
  /** Resolves when what the server depends on answers. */
  readonly ping: () => Promise<void>
}

/** The HTTP server: every route comes from the contract, every answer has the envelope. Not yet listening. */
export function createServer(operations: readonly Mounted[], options: HttpOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all: a child for each request costs more than most handlers.
    childLoggerFactory: (logger) => logger,
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy: options.trusted,
    bodyLimit,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1024 },
    http: { maxHeaderSize: maxHeaderBytes },
    clientErrorHandler: answerUnparsable,
    frameworkErrors: (error, request, reply) => {
      sendError(request, reply, toApiError(error, bodyLimit))
    },
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('startedAt', 0)
  observe(app, options.log, options.metrics)
  readJson(app)
  answerWhatNoRouteDoes(app, operations)
  app.setErrorHandler((error, request, reply) => {
    const shown = toApiError(error, bodyLimit)
    if (shown.code === 'internal_error') options.log.error({ request_id: request.id, err: error }, 'internal error')
    sendError(request, reply, shown)
  })
  mount(app, operations, options.trusted)
  mountReferencePage(app)
  mountProbes(app, options.ping)
  return app
}

/** What Node and Fastify would answer by themselves: unknown paths, wrong methods, preflights, odd handshakes. */
function answerWhatNoRouteDoes(app: FastifyInstance, operations: readonly Mounted[]): void {
  const allowed = new AllowedMethods([
    ...operations.map(({ op, path }) => ({ method: op.method, path })),
    ...[...referencePaths, ...probePaths].map((path) => ({ method: 'GET' as const, path })),
  ])
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now()
    reply.headers(fixedHeaders(request.id, request.url))
    if (!request.is404) {
      done()
      return
    }
    const allow = allowed.of(request.url)
    if (allow !== undefined && request.method === 'OPTIONS') void reply.code(204).headers(preflightHeaders(allow)).send()
    else done(noRoute(request.method, allow))
  })
  // Never reached, the hook above answers first; without it Fastify would answer in its own words.
  app.setNotFoundHandler((request) => {
    throw noRoute(request.method, undefined)
  })
  app.server.on('checkExpectation', (_request, response) => {
    answerExpectation(response)
  })
  app.server.on('connect', (_request, socket) => {
    writeRaw(socket, new ApiError('method_not_allowed', 'This is no proxy: CONNECT is not supported.'))
  })
}

function noRoute(method: string, allow: string | undefined): ApiError {
  if (allow === undefined) return new ApiError('not_found', 'There is nothing at this path; GET /v1 lists what there is.')
  return new ApiError('method_not_allowed', `${method} is not supported here; ${allow} are.`, {}, { allow })
}

/** Bodies are JSON in UTF-8 (RFC 8259, 8.1). An empty one is the same as none. */
function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null)
    else if (!isUtf8(body)) done(new ApiError('bad_request', 'The body is not UTF-8.'))
    else
      void parse(request, body.toString(), (error, parsed: unknown) => {
        if (error) done(new ApiError('bad_request', `The body is not JSON: ${error.message}.`))
        else done(null, storable(parsed))
      })
  })
}

/** @throws ApiError for text that no database keeps as it came: a NUL, or half of a surrogate pair */
function storable(value: unknown): unknown {
  const texts: unknown[] = [value]
  for (let next = texts.pop(); next !== undefined; next = texts.pop()) {
    if (typeof next === 'string' && (!next.isWellFormed() || next.includes('\0')))
      throw new ApiError('bad_request', 'The body holds a NUL character or half of a surrogate pair; no text may.')
    if (typeof next === 'object' && next !== null) for (const [key, inner] of Object.entries(next)) texts.push(key, inner)
  }
  return value
}
