import { join } from 'node:path'
import type { DatabaseConfig } from './db/connect.js'
import { OperatorError } from './operator-error.js'
import type { ProviderConfig } from './config/dns.js'
import { shown } from './config/mask.js'
import { Unfit, type Setting } from './config/setting.js'
import { settings, type LogLevel } from './config/settings.js'

export { describeDatabase } from './config/database.js'
export { settingsTable } from './config/documentation.js'
export { maskPasswords } from './config/mask.js'
export { allSettings, claimSettings, databaseSettings, zoneSettings, type LogLevel } from './config/settings.js'
export { unknownVariables } from './config/unknown.js'

/** What the server is told, checked. Paths are absolute. */
export interface Config {
  readonly data: string
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  /** How clients reach the server: an origin. */
  readonly publicUrl: string | undefined
  readonly database: DatabaseConfig
  /** In lower case, without a trailing dot. */
  readonly sitesDomain: string
  /** What `compile` of @fastify/proxy-addr takes. */
  readonly trustProxy: readonly string[]
  /** How many HTTP connections are open at once, in all and from one network; 0 for no limit. */
  readonly connections: { readonly max: number; readonly perNetwork: number }
  /** In lower case. */
  readonly geoHeader: string | undefined
  /** Undefined for the bundled one. */
  readonly geoDb: string | undefined
  readonly fxUrl: string
  readonly dns: DnsConfig
  readonly logLevel: LogLevel
  /** Undefined where they are off. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
}

/** Of the zones: how they are served, and how they are verified. */
export interface DnsConfig {
  /** What the embedded nameserver listens on; port 0 takes any free one. */
  readonly host: readonly string[]
  readonly port: number
  /** Answers per second to one network, over UDP; 0 for no limit. */
  readonly rateLimit: number
  /** How many records one zone may hold. */
  readonly recordsMax: number
  /** How many bytes their values and hosts may have together. */
  readonly zoneBytesMax: number
  /** How many zones one account may claim. */
  readonly zonesMax: number
  /** Host names in lower case. */
  readonly nameservers: readonly string[]
  /** Email address in the SOA of every zone; undefined for the default of each zone. */
  readonly hostmaster: string | undefined
  /** Each as `ip:port` or `[ip]:port`; none for those of the system. */
  readonly resolvers: readonly string[]
  readonly provider: ProviderConfig
}

/** The names that the server itself is reached by. */
export const operatorNames = ({ publicUrl, sitesDomain, dns }: Pick<Config, 'publicUrl' | 'sitesDomain' | 'dns'>) => ({
  publicUrl,
  sitesDomain,
  nameservers: dns.nameservers,
})

/** Where settings come from. A flag counts before the environment; an empty text counts as none. */
export interface Source {
  /** By name, without the dashes. */
  readonly flags?: Readonly<Record<string, string | undefined>>
  readonly env: NodeJS.ProcessEnv
}

/** @throws OperatorError that names every bad value at once */
export const readConfig = (source: Source): Config =>
  reading(source, (read, refuse) => {
    const port = read(settings.metricsPort)
    const host = read(settings.metricsHost)
    return {
      ...databaseOf(read),
      host: read(settings.host),
      port: read(settings.port),
      publicUrl: read(settings.publicUrl),
      sitesDomain: read(settings.sitesDomain),
      trustProxy: read(settings.trustProxy),
      connections: { max: read(settings.connectionsMax), perNetwork: read(settings.connectionsPerNetwork) },
      geoHeader: read(settings.geoHeader),
      geoDb: read(settings.geoDb),
      fxUrl: read(settings.fxUrl),
      dns: dnsOf(read, refuse),
      logLevel: read(settings.logLevel),
      metrics: port === undefined ? undefined : { host, port },
    }
  })

/** Where the database is, whatever else is set. @throws OperatorError */
export const readDatabaseConfig = (source: Source): DatabaseConfig => reading(source, databaseOf).database

type Read = <T>(setting: Setting<T>) => T

/** What is wrong with several settings together. */
type Refuse = (problem: string) => void

function databaseOf(read: Read): Pick<Config, 'data' | 'database'> {
  const data = read(settings.data)
  return { data, database: read(settings.database) ?? { kind: 'sqlite', file: join(data, 'svc.db') } }
}

function dnsOf(read: Read, refuse: Refuse): DnsConfig {
  const url = read(settings.dns)
  const key = read(settings.powerdnsKey) ?? ''
  if (url !== undefined && key === '') refuse('SVC_DNS names a PowerDNS, so SVC_POWERDNS_KEY must be its api-key.')
  return {
    host: read(settings.dnsHost),
    port: read(settings.dnsPort),
    rateLimit: read(settings.dnsRateLimit),
    recordsMax: read(settings.dnsRecordsMax),
    zoneBytesMax: read(settings.dnsZoneBytesMax),
    zonesMax: read(settings.dnsZonesMax),
    nameservers: read(settings.nameservers),
    hostmaster: read(settings.dnsHostmaster),
    resolvers: read(settings.resolvers) ?? [],
    provider: url === undefined ? { kind: 'embedded' } : { kind: 'powerdns', url, key },
  }
}

function reading<R>({ flags = {}, env }: Source, work: (read: Read, refuse: Refuse) => R): R {
  const problems: string[] = []
  const read: Read = (setting) => {
    const flag = flags[setting.flag] ?? ''
    const text = flag === '' ? (env[setting.env] ?? '') : flag
    if (text === '') return setting.unset()
    try {
      return setting.parse(text)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      const name = flag === '' ? setting.env : `--${setting.flag}`
      problems.push(`${name} ${setting.secret ? '' : `is ${shown(text)} but `}${error.message}.`)
      return setting.unset()
    }
  }
  const result = work(read, (problem) => problems.push(problem))
  if (problems.length > 0) throw new OperatorError(problems.join('\n'), 2)
  return result
}

/** Adds what `.env` of the working directory says and the environment does not. */
export function loadDotEnv(): void {
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new OperatorError(`The file .env cannot be read: ${message}`, 2, { cause: error })
  }
}
