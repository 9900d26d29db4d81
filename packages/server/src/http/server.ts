import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { Logger } from 'pino'
import type { DiskSpace } from '../ports/space/port.js'
import { answerUnrouted, apiApp, checkHead } from './api-app.js'
import type { ApiEndpointRoute, ContentRoute, EndpointRoute, PublicRoute, SiteServer } from './area.js'
import type { Intake } from './bytes-in/receive-bytes.js'
import { answerOddHandshakes, answerUnparsable } from './client-errors.js'
import { Connections, keepAccepting, type ConnectionLimits } from './connections.js'
import { mountContent, plainApp } from './content-app.js'
import type { TrustedProxies } from './context.js'
import { Destinations, type ServerHosts } from './destinations.js'
import { mountApiEndpoints, mountTextEndpoints } from './endpoints.js'
import { answerErrors, sendError, toApiError } from './failures.js'
import { limitHeads } from './head-limits.js'
import { fixedHeaders } from './headers.js'
import { contentFromMemory, sitesFromMemory } from './memory-responder.js'
import type { Metrics } from './metrics.js'
import { mount, type Mounted } from './mount.js'
import { observer, type Observer } from './observe.js'
import { AllowedMethods } from './paths.js'
import { closeUnreadBodies, limitPipelined } from './pipelined.js'
import { mountProbes } from './probes.js'
import { mountPublicRoutes } from './public-routes.js'
import { readJson } from './read-body.js'
import { joinApps, routeByHost } from './route-by-host.js'
import type { RunningHandlers } from './running-handlers.js'
import { mountSites } from './site-app.js'
import { SlowClients, type Deadlines } from './slow-clients.js'
import { checkServerName } from './tls/server-name.js'
import { tlsPorts, type TlsPorts, type TlsPortsOptions } from './tls/ports.js'
import { userContentTest } from './unfinished-headers.js'

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
  /** The same with answers in plain text. */
  readonly apiTexts?: readonly EndpointRoute[]
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
  /** Undefined if svc does not end TLS itself. */
  readonly tls?: TlsPortsOptions | undefined
}

/** The servers of all HTTP ports. None of them listens yet. */
export interface HttpServers {
  /** Of plain HTTP. Its server answers the requests of all ports. */
  readonly api: FastifyInstance
  readonly tls: TlsPorts | undefined
}

type Apps = Readonly<Record<'api' | 'content' | 'site', FastifyInstance>>

interface Shared extends Observer {
  readonly destinations: Destinations
  readonly slowClients: SlowClients
  readonly tls: TlsPorts | undefined
}

/**
 * Builds the HTTP servers, which do not listen yet. This file installs the steps of a request, and lists them in their order: of the
 * connection, of every request, of those to the API. `mount.ts` has those of an operation.
 */
export function createServer(operations: readonly Mounted[], options: HttpOptions): HttpServers {
  const destinations = new Destinations(options.hosts)
  const observed = observer(options.log, options.metrics)
  const { observe } = observed
  // Input that the parser rejects gets an answer in the form of its host, as far as that is known, and the connection is closed.
  const answerUnreadable = (error: Error, socket: Socket) => answerUnparsable(error, socket, observe, isForUserContent)
  // Over TLS of svc itself, the age of the certificates decides about HSTS.
  const isPublicSecure = options.hosts.publicUrl?.startsWith('https:') === true
  const api = apiApp(options, observe, answerUnreadable, (socket) => shared.tls?.isSecure(socket) ?? isPublicSecure)
  const isForUserContent = userContentTest(api.server, destinations)
  const apps = { api, content: plainApp(options, observe), site: plainApp(options, observe) }
  const shared: Shared = {
    ...observed,
    destinations,
    ...stepsOfConnections(api.server, options, { ...observed, destinations }),
  }
  stepsOfRequests(apps, options, shared)
  stepsOfApi(api, operations, options, shared)
  for (const app of [apps.content, apps.site]) {
    app.addHook('onRequest', observed.recordAtClose)
    addRouteHooks(app, shared)
  }
  mountContent(apps.content, options, options)
  if (options.sites) mountSites(apps.site, options.sites, { ...options, destinations })
  return { api, tls: shared.tls }
}

