import type { RequestListener } from 'node:http'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '@svc/contract'
import type { Intake } from './bytes-in/receive-bytes.js'
import { unknownPath } from './answer.js'
import { appOptions, prepareApp } from './app-options.js'
import type { ApiEndpointRoute, ContentRoute, EndpointRoute, PublicRoute, SiteServer } from './area.js'
import { Connections, type ConnectionLimits } from './connections.js'
import { mountContent, plainApp } from './content-app.js'
import { mountApiEndpoints } from './endpoints.js'
import { hasSeveralHosts } from './content-host.js'
import { fromMemory } from './from-memory.js'
import type { TrustedProxies } from './context.js'
import { Destinations, type ServerHosts } from './destinations.js'
import { answerErrors, sendError, toApiError } from './failures.js'
import { fixedHeaders, preflightHeaders } from './headers.js'
import type { Metrics } from './metrics.js'
import { keepAccepting } from './keep-accepting.js'
import { limitHeads } from './head-limits.js'
import { mount, type Mounted } from './mount.js'
import { answerOddHandshakes, answerUnparsable, largeHeaders } from './client-errors.js'
import type { HttpSocket } from './last-answer.js'
import { observer, type Observe, type Observer } from './observe.js'
import { AllowedMethods, hasEmptyStep } from './paths.js'
import { limitPipelined } from './pipelined.js'
import { mountProbes } from './probes.js'
import { mountPublicRoutes, sendUnreadable } from './public-routes.js'
import type { DiskSpace } from '../ports/space/port.js'
import { readJson } from './read-json.js'
import { joinApps, routeByHost } from './route-by-host.js'
import type { RunningHandlers } from './running-handlers.js'
import { mountSites, sitesFromMemory } from './site-app.js'
import { SlowClients, type Deadlines } from './slow-clients.js'
import { headerBytesOf, UnfinishedHeaders } from './unfinished-headers.js'
import { closeUnreadBodies } from './unread-bodies.js'

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

interface HttpOptions {
  readonly log: Logger
  readonly metrics: Metrics | undefined
  readonly trusted: TrustedProxies
  /** Paths of the areas outside the contract. */
  readonly routes: readonly PublicRoute[]
  /** Paths of the areas on the content host. */
  readonly content: readonly ContentRoute[]
  readonly endpoints: readonly EndpointRoute[]
  /** Paths of the areas on the API's host that take bodies. */
  readonly apiEndpoints?: readonly ApiEndpointRoute[]
  /** Serves sites; undefined if no area does. */
  readonly sites?: SiteServer | undefined
  readonly hosts: ServerHosts
  /** Whether clients connect through proxies of the operator. */
  readonly isProxied: boolean
  readonly connections: ConnectionLimits
  readonly deadlines: Deadlines
  readonly running: RunningHandlers
  /** Stores the bytes of requests. Required if an operation has bytes. */
  readonly intake?: Intake
  /** Resolves when the database and the nameserver answer. */
  readonly ping: () => Promise<void>
  /** Undefined if nothing is stored on a disk. */
  readonly space?: DiskSpace
}

/** Builds the HTTP server, which does not listen yet. Every answer of an operation and every error has the envelope. */
export function createServer(operations: readonly Mounted[], options: HttpOptions): FastifyInstance {
  const { log, metrics, trusted } = options
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
    clientErrorHandler: (error, socket) => answerUnparsable(error, socket, noteUnrouted, hasUserContent),
    frameworkErrors: (error, request, reply) => {
      answerUnroutable({ error, request, reply }, options.routes, trusted)
      noteUnrouted({ requestId: request.id, method: request.method, status: reply.statusCode })
    },
  })
  prepareApp(app, log, options.hosts.publicUrl?.startsWith('https:') === true)
  const observe: Observe = (unrouted) => {
    noteUnrouted(unrouted)
  }
  const [content, site] = [plainApp(options, observe), plainApp(options, observe)]
  const { observe: noteUnrouted, recordClosed } = observer([app, content, site], log, metrics)
  keepAccepting(app.server, log)
  const connections = new Connections(app.server, { limits: options.connections, trusted, log, metrics })
  const slowClients = new SlowClients(connections.open, noteUnrouted, options.deadlines)
  const destinations = new Destinations(options.hosts)
  const hasUserContent = userContentTest(app.server, destinations)
  routeHosts({ api: app, content, site }, options, { destinations, slowClients, recordClosed })
  limitHeads(app.server, { destinations, recordClosed })
  limitPipelined(app.server)
  closeUnreadBodies(app.server)
  endSlowClients([app, content, site], slowClients)
  addFixedHeaders(app)
  readJson(app)
  const allowed = new AllowedMethods(app)
  answerUnrouted(app, allowed)
  answerOddHandshakes(app.server, noteUnrouted, () => allowed.ofAll())
  answerErrors(app, log, { toShown: toApiError, send: sendError })
  mount(app, operations, options)
  mountPublicRoutes(app, options.routes, options.trusted)
  mountApiEndpoints(app, options.apiEndpoints ?? [], options)
  mountProbes(app, options)
  mountHosts({ content, site }, options, destinations)
  return app
}

