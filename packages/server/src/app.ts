import proxyAddr from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { areas, consoleAreas, type Areas, type ConsoleAreas, type Operation } from '@svc/contract'
import { accountStore } from './areas/account/account-store.js'
import { accountHandlers } from './areas/account/handlers.js'
import { keyHandlers } from './areas/account/key-handlers.js'
import { cookieConfig, sessionHandlers } from './areas/account/session-handlers.js'
import { sessionCallers, sessionStore } from './areas/account/session-store.js'
import { signInStore } from './areas/account/sign-in-store.js'
import { tokenCallers, tokenStore } from './areas/account/token-store.js'
import { catalogueHandlers } from './areas/catalogue/handlers.js'
import { dnsHandlers } from './areas/dns/handlers.js'
import { followZones, noFollower } from './areas/dns/zone-follower.js'
import { zoneStore } from './areas/dns/zone-store.js'
import { implementedOperations, type ImplementedArea } from './areas/implemented.js'
import { publicHandlers } from './areas/public/handlers.js'
import type { Config } from './config.js'
import { connect } from './db/connect.js'
import type { Database } from './db/port.js'
import { bearerDoor } from './http/bearer-door.js'
import type { AnyHandler, Handlers } from './http/handler.js'
import type { RequestMetrics } from './http/metrics.js'
import type { Door, Mounted } from './http/mount.js'
import { createServer } from './http/server.js'
import { sessionDoor } from './http/session-door.js'
import { bundledCountries, mmdbCountries } from './ports/country/mmdb-countries.js'
import type { Dns } from './ports/dns/port.js'
import { selectDns } from './ports/dns/select.js'
import { LiveRates } from './ports/rates/live-rates.js'
import { networkResolver } from './ports/resolver/network-resolver.js'

/** The server, put together and not yet listening. */
export interface App {
  readonly http: FastifyInstance
  readonly database: Database
  readonly dns: Dns
  /** Undefined where the operator has not asked for metrics. */
  readonly metrics: RequestMetrics | undefined
  readonly hasAccounts: () => Promise<boolean>
  /** Finishes what runs, then lets go of everything. */
  readonly close: () => Promise<void>
}

/** The composition root: builds ports, areas and doors from the configuration. The only place that knows them all. */
export async function createApp(config: Config, log: Logger): Promise<App> {
  const database = await connect(config.database, (error) => log.warn({ err: error }, 'database connection lost'))
  const accounts = accountStore(database)
  const sessions = sessionStore(database)
  const notKept = (error: unknown) => {
    log.error({ err: error }, 'when tokens and sessions were last used could not be saved')
  }
  const byToken = tokenCallers(database, notKept)
  const bySession = sessionCallers(database, notKept)
  const cookie = cookieConfig(config.publicUrl)

  const zones = zoneStore(database)
  const version = await zones.newestVersion()
  const dns = await selectDns(config.dns, { log, zones: zones.all() })
  const follower = dns.external
    ? noFollower
    : followZones(zones, dns, version, (error) => log.error({ err: error }, 'zones could not be followed'))

  const handlers: { [A in ImplementedArea]: Handlers<Areas[A]> } = {
    catalogue: catalogueHandlers(implementedOperations, baseUrlOf(config)),
    public: publicHandlers({
      rates: new LiveRates({ url: config.fxUrl, db: database, log }),
      countries: mmdbCountries(config.geoDb ?? bundledCountries()),
      geoHeader: config.geoHeader,
    }),
    account: accountHandlers({ accounts, sessions }, implementedOperations),
    dns: dnsHandlers({
      ...config.dns,
      ...follower,
      database,
      dns,
      zones,
      resolver: networkResolver({ servers: config.dns.resolvers }),
    }),
  }
  const consoleHandlers: { [A in keyof ConsoleAreas]: Handlers<ConsoleAreas[A]> } = {
    session: sessionHandlers({ accounts, sessions, signIns: signInStore(database) }, cookie),
    keys: keyHandlers(tokenStore(database)),
  }
  const bearer = bearerDoor((token) => byToken.callerOf(token))
  const session = sessionDoor((secret) => bySession.callerOf(secret), cookie.name, config.publicUrl)
  const { catalogue: _documents, ...callable } = handlers

  const metrics = config.metrics && new (await import('./http/metrics.js')).RequestMetrics()
  const http = createServer(
    [
      ...mountedAt('/v1', bearer, areas, handlers),
      ...mountedAt('/console/api', session, areas, callable),
      ...mountedAt('/console/api', session, consoleAreas, consoleHandlers),
    ],
    { log, metrics, trusted: proxyAddr.compile([...config.trustProxy]), ping: async () => void (await Promise.all([database.ping(), dns.ping()])) },
  )
  return {
    http,
    database,
    dns,
    metrics,
    hasAccounts: async () => (await accounts.list()).length > 0,
    close: async () => {
      await http.close()
      await Promise.all([byToken.close(), bySession.close(), follower.stop()])
      await dns.close()
      await database.close()
    },
  }
}

/** The operations of some areas beside their handlers, as they stand behind a door. */
function mountedAt(
  prefix: string,
  door: Door,
  declared: Readonly<Record<string, object>>,
  handlers: Readonly<Record<string, object>>,
): Mounted[] {
  return Object.entries(handlers).flatMap(([area, byName]) =>
    Object.entries(byName as Record<string, AnyHandler>).map(([name, handler]) => {
      const op = (declared[area] as Record<string, Operation>)[name]
      if (op === undefined) throw new Error(`The contract has no operation ${area}.${name}.`)
      return { op, path: op.path.replace(/^\/v1(?=\/|$)/, prefix), door, handler }
    }),
  )
}

/** Where the server is reached from outside, as far as it knows. */
const baseUrlOf = ({ publicUrl, host, port }: Config): string =>
  publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`
