import proxyAddr from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import {
  type Areas,
  areas,
  consoleAreas,
  type ConsoleAreas,
  consolePath,
  type ImplementedArea,
  implementedOperations,
  type Operation,
} from '@svc/contract'
import { openPorts, type Ports } from './app/ports.js'
import { accountStore } from './areas/account/accounts/store.js'
import { accountHandlers } from './areas/account/handlers.js'
import { keyHandlers } from './areas/account/tokens/handlers.js'
import { cookieConfig, sessionHandlers } from './areas/account/sign-in/handlers.js'
import { sessionCallers, sessionStore } from './areas/account/sessions/store.js'
import { signInStore } from './areas/account/sign-in/store.js'
import { tokenCallers, tokenStore } from './areas/account/tokens/store.js'
import { catalogueHandlers } from './areas/catalogue/handlers.js'
import { referenceDocuments } from './areas/catalogue/reference.js'
import { operatorZones } from './areas/dns/claims/operator-zones.js'
import { reservedStore } from './areas/dns/claims/reserved-store.js'
import { dnsHandlers } from './areas/dns/handlers.js'
import { publicHandlers } from './areas/public/handlers.js'
import { operatorNames, type Config } from './config.js'
import type { Database } from './db/port.js'
import { bearerDoor } from './http/bearer-door.js'
import type { AnyHandler, Handlers } from './http/handler.js'
import type { RequestMetrics } from './http/metrics.js'
import type { Door, Mounted } from './http/mount.js'
import { RunningHandlers } from './http/running-handlers.js'
import { createServer } from './http/server.js'
import { sessionDoor } from './http/session-door.js'
import { usualDeadlines } from './http/slow-clients.js'
import type { Dns } from './ports/dns/port.js'

/** The server, put together and not yet listening. */
export interface App {
  readonly http: FastifyInstance
  readonly database: Database
  readonly dns: Dns
  /** Undefined where the operator has not asked for metrics. */
  readonly metrics: RequestMetrics | undefined
  readonly hasAccounts: () => Promise<boolean>
  /**
   * Lets running requests finish, then closes everything.
   * @param giveUp ends the wait for handlers that are still running
   */
  readonly close: (giveUp?: AbortSignal) => Promise<void>
}

/**
 * The composition root: puts ports, areas and doors together. The only place that knows them all.
 * @param deadlines for slow clients; tests use shorter ones
 */
export async function createApp(config: Config, log: Logger, deadlines = usualDeadlines): Promise<App> {
  const ports = await openPorts(config, log)
  const { database, dns, follower } = ports
  const byToken = tokenCallers(database, lastUseNotSaved(log))
  const bySession = sessionCallers(database, lastUseNotSaved(log))
  await warnOfClaims(config, database, log)
  const { catalogue, ...callable } = handlersOf(config, ports)
  const bearer = bearerDoor((token) => byToken.callerOf(token))
  const { name } = cookieConfig(config.publicUrl)
  const session = sessionDoor((secret) => bySession.callerOf(secret), name, config.publicUrl)
  const running = new RunningHandlers()
  const metrics = config.metrics && new (await import('./http/metrics.js')).RequestMetrics()
  const http = createServer(
    [
      ...mounted(bearer, areas, { catalogue, ...callable }),
      ...mounted(session, areas, callable, consolePath),
      ...mounted(session, consoleAreas, consoleHandlersOf(config, database)),
    ],
    {
      log,
      metrics,
      trusted: proxyAddr.compile([...config.trustProxy]),
      reference: referenceDocuments(implementedOperations, baseUrlOf(config)),
      isProxied: config.trustProxy.length > 0,
      connections: config.connections,
      deadlines,
      running,
      ping: async () => {
        await Promise.all([database.ping(), dns.ping()])
      },
    },
  )
  return {
    http,
    database,
    dns,
    metrics,
    hasAccounts: async () => (await accountStore(database).list()).length > 0,
    close: async (giveUp = new AbortController().signal) => {
      await http.close()
      await running.idle(giveUp)
      if (running.count > 0) log.warn({ handlers: running.count }, 'handlers still running are given up')
      await Promise.all([byToken.close(), bySession.close(), follower.stop()])
      await dns.close()
      await database.close()
    },
  }
}

const lastUseNotSaved = (log: Logger) => (error: unknown) => {
  log.error({ err: error }, 'when tokens and sessions were last used could not be saved')
}

/** Warns of operator zones that accounts verified earlier: their holders control the addresses of the server's names. */
async function warnOfClaims(config: Config, database: Database, log: Logger): Promise<void> {
  for (const { zone, email } of await reservedStore(database).unconfirmed(operatorZones(operatorNames(config))))
    log.warn(
      { zone, account: email },
      "an account holds a zone of the server's own names without a proof: svc dns assign gives it to the account that is to have it",
    )
}

function handlersOf(config: Config, ports: Ports): { [A in ImplementedArea]: Handlers<Areas[A]> } {
  const { database, follower } = ports
  const stores = { accounts: accountStore(database), sessions: sessionStore(database) }
  return {
    catalogue: catalogueHandlers(implementedOperations, baseUrlOf(config)),
    public: publicHandlers({ ...ports, geoHeader: config.geoHeader }),
    account: accountHandlers(stores, implementedOperations),
    dns: dnsHandlers({
      ...config.dns,
      ...ports,
      heldByOperator: operatorZones(operatorNames(config)).has,
      published: follower.published,
    }),
  }
}

function consoleHandlersOf(
  { publicUrl }: Config,
  database: Database,
): { [A in keyof ConsoleAreas]: Handlers<ConsoleAreas[A]> } {
  const stores = {
    accounts: accountStore(database),
    sessions: sessionStore(database),
    signIns: signInStore(database),
  }
  return { session: sessionHandlers(stores, cookieConfig(publicUrl)), keys: keyHandlers(tokenStore(database)) }
}

/** The operations of some areas beside their handlers, as they stand behind a door. */
function mounted(
  door: Door,
  declared: Readonly<Record<string, object>>,
  handlers: Readonly<Record<string, object>>,
  pathBehind: (path: string) => string = (path) => path,
): Mounted[] {
  return Object.entries(handlers).flatMap(([area, byName]) =>
    Object.entries(byName as Record<string, AnyHandler>).map(([name, handler]) => {
      const op = (declared[area] as Record<string, Operation>)[name]
      if (op === undefined) throw new Error(`The contract has no operation ${area}.${name}.`)
      return { op, path: pathBehind(op.path), door, handler }
    }),
  )
}

/** Where the server is reached from outside, as far as it knows. */
const baseUrlOf = ({ publicUrl, host, port }: Config): string =>
  publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