function stepsOfConnections(server: Server, options: HttpOptions, observed: Observer & Pick<Shared, 'destinations'>) {
  const { connections: limits, trusted, log, metrics } = options
  // A connection that cannot be accepted is logged, and does not end the process.
  keepAccepting(server, log)
  // A connection beyond the limits of the server or of its network is closed.
  const connections = new Connections(server, { limits, trusted, log, metrics })
  // A client that sends or reads too slowly is answered 400 or closed, in any later step.
  const slowClients = new SlowClients(connections.open, observed.observe, options.deadlines)
  // A connection to the port of TLS comes to the server after its handshake.
  const tls = options.tls && tlsPorts(server, options.tls, { ...options, ...observed, connections })
  return { slowClients, tls }
}

function stepsOfRequests(apps: Apps, options: HttpOptions, shared: Shared): void {
  const { sites, log } = options
  const { server } = apps.api
  joinApps(apps.api, [apps.content, apps.site])
  const memory = { ...options, ...shared, server }
  addSteps(server, [
    // Requests of a connection that sends too many in one turn of the event loop are ignored.
    limitPipelined,
    // A chunked body that continues after the answer ends the connection.
    closeUnreadBodies,
    // A query or a list header that takes long to parse is answered 400.
    limitHeads(shared),
    // Over TLS, a request for another host than that of its connection is answered 421.
    ...(shared.tls ? [checkServerName({ ...shared, servedOf: shared.tls.servedOf })] : []),
    // The request goes to its host: bytes in memory are answered at once, all other requests by the host's application.
    routeByHost({
      ...shared,
      isForSites: (socket) => shared.tls?.servedOf(socket)?.isOfAccount === true,
      log,
      content: contentFromMemory({ ...memory, next: listenerOf(apps.content) }),
      sites: sites && { server: sites, answer: sitesFromMemory({ ...memory, sites, next: listenerOf(apps.site) }) },
    }),
  ])
}

function stepsOfApi(app: FastifyInstance, operations: readonly Mounted[], options: HttpOptions, shared: Shared): void {
  const allowed = new AllowedMethods(app)
  // CONNECT and unknown expectations are answered 405 and 400, because Node.js makes no ordinary request of them.
  answerOddHandshakes(app.server, shared.observe, () => allowed.ofAll())
  // The request is recorded when its response closes.
  app.addHook('onRequest', shared.recordAtClose)
  // A request without a Host header, with several, or with large headers is answered 400.
  app.addHook('onRequest', checkHead)
  // Unknown paths are answered 404, wrong methods 405, preflights 204.
  app.addHook('onRequest', answerUnrouted(allowed))
  // The answer gets the fixed headers, and a stream has no deadline for the whole transfer.
  addRouteHooks(app, shared, addHeaders)
  // A body is read as JSON, except by operations that take bytes.
  readJson(app)
  // An error in any step gets the envelope.
  answerErrors(app, options.log, { toShown: toApiError, send: sendError })
  // The door, the scopes, the input and the handler of an operation; then the routes outside the contract.
  mount(app, operations, options)
  mountPublicRoutes(app, options.routes, options.trusted)
  mountApiEndpoints(app, options.apiEndpoints ?? [], options)
  mountTextEndpoints(app, options.apiTexts ?? [], options)
  mountProbes(app, options)
  app.addHook('onClose', (_app, done) => {
    shared.slowClients.stop()
    done()
  })
}

const addHeaders: onRequestHookHandler = (request, reply, done) => {
  reply.headers(fixedHeaders(request))
  done()
}

/**
 * Hooks on the affected routes only, so that the others have no extra cost.
 * @param addHeaders for all routes but those of operations, which send the headers in one call with the others
 */
function addRouteHooks(app: FastifyInstance, { slowClients }: Shared, addHeaders?: onRequestHookHandler): void {
  const allowStream: onRequestHookHandler = (request, _reply, done) => {
    slowClients.allowStream(request.raw)
    done()
  }
  app.addHook('onRoute', (route) => {
    const { isStream, setsFixedHeaders } = route.config ?? {}
    const hooks = [
      ...(addHeaders && setsFixedHeaders !== true ? [addHeaders] : []),
      ...(isStream === true ? [allowStream] : []),
    ]
    if (hooks.length > 0) route.onRequest = [...hooks, ...[route.onRequest ?? []].flat()]
  })
}

/** Puts steps before the listener of a server. Each gets the next one, and answers the request itself or passes it on. */
function addSteps(server: Server, steps: readonly ((next: RequestListener) => RequestListener)[]): void {
  const [last] = server.listeners('request') as [RequestListener]
  server.off('request', last)
  server.on(
    'request',
    steps.reduceRight((next, step) => step(next), last),
  )
}

const listenerOf =
  (app: FastifyInstance): RequestListener =>
  (request, response) => {
    app.routing(request, response)
  }
