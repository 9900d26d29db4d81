import { join } from 'node:path'
import type { DatabaseConfig } from './db/connect.js'
import { OperatorError } from './operator-error.js'
import { shown } from './config/mask.js'
import { InvalidSetting, type Setting } from './config/setting.js'
import { settings, type LogLevel } from './config/settings.js'
import type { BlobsConfig } from './ports/blobs/select.js'
import type { DnsProviderConfig } from './ports/dns/select.js'
import type { EdgeConfig } from './ports/edge/select.js'
import type { VaultConfig } from './ports/vault/configured-key.js'
import type { RegistriesConfig } from './ports/registry/open-registries.js'

export { describeDatabase } from './config/database.js'
export { settingsTable } from './config/documentation.js'
export { maskPasswords } from './config/mask.js'
export {
  claimSettings,
  databaseSettings,
  deletionSettings,
  edgeSettings,
  exportSettings,
  importSettings,
  keySettings,
  usageSettings,
  zoneSettings,
} from './config/command-settings.js'
export { allSettings, type LogLevel } from './config/settings.js'
export { unknownVariables } from './config/unknown.js'

/** The validated configuration of the server. Paths are absolute. */
export interface Config {
  readonly data: string
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The origin that clients use; undefined for the address that the server listens on. */
  readonly publicUrl: string | undefined
  readonly database: DatabaseConfig
  /** Where the master key of stored secrets is. */
  readonly vault: VaultConfig
  /** The store of the bytes of files. */
  readonly blobs: BlobsConfig
  /** In lower case, without a trailing dot. */
  readonly sitesDomain: string
  /** The argument of `compile` of @fastify/proxy-addr. */
  readonly trustProxy: readonly string[]
  /** Maximum number of open HTTP connections, in total and from one network; 0 for no limit. */
  readonly connections: { readonly max: number; readonly perNetwork: number }
  /** Networks in CIDR notation that the targets of users may be in although they are private. */
  readonly outboundAllow: readonly string[]
  /** In lower case. */
  readonly geoHeader: string | undefined
  /** Path of a country database; undefined for the bundled one. */
  readonly geoDb: string | undefined
  readonly fxUrl: string
  readonly registries: RegistriesConfig
  readonly dns: DnsConfig
  readonly files: FilesConfig
  /** Free bytes of a disk below which nothing large is stored; undefined for the default, 0 for no reserve. */
  readonly diskReserveBytes: number | undefined
  /** The most deployments of an account; 0 for no limit. */
  readonly deploymentsMax: number
  /** The most stored credentials of an account. */
  readonly credentialsMax: number
  /** The most domains of an account. */
  readonly domainsMax: number
  readonly sites: SitesConfig
  readonly packages: PackagesConfig
  readonly sms: SmsConfig
  /** IP addresses of the server, for the DNS records of sites' own domains. */
  readonly sitesAddresses: readonly string[]
  readonly edge: EdgeConfig
  readonly logLevel: LogLevel
  /** Undefined if metrics are off. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
}

/** The limits of files; 0 for no limit. */
export interface FilesConfig {
  /** Bytes of the files and open uploads of an account. */
  readonly bytesMax: number
  /** Bytes of one file. */
  readonly fileBytesMax: number
  /** Open uploads of an account. */
  readonly uploadsMax: number
  /** Files of an account, each part of a large upload counted as one. */
  readonly filesMax: number
}

/** The limits of static sites; 0 for no limit, except for files. */
export interface SitesConfig {
  /** Sites of an account. */
  readonly sitesMax: number
  /** Unpacked bytes of one site, and bytes of its archive. */
  readonly siteBytesMax: number
  /** Files of one site. */
  readonly siteFilesMax: number
  /** Stored bytes of all kept versions of an account's sites. */
  readonly bytesMax: number
}

/** The limits of packages; 0 for no limit, except of packages and versions. */
export interface PackagesConfig {
  /** Packages of an account. */
  readonly packagesMax: number
  /** Versions of a package. */
  readonly versionsMax: number
  /** Artifacts of an account. */
  readonly artifactsMax: number
  /** Bytes of one artifact. */
  readonly artifactBytesMax: number
  /** Bytes of the artifacts of an account. */
  readonly bytesMax: number
}

/** Which SMS messages are kept; 0 for no limit. */
export interface SmsConfig {
  readonly retentionDays: number
  /** Messages of an account. */
  readonly messagesMax: number
}

/** The configuration of the zones: server, limits, verification. */
export interface DnsConfig {
  /** Addresses of the embedded nameserver; port 0 for any free port. */
  readonly host: readonly string[]
  readonly port: number
  /** Maximum number of UDP answers per second to one network; 0 for no limit. */
  readonly rateLimit: number
  /** Maximum number of records in a zone. */
  readonly recordsMax: number
  /** Maximum size of a zone in bytes: the values and hosts of its records. */
  readonly zoneBytesMax: number
  /** Maximum number of zones of an account. */
  readonly zonesMax: number
  /** Host names in lower case. */
  readonly nameservers: readonly string[]
  /** The email address in the SOA record of every zone; undefined for the default of each zone. */
  readonly hostmaster: string | undefined
  /** Each as `ip:port` or `[ip]:port`; empty for those of the system. */
  readonly resolvers: readonly string[]
  readonly provider: DnsProviderConfig
}

/** The names of the server itself, which determine the zones of the operator. */
export const operatorNames = ({ publicUrl, sitesDomain, dns }: Pick<Config, 'publicUrl' | 'sitesDomain' | 'dns'>) => ({
  publicUrl,
  sitesDomain,
  nameservers: dns.nameservers,
})

/** The sources of settings. A flag overrides the environment; an empty text counts as unset. */
export interface Source {
  /** Values by name of the flag, without dashes. */
  readonly flags?: Readonly<Record<string, string | undefined>>
  readonly env: NodeJS.ProcessEnv
}

/** Reads and validates all settings. @throws OperatorError that names every invalid value */
export const readConfig = (source: Source): Config =>
  readSettings(source, (read, refuse) => {
    const port = read(settings.metricsPort)
    const host = read(settings.metricsHost)
    return {
      ...databaseOf(read),
      vault: vaultOf(read),
      ...blobsOf(read),
      host: read(settings.host),
      port: read(settings.port),
      publicUrl: read(settings.publicUrl),
      sitesDomain: read(settings.sitesDomain),
      trustProxy: read(settings.trustProxy),
      connections: { max: read(settings.connectionsMax), perNetwork: read(settings.connectionsPerNetwork) },
      outboundAllow: read(settings.outboundAllow),
      geoHeader: read(settings.geoHeader),
      geoDb: read(settings.geoDb),
      fxUrl: read(settings.fxUrl),
      registries: { rdapUrl: read(settings.rdapUrl), whois: read(settings.whois) },
      dns: dnsOf(read, refuse),
      files: filesOf(read),
      diskReserveBytes: read(settings.diskReserveBytes),
      deploymentsMax: read(settings.deploymentsMax),
      credentialsMax: read(settings.credentialsMax),
      domainsMax: read(settings.domainsMax),
      sites: sitesOf(read),
      packages: packagesOf(read),
      sms: { retentionDays: read(settings.smsRetentionDays), messagesMax: read(settings.smsMessagesMax) },
      sitesAddresses: read(settings.sitesAddresses),
      edge: edgeOf(read),
      logLevel: read(settings.logLevel),
      metrics: port === undefined ? undefined : { host, port },
    }
  })

/** Reads the settings of the database only: other invalid settings do not matter. @throws OperatorError */
export const readDatabaseConfig = (source: Source): DatabaseConfig => readSettings(source, databaseOf).database

type Read = <T>(setting: Setting<T>) => T

/** Reports a problem of several settings together. */
type Refuse = (problem: string) => void

function databaseOf(read: Read): Pick<Config, 'data' | 'database'> {
  const data = read(settings.data)
  return { data, database: read(settings.database) ?? { kind: 'sqlite', file: join(data, 'svc.db') } }
}

function vaultOf(read: Read): VaultConfig {
  const key = read(settings.masterKey)
  return key === undefined ? { kind: 'file', file: join(read(settings.data), 'master.key') } : { kind: 'setting', key }
}

const filesOf = (read: Read): FilesConfig => ({
  bytesMax: read(settings.filesBytesMax),
  fileBytesMax: read(settings.fileBytesMax),
  uploadsMax: read(settings.uploadsMax),
  filesMax: read(settings.filesMax),
})

const sitesOf = (read: Read): SitesConfig => ({
  sitesMax: read(settings.sitesMax),
  siteBytesMax: read(settings.siteBytesMax),
  siteFilesMax: read(settings.siteFilesMax),
  bytesMax: read(settings.sitesBytesMax),
})

const packagesOf = (read: Read): PackagesConfig => ({
  packagesMax: read(settings.packagesMax),
  versionsMax: read(settings.packageVersionsMax),
  artifactsMax: read(settings.artifactsMax),
  artifactBytesMax: read(settings.artifactBytesMax),
  bytesMax: read(settings.packagesBytesMax),
})

function blobsOf(read: Read): Pick<Config, 'blobs'> {
  return { blobs: read(settings.blobs) ?? { kind: 'disk', folder: join(read(settings.data), 'files') } }
}

function dnsOf(read: Read, refuse: Refuse): DnsConfig {
  const url = read(settings.dns)
  const key = read(settings.powerdnsKey) ?? ''
  if (url !== undefined && key === '') refuse('SVC_DNS is a PowerDNS: set SVC_POWERDNS_KEY to its api-key.')
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

function edgeOf(read: Read): EdgeConfig {
  const url = read(settings.edge)
  const cacheBytes = read(settings.edgeCacheBytes)
  return url === undefined ? { kind: 'embedded', cacheBytes } : { kind: 'varnish', url }
}

function readSettings<R>({ flags = {}, env }: Source, work: (read: Read, refuse: Refuse) => R): R {
  const problems: string[] = []
  const read: Read = (setting) => {
    const flag = flags[setting.flag] ?? ''
    const text = flag === '' ? (env[setting.env] ?? '') : flag
    if (text === '') return setting.defaultValue()
    try {
      return setting.parse(text)
    } catch (error) {
      if (!(error instanceof InvalidSetting)) throw error
      const name = flag === '' ? setting.env : `--${setting.flag}`
      problems.push(`${name} ${setting.secret ? '' : `is ${shown(text)} but `}${error.message}.`)
      return setting.defaultValue()
    }
  }
  const result = work(read, (problem) => problems.push(problem))
  if (problems.length > 0) throw new OperatorError(problems.join('\n'), 2)
  return result
}

/** Loads `.env` of the working directory; variables of the environment override it. */
export function loadDotEnv(): void {
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new OperatorError(`The file .env cannot be read: ${message}`, 2, { cause: error })
  }
}
