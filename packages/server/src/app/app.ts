import proxyAddr from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { operations, type AreaName } from '@svc/contract'
import type { AccountRemoval } from './account-removal/remove-account.js'
import { accountRemovalJob } from './account-removal/removal-job.js'
import { startJobs } from './job-runner.js'
import type { Job } from '../shared/job.js'
import { connectProtocols } from './dns-protocols.js'
import { mountedOperations } from './mounted.js'
import { overviewHandlers } from './overview.js'
import { baseUrlOf, contentUrlOf, siteUrlOf } from './base-urls.js'
import { openPorts, type Ports } from './ports.js'
import { ruleNames } from './rule-names.js'
import { accountArea } from '../areas/account/area.js'
import { catalogueArea } from '../areas/catalogue/area.js'
import { credentialArea } from '../areas/cred/area.js'
import { deploymentsArea } from '../areas/deployments/area.js'
import { dnsArea } from '../areas/dns/area.js'
import { pathZone } from '../areas/dns/zones/name.js'
import { domainsArea } from '../areas/domains/area.js'
import { eventsArea } from '../areas/events/area.js'
import { filesArea } from '../areas/files/area.js'
import { packagesArea } from '../areas/packages/area.js'
import { publicArea } from '../areas/public/area.js'
import { sitesArea } from '../areas/sites/area.js'
import { reservedNames } from '../areas/sites/sites/names.js'
import { smsArea } from '../areas/sms/area.js'
import { tlsArea } from '../areas/tls/area.js'
import { whoisArea } from '../areas/whois/area.js'
import { operatorNames, type Config } from '../config/config.js'
import { consoleRoutes } from '../console/routes.js'
import { jobRunStore } from '../db/job-run-store.js'
import type { Database } from '../db/port.js'
import type { Area } from '../http/area.js'
import { contentHostOf } from '../http/content-host.js'
import { bearerDoor } from '../http/bearer-door.js'
import type { Metrics } from '../http/metrics.js'
import { RunningHandlers } from '../http/running-handlers.js'
import { createServer, type HttpServers } from '../http/server.js'
import { sessionDoor } from '../http/session-door.js'
import { defaultDeadlines, type Deadlines } from '../http/slow-clients.js'
import { noChallenges, type CertificateSource } from '../ports/certificates/port.js'
import type { Dns } from '../ports/dns/port.js'
import { certificateJobs, orderLimitsOf } from './certificates.js'
import { mailSender } from './mail.js'
import { searchHandlers } from './search.js'
import { sealedRowsStore } from './sealed-rows-store.js'

/** The server, with its parts connected. It does not listen yet. */
export interface App {
  readonly http: FastifyInstance
  /** Undefined if svc does not end TLS itself. */
  readonly tls: HttpServers['tls']
  /** The certificates that are served; undefined if svc does not end TLS itself. */
  readonly certificates: CertificateSource | undefined
  readonly database: Database
  readonly dns: Dns
  /** Undefined if the operator has not configured metrics. */
  readonly metrics: Metrics | undefined
  readonly hasAccounts: () => Promise<boolean>
  /** @returns a code with which the console creates the first account; the one before is no longer accepted */
  readonly issueSetupCode: () => Promise<string>
  /**
   * Lets running requests finish, then closes everything.
   * @param giveUp ends the wait for handlers that are still running
   */
  readonly close: (giveUp?: AbortSignal) => Promise<void>
}

/**
 * The composition root: connects ports, areas and doors.
 * @param deadlines for slow clients; tests use shorter ones
 */
export async function createApp(config: Config, log: Logger, deadlines = defaultDeadlines): Promise<App> {
  const ports = await openPorts(config, log)
  try {
    return await connectParts(config, log, ports, deadlines)
  } catch (error) {
    await ports.close()
    throw error
  }
}

