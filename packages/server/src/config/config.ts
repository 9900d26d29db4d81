import { join } from 'node:path'
import { acmeOf } from './acme.js'
import type { DatabaseConfig } from '../db/connect.js'
import { OperatorError } from '../shared/operator-error.js'
import { mailOf } from './mail.js'
import { nameserverGroup, nameserverOf } from './nameserver.js'
import { shown } from './mask.js'
import { InvalidSetting, valuesOf, type AnySetting, type Settings, type Values } from './setting.js'
import { settings, type SettingValues } from './settings.js'
import { placesOf, tlsOf } from './tls.js'
import type { CertificatePlaces } from '../ports/certificates/files/file-certificates.js'
import type { BlobsConfig } from '../ports/blobs/select.js'
import type { DnsProviderConfig } from '../ports/dns/select.js'
import type { EdgeConfig } from '../ports/edge/select.js'
import type { VaultConfig } from '../ports/vault/configured-key.js'

export { describeDatabase } from './database.js'
export { settingsTable } from './documentation.js'
export { maskPasswords } from './mask.js'
export { nameserverSettings } from './nameserver.js'
export * from './command-settings.js'
export { allSettings, type LogLevel } from './settings.js'
export { unknownVariables } from './unknown.js'

/** The validated configuration of the server. Paths are absolute. */
export type Config = Readonly<ReturnType<typeof combine>>

export type DnsConfig = Config['dns']

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
export const readConfig = (source: Source): Config => readSettings(source, settings, combine)

/** Reads the settings of the database only: other invalid settings do not matter. @throws OperatorError */
export const readDatabaseConfig = (source: Source): DatabaseConfig =>
  readSettings(source, { data: settings.data, database: settings.database }, databaseOf)

/** Reads only the URL that clients use. @returns undefined if the operator has set none @throws OperatorError */
export const readPublicUrl = (source: Source): string | undefined =>
  readSettings(source, { publicUrl: settings.publicUrl }, ({ publicUrl }) => publicUrl)

/** Reads only where the certificates in files are. @returns undefined if the operator has set none @throws OperatorError */
export const readTlsFiles = (source: Source): CertificatePlaces | undefined =>
  readSettings(source, { certificates: settings.tls.certificates, keys: settings.tls.keys }, placesOf)

/** The validated configuration of `svc nameserver`. */
export type NameserverConfig = ReturnType<typeof nameserverOf>

/** Reads the settings of `svc nameserver`. @throws OperatorError that names every invalid value */
export const readNameserverConfig = (source: Source): NameserverConfig =>
  readSettings(source, nameserverGroup, nameserverOf)

/** Reports a problem of several settings together. */
type Refuse = (problem: string) => void

/** Applies the rules that need several settings. */
const combine = ({ dns, edge, mail, metrics, tls, acme, ...values }: SettingValues, refuse: Refuse) => ({
  ...values,
  tls: tlsOf(tls, { publicUrl: values.publicUrl, orders: acme.isOn === 'on' }, refuse),
  acme: acmeOf(acme, refuse),
  database: databaseOf(values),
  blobs: blobsOf(values),
  vault: vaultOf(values),
  dns: { ...dns, resolvers: dns.resolvers ?? [], provider: dnsProviderOf(dns.provider, refuse) },
  edge: edgeOf(edge),
  mail: mailOf(mail, refuse),
  passwordReset: mail.passwordReset === 'on',
  metrics: metrics.port === undefined ? undefined : { host: metrics.host, port: metrics.port },
})

const databaseOf = ({ data, database }: Pick<SettingValues, 'data' | 'database'>): DatabaseConfig =>
  database ?? { kind: 'sqlite', file: join(data, 'svc.db') }

const blobsOf = ({ data, blobs }: Pick<SettingValues, 'data' | 'blobs'>): BlobsConfig =>
  blobs ?? { kind: 'disk', folder: join(data, 'files') }

const vaultOf = ({ data, vault: { key } }: Pick<SettingValues, 'data' | 'vault'>): VaultConfig =>
  key === undefined ? { kind: 'file', file: join(data, 'master.key') } : { kind: 'setting', key }

function dnsProviderOf({ url, key = '' }: SettingValues['dns']['provider'], refuse: Refuse): DnsProviderConfig {
  if (url === undefined) return { kind: 'embedded' }
  if (key === '') refuse('SVC_DNS is a PowerDNS: set SVC_POWERDNS_KEY to its api-key.')
  return { kind: 'powerdns', url, key }
}

const edgeOf = ({ url, cacheBytes }: SettingValues['edge']): EdgeConfig =>
  url === undefined ? { kind: 'embedded', cacheBytes } : { kind: 'varnish', url }

function readSettings<G extends Settings, R>(
  { flags = {}, env }: Source,
  group: G,
  combined: (values: Values<G>, refuse: Refuse, isRefused: (setting: AnySetting) => boolean) => R,
): R {
  const problems: string[] = []
  const refused = new Set<string>()
  const values = valuesOf(group, (setting) => {
    const flag = flags[setting.flag] ?? ''
    const text = flag === '' ? (env[setting.env] ?? '') : flag
    if (text === '') return setting.defaultValue()
    try {
      return setting.parse(text)
    } catch (error) {
      if (!(error instanceof InvalidSetting)) throw error
      const name = flag === '' ? setting.env : `--${setting.flag}`
      refused.add(setting.env)
      problems.push(`${name} ${setting.secret ? '' : `is ${shown(text)} but `}${error.message}.`)
      return setting.defaultValue()
    }
  })
  const isRefused = (setting: AnySetting) => refused.has(setting.env)
  const result = combined(values, (problem) => problems.push(problem), isRefused)
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
