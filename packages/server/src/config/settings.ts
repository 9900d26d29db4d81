import { resolve } from 'node:path'
import { acmeSettings } from './acme.js'
import { networks, proxies } from './addresses.js'
import { blobs } from './blobs.js'
import { database } from './database.js'
import { dnsSettings } from './dns.js'
import { mailSettings } from './mail.js'
import {
  baseUrl,
  domain,
  embeddedOr,
  existingFile,
  fetchableUrl,
  headerName,
  hostAndPort,
  integer,
  listenHost,
  oneOf,
  origin,
  port,
  text,
} from './parsers.js'
import { optional, setting, settingsOf, type Values } from './setting.js'
import { storedDataSettings } from './stored-data.js'
import { tlsSettings } from './tls.js'

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Open connections; 0 for no limit. */
const connectionCount = integer({ min: 0, max: 1_000_000 })

/**
 * Every setting, in the order of `--help` and the documentation. Flags, `--help`, checks, documentation and the type of the
 * configuration are derived from these declarations.
 */
export const settings = {
  data: setting('SVC_DATA', 'The data directory', { type: text('<dir>', resolve), default: './data' }),
  database: optional('SVC_DATABASE', 'The database: sqlite:<file>, or postgres://<user>:<password>@<host>/<database>', {
    type: text('<url>', database),
    default: 'sqlite:<data directory>/svc.db',
    secret: true,
  }),
  blobs: optional(
    'SVC_BLOBS',
    'Where files are stored: file:<directory>, or s3://<bucket>?endpoint=<url>&region=<region>',
    { type: text('<url>', blobs), default: 'file:<data directory>/files' },
  ),
  host: setting('SVC_HOST', 'The address to listen on; 0.0.0.0 for all IPv4 addresses, :: for all addresses', {
    type: text('<address>', listenHost),
    default: '127.0.0.1',
  }),
  port: setting('SVC_PORT', 'The port to listen on; 0 for any free port', { type: port({ min: 0 }), default: '8080' }),
  publicUrl: optional(
    'SVC_PUBLIC_URL',
    'The URL that clients use, such as https://api.example.com; with https, cookies are Secure',
    { type: text('<origin>', origin), default: 'http://<host>:<port>' },
  ),
  tls: tlsSettings,
  sitesDomain: setting(
    'SVC_SITES_DOMAIN',
    'The domain for sites and shared files; its zone can be claimed only with a TXT challenge',
    { type: text('<domain>', domain), default: 'localhost' },
  ),
  acme: acmeSettings,
  trustProxy: setting(
    'SVC_TRUST_PROXY',
    'Proxies whose X-Forwarded-For is trusted: addresses, networks, loopback, linklocal, uniquelocal',
    { type: text('<addresses>', proxies), default: '' },
  ),
  connections: {
    max: setting('SVC_CONNECTIONS_MAX', 'Maximum number of open HTTP connections; 0 for no limit', {
      type: connectionCount,
      default: '2048',
    }),
    perNetwork: setting(
      'SVC_CONNECTIONS_PER_NETWORK',
      'Maximum number of connections from one network (/24, /64), except loopback and trusted proxies; 0 for no limit',
      { type: connectionCount, default: '256' },
    ),
  },
  outboundAllow: setting(
    'SVC_OUTBOUND_ALLOW',
    'Private addresses and networks that webhooks, registry look-ups and NOTIFY to secondaries of accounts may reach, such as 192.168.1.0/24',
    { type: text('<networks>', networks), default: '' },
  ),
  geoHeader: optional(
    'SVC_GEO_HEADER',
    "The header of a trusted proxy with the caller's country, such as CF-IPCountry",
    { type: text('<name>', headerName), default: 'none' },
  ),
  geoDb: optional('SVC_GEO_DB', 'A country database in MMDB format', {
    type: text('<file>', existingFile),
    default: 'the bundled one',
  }),
  fxUrl: setting('SVC_FX_URL', 'The source of exchange rates, in the format of fawazahmed0/currency-api', {
    type: text('<url>', fetchableUrl),
    default: 'https://cdn.jsdelivr.net/npm/@fawazahmed0/currency-api@latest/v1/currencies/usd.min.json',
  }),
  ...storedDataSettings,
  registries: {
    rdapUrl: optional(
      'SVC_RDAP_URL',
      'The base URL of an RDAP server for all top-level domains; it may have a private address',
      { type: text('<url>', baseUrl), default: "the registries' servers, from IANA's list" },
    ),
    whois: optional(
      'SVC_WHOIS',
      "The WHOIS server to ask instead of the registries' servers; it may have a private address",
      { type: text('<host:port>', hostAndPort), default: "the registries' servers" },
    ),
  },
  dns: dnsSettings,
  mail: mailSettings,
  edge: {
    url: setting(
      'SVC_EDGE',
      'The cache for share links: embedded, or varnish+http://<host>:<port> for a Varnish in front of svc',
      { type: text('<cache>', embeddedOr('varnish')), default: 'embedded' },
    ),
    cacheBytes: setting('SVC_EDGE_CACHE_BYTES', 'The memory of the embedded cache for share links; 0 for no cache', {
      type: integer({ min: 0, max: 1_000_000_000_000, unit: 'bytes' }),
      default: '67108864',
    }),
  },
  logLevel: setting('SVC_LOG_LEVEL', `The lowest level to log: ${logLevels.join(', ')}`, {
    type: text('<level>', oneOf(logLevels)),
    default: 'info',
  }),
  metrics: {
    port: optional('SVC_METRICS_PORT', 'The port for Prometheus metrics, at /metrics', {
      type: port({ min: 1 }),
      default: 'off',
    }),
    host: setting('SVC_METRICS_HOST', 'The address for metrics', {
      type: text('<address>', listenHost),
      default: '127.0.0.1',
    }),
  },
}

export type SettingValues = Values<typeof settings>

export type LogLevel = SettingValues['logLevel']

export const allSettings = settingsOf(settings)