/** Every area of the server. A new area is added here. */
async function areasOf(config: Config, log: Logger, ports: Ports) {
  const account = accountArea({ ...ports, ...accountParts(config), log, operations, ruleNames })
  const { authenticateToken, authenticateUpdateKey, tsigKeys: accountKeys } = account
  const authenticated = { authenticateToken, authenticateUpdateKey, accountKeys }
  const dns = await dnsArea({ ...config.dns, ...ports, ...authenticated, log, operatorNames: operatorNames(config) })
  return {
    catalogue: await catalogueArea(operations, baseUrlOf(config), account.authenticateToken),
    public: publicArea({ ...ports, geoHeader: config.geoHeader }),
    account,
    dns,
    cred: credentialArea({ ...ports, log, max: config.credentialsMax }),
    ...filesArea({ ...ports, log, limits: config.files, contentUrl: contentUrlOf(config) }),
    packages: packagesArea({ ...ports, log, limits: config.packages, contentUrl: contentUrlOf(config) }),
    deployments: deploymentsArea({ ...ports, log, ...urlsOf(config), max: config.deploymentsMax }),
    sms: smsArea({ ...ports, limits: config.sms }),
    domains: domainsArea({ ...ports, log, max: config.domainsMax, baseUrl: baseUrlOf(config) }),
    sites: sitesArea({ ...ports, ...siteNames(config), limits: config.sites, hostRecords: dns.hostRecords }),
    whois: whoisArea(ports.registries),
    tls: tlsArea({ ...ports, ...tlsParts(config) }),
    events: eventsArea({ ...ports, log }),
  }
}

/** The areas, with the nameserver's messages for them. */
async function connectedAreas(config: Config, log: Logger, ports: Ports) {
  const areas = await areasOf(config, log, ports)
  const { account, dns } = areas
  connectProtocols(ports.updates ?? ports.dns, [account.tsigKeys, dns.keys], dns.protocols)
  return areas
}

/** The names and addresses that sites have, and those that they cannot have. */
function siteNames(config: Config) {
  const { sitesDomain, dns, sitesAddresses: addresses } = config
  const servedHosts = [contentHostOf(sitesDomain), new URL(baseUrlOf(config)).hostname]
  return {
    addresses,
    servedHosts,
    urlOf: siteUrlOf(config),
    reserved: reservedNames(sitesDomain, servedHosts),
    names: { sitesDomain, hosts: [...servedHosts, ...dns.nameservers] },
  }
}

const urlsOf = (config: Config) => ({ contentUrl: contentUrlOf(config), baseUrl: baseUrlOf(config) })

const accountParts = (config: Config) => ({
  publicUrl: config.publicUrl,
  baseUrl: baseUrlOf(config),
  resetsPasswords: config.passwordReset,
  historyDays: config.dns.historyDays,
})

const tlsParts = (config: Config) => ({
  baseUrl: baseUrlOf(config),
  isOn: config.acme !== undefined,
  canonicalZone: pathZone,
  limits: orderLimitsOf(config),
})