/** Whether a request whose headers have not ended is for the content host or a site below the sites domain, as far as is known. */
function userContentTest(server: FastifyInstance['server'], destinations: Destinations) {
  const unfinished = new UnfinishedHeaders(server)
  return (socket: HttpSocket): boolean => {
    const { part } = destinations.of({ url: '/', headers: { host: unfinished.hostOf(socket) } })
    return part === 'content' || part === 'site'
  }
}

type Apps = Readonly<Record<'api' | 'content' | 'site', FastifyInstance>>

/** Must be called before limitPipelined, which wraps its listener. */
function routeHosts(
  { api, content, site }: Apps,
  options: HttpOptions,
  parts: Pick<Observer, 'recordClosed'> & { readonly destinations: Destinations; readonly slowClients: SlowClients },
): void {
  const { sites } = options
  const { server } = api
  joinApps(api, [content, site])
  const listenerOf =
    (app: FastifyInstance): RequestListener =>
    (request, response) => {
      app.routing(request, response)
    }
  routeByHost(api, {
    ...parts,
    log: options.log,
    content: fromMemory({ ...options, ...parts, server, next: listenerOf(content) }),
    sites: sites && {
      server: sites,
      answer: sitesFromMemory({ ...options, ...parts, sites, server, next: listenerOf(site) }),
    },
  })
}

function mountHosts({ content, site }: Omit<Apps, 'api'>, options: HttpOptions, destinations: Destinations): void {
  mountContent(content, options, options)
  if (options.sites) mountSites(site, options.sites, { ...options, destinations })
}

function endSlowClients(apps: readonly [FastifyInstance, ...FastifyInstance[]], slowClients: SlowClients): void {
  for (const app of apps)
    // A hook on the affected routes only, so that the others have no extra cost.
    app.addHook('onRoute', (route) => {
      if (route.config?.isStream !== true) return
      const allowStream: onRequestHookHandler = (request, _reply, done) => {
        slowClients.allowStream(request.raw)
        done()
      }
      route.onRequest = [allowStream, ...[route.onRequest ?? []].flat()]
    })
  apps[0].addHook('onClose', (_app, done) => {
    slowClients.stop()
    done()
  })
}

/** Sets the fixed headers of all answers but those of operations, which send them in one call with the others. */
function addFixedHeaders(app: FastifyInstance): void {
  const addHeaders: onRequestHookHandler = (request, reply, done) => {
    reply.headers(fixedHeaders(request))
    done()
  }
  app.addHook('onRoute', (route) => {
    if (route.config?.setsFixedHeaders !== true) route.onRequest = [addHeaders, ...[route.onRequest ?? []].flat()]
  })
}

/** Answers unknown paths, wrong methods and preflights, and rejects requests without a Host header. */
function answerUnrouted(app: FastifyInstance, allowed: AllowedMethods): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      done(new ApiError('bad_request', 'The header Host is required (RFC 9112, section 3.2).'))
      return
    }
    if (headerBytesOf(request.raw) > maxHeaderBytes.api) {
      done(new ApiError('bad_request', largeHeaders))
      return
    }
    if (hasSeveralHosts(request.raw)) {
      done(new ApiError('bad_request', 'The header Host may be given only once (RFC 9112, section 3.2).'))
      return
    }
    // Not from routeOptions, which Fastify builds anew at each access.
    const isParametric = Object.keys(request.params as object).length > 0
    const isOther = isParametric && (hasEmptyStep(request.params as object) || allowed.hasPath(request.url))
    const isRouted = !request.is404 && !isOther
    if (isRouted) {
      done()
      return
    }
    const allow = allowed.of(request.url)
    if (allow !== undefined && request.method === 'OPTIONS') {
      const headers = { ...fixedHeaders(request), ...preflightHeaders(allow, request.url) }
      void reply.code(204).headers(headers).send()
    } else done(noRoute(request.method, allow))
  })
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