async function connectParts(config: Config, log: Logger, ports: Ports, deadlines: Deadlines): Promise<App> {
  const { database, dns, blobs, intake } = ports
  const areas = await connectedAreas(config, log, ports)
  const { account } = areas
  const all: readonly Area<AreaName>[] = Object.values(areas)
  const running = new RunningHandlers()
  const metrics = await metricsOf(config, ports)
  const doors = doorsOf(account, config)
  const ofServer = { overview: overviewHandlers(areas, { dns, log }), search: searchHandlers(areas, log) }
  const { api: http, tls } = createServer(mountedOperations(areas, doors, ofServer), {
    log,
    metrics,
    deadlines,
    running,
    intake,
    connections: config.connections,
    trusted: proxyAddr.compile([...config.trustProxy]),
    isProxied: config.trustProxy.length > 0,
    routes: [
      ...all.flatMap(({ routes }) => routes ?? []),
      ...(await consoleRoutes({ contentOrigin: contentUrlOf(config), sessionCookie: account.cookieName })),
    ],
    ...pathsOf(all),
    hosts: hostsOf(config),
    ping: () => pingAll([database, dns, blobs]),
    space: ports.space,
    tls: tlsOptionsOf(config, ports),
  })
  const certificates = certificateJobs(config, ports, { dns: areas.dns.challenges, metrics, log })
  const mail = mailSender(config, ports, { areas: all, metrics, log })
  const jobs = [...jobsOf(all, ports), ...certificates, ...mail.jobs, removalJob(areas.dns.removal, ports)]
  const stopJobs = startJobs(jobs, {
    withLock: database.withJobLock,
    runs: jobRunStore(database),
    log,
    onFailure: (job) => metrics?.failedJob(job),
  })
  return {
    http,
    tls,
    certificates: ports.certificates,
    database,
    dns,
    metrics,
    hasAccounts: account.hasAccounts,
    issueSetupCode: account.issueSetupCode,
    close: async (giveUp = new AbortController().signal) => {
      for (const { stop } of all) stop?.()
      await Promise.all([http.close(), tls?.close()])
      await running.idle(giveUp)
      if (running.count > 0) log.warn({ handlers: running.count }, 'no longer waiting for running handlers')
      await Promise.race([stopJobs(), aborted(giveUp)])
      await Promise.all([...all.map(async ({ close }) => close?.()), mail.close()])
      await ports.close()
    },
  }
}

/** The paths of the areas outside the contract, besides documents. */
const pathsOf = (areas: readonly Area<AreaName>[]) => ({
  content: areas.flatMap(({ content }) => content ?? []),
  endpoints: areas.flatMap(({ endpoints }) => endpoints ?? []),
  apiEndpoints: areas.flatMap(({ apiEndpoints }) => apiEndpoints ?? []),
  apiTexts: areas.flatMap(({ apiTexts }) => apiTexts ?? []),
  sites: areas.find(({ sites }) => sites)?.sites,
})

const doorsOf = (account: ReturnType<typeof accountArea>, { publicUrl }: Config) => ({
  token: bearerDoor(account.authenticateToken),
  session: sessionDoor(account.authenticateSession, account.cookieName, publicUrl),
})

async function pingAll(ports: readonly { readonly ping: () => Promise<void> }[]): Promise<void> {
  await Promise.all(ports.map((port) => port.ping()))
}

const hostsOf = ({ sitesDomain, publicUrl }: Config) => ({
  content: contentHostOf(sitesDomain),
  sitesDomain,
  publicUrl,
})

/** Its module is loaded only if the operator has configured metrics. */
async function metricsOf(config: Config, { space, certificates, dns }: Ports): Promise<Metrics | undefined> {
  if (config.metrics === undefined) return undefined
  const metrics = new (await import('../http/metrics.js')).Metrics(space.measured)
  if (certificates) metrics.addTls(certificates.all)
  if (config.mail) metrics.addMail()
  if (dns.queryCounts) metrics.addDns(dns.queryCounts)
  return metrics
}

/** What the ports of TLS need; undefined if svc does not end TLS itself. */
const tlsOptionsOf = ({ tls }: Config, { certificates, acme }: Ports) =>
  tls &&
  certificates && {
    certificates,
    challenges: acme?.openProofs ?? noChallenges,
    publicUrl: tls.publicUrl,
    redirects: tls.redirectPort !== undefined,
  }

const jobsOf = (
  areas: readonly Area<AreaName>[],
  { database, intake, vault, registries, spaceJobs }: Ports,
): readonly Job[] => [
  ...areas.flatMap(({ jobs }) => jobs ?? []),
  ...[...intake.jobs, ...vault.jobs(sealedRowsStore(database)), ...registries.jobs, ...spaceJobs],
]

/** Removes deleted accounts from all areas. */
const removalJob = (publisher: AccountRemoval['publisher'], { database, intake }: Ports): Job =>
  accountRemovalJob({
    db: database,
    publisher,
    removeObjects: async (keys) => {
      intake.remove(keys)
    },
  })

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
