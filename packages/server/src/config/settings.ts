import { blobs } from './blobs.js'
import { vaultSettings } from './vault.js'
import { database } from './database.js'
import {
  apiKey,
  dnsServer,
  domain,
  hostNames,
  listenHosts,
  mailbox,
  rate,
  recordCap,
  resolverAddresses,
  zoneBytesCap,
  zoneCap,
} from './dns.js'
import { outboundSettings } from './outbound.js'
import { fileSettings } from './files.js'
import { packageSettings } from './packages.js'
import { registrySettings } from './registries.js'
import { cacheBytes, edgeServer } from './edge.js'
import { siteSettings } from './sites.js'
import { smsSettings } from './sms.js'
import {
  connectionCap,
  deploymentCap,
  unpagedListCap,
  directory,
  existingFile,
  fetchableUrl,
  headerName,
  listenHost,
  oneOf,
  origin,
  port,
  proxies,
} from './parsers.js'
import { optional, setting, type Setting } from './setting.js'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]

/** Every setting. Flags, `--help`, checks and documentation are derived from these declarations. */
export const settings = {
  data: setting({
    env: 'SVC_DATA',
    placeholder: '<dir>',
    description: 'The data directory',
    default: './data',
    parse: directory,
  }),
  database: optional({
    env: 'SVC_DATABASE',
    placeholder: '<url>',
    description: 'The database: sqlite:<file>, or postgres://<user>:<password>@<host>/<database>',
    shownDefault: 'sqlite:<data directory>/svc.db',
    secret: true,
    parse: database,
  }),
  blobs: optional({
    env: 'SVC_BLOBS',
    placeholder: '<url>',
    description: 'Where files are stored: file:<directory>, or s3://<bucket>?endpoint=<url>&region=<region>',
    shownDefault: 'file:<data directory>/files',
    parse: blobs,
  }),
  host: setting({
    env: 'SVC_HOST',
    placeholder: '<address>',
    description: 'The address to listen on; 0.0.0.0 for all IPv4 addresses, :: for all addresses',
    default: '127.0.0.1',
    parse: listenHost,
  }),
  port: setting({
    env: 'SVC_PORT',
    placeholder: '<port>',
    description: 'The port to listen on; 0 for any free port',
    default: '8080',
    parse: port(0),
  }),
  publicUrl: optional({
    env: 'SVC_PUBLIC_URL',
    placeholder: '<origin>',
    description: 'The URL that clients use, such as https://api.example.com; with https, cookies are Secure',
    shownDefault: 'http://<host>:<port>',
    parse: origin,
  }),
  sitesDomain: setting({
    env: 'SVC_SITES_DOMAIN',
    placeholder: '<domain>',
    description: 'The domain for sites and shared files; its zone can be claimed only with a TXT challenge',
    default: 'localhost',
    parse: domain,
  }),
  trustProxy: setting({
    env: 'SVC_TRUST_PROXY',
    placeholder: '<addresses>',
    description: 'Proxies whose X-Forwarded-For is trusted: addresses, networks, loopback, linklocal, uniquelocal',
    default: '',
    parse: proxies,
  }),
  connectionsMax: setting({
    env: 'SVC_CONNECTIONS_MAX',
    placeholder: '<number>',
    description: 'Maximum number of open HTTP connections; 0 for no limit',
    default: '2048',
    parse: connectionCap,
  }),
  connectionsPerNetwork: setting({
    env: 'SVC_CONNECTIONS_PER_NETWORK',
    placeholder: '<number>',
    description:
      'Maximum number of connections from one network (/24, /64), except loopback and trusted proxies; 0 for no limit',
    default: '256',
    parse: connectionCap,
  }),
  ...outboundSettings,
  geoHeader: optional({
    env: 'SVC_GEO_HEADER',
    placeholder: '<name>',
    description: "The header of a trusted proxy with the caller's country, such as CF-IPCountry",
    shownDefault: 'none',
    parse: headerName,
  }),
  geoDb: optional({
    env: 'SVC_GEO_DB',
    placeholder: '<file>',
    description: 'A country database in MMDB format',
    shownDefault: 'the bundled one',
    parse: existingFile,
  }),
  fxUrl: setting({
    env: 'SVC_FX_URL',
    placeholder: '<url>',
    description: 'The source of exchange rates, in the format of fawazahmed0/currency-api',
    default: 'https://cdn.jsdelivr.net/npm/@fawazahmed0/currency-api@latest/v1/currencies/usd.min.json',
    parse: fetchableUrl,
  }),
  deploymentsMax: setting({
    env: 'SVC_DEPLOYMENTS_MAX',
    placeholder: '<number>',
    description: 'The most forms, webhooks and short links of an account; 0 for no limit',
    default: '10000',
    parse: deploymentCap,
  }),
  ...vaultSettings,
  domainsMax: setting({
    env: 'SVC_DOMAINS_MAX',
    placeholder: '<number>',
    description: 'The most domains in the portfolio of an account',
    default: '10000',
    parse: unpagedListCap,
  }),
  ...fileSettings,
  ...siteSettings,
  ...smsSettings,
  ...packageSettings,
  ...registrySettings,
  dnsHost: setting({
    env: 'SVC_DNS_HOST',
    placeholder: '<addresses>',
    description:
      'The addresses of the nameserver, separated by commas; 0.0.0.0 for all IPv4 addresses, :: for all addresses',
    default: '127.0.0.1',
    parse: listenHosts,
  }),
  dnsPort: setting({
    env: 'SVC_DNS_PORT',
    placeholder: '<port>',
    description: 'The UDP and TCP port of the nameserver; resolvers use 53; 0 for any free port',
    default: '5300',
    parse: port(0),
  }),
  dnsRateLimit: setting({
    env: 'SVC_DNS_RATE_LIMIT',
    placeholder: '<number>',
    description: 'Maximum number of UDP answers per second to one network (/24, /56); 0 for no limit',
    default: '200',
    parse: rate,
  }),
  dnsRecordsMax: setting({
    env: 'SVC_DNS_RECORDS_MAX',
    placeholder: '<number>',
    description: 'Maximum number of records in a zone',
    default: '10000',
    parse: recordCap,
  }),
  dnsZoneBytesMax: setting({
    env: 'SVC_DNS_ZONE_BYTES_MAX',
    placeholder: '<bytes>',
    description: 'Maximum size of a zone in bytes: the values and hosts of its records',
    default: '4000000',
    parse: zoneBytesCap,
  }),
  dnsZonesMax: setting({
    env: 'SVC_DNS_ZONES_MAX',
    placeholder: '<number>',
    description: 'Maximum number of zones of an account, verified or pending',
    default: '1000',
    parse: zoneCap,
  }),
  nameservers: setting({
    env: 'SVC_NAMESERVERS',
    placeholder: '<names>',
    description: 'The host names of the nameservers to delegate zones to, separated by commas',
    default: 'ns1.localhost,ns2.localhost',
    parse: hostNames,
  }),
  dnsHostmaster: optional({
    env: 'SVC_DNS_HOSTMASTER',
    placeholder: '<email>',
    description: 'The email address in the SOA record of every zone, such as hostmaster@example.com',
    shownDefault: "hostmaster@<zone>; for reverse zones hostmaster at the first nameserver's domain",
    parse: mailbox,
  }),
  resolvers: optional({
    env: 'SVC_RESOLVERS',
    placeholder: '<addresses>',
    description: 'The resolvers for the verification of zones, such as 192.0.2.1 or [2001:db8::1]:53',
    shownDefault: "the system's",
    parse: resolverAddresses,
  }),
  dns: setting({
    env: 'SVC_DNS',
    placeholder: '<server>',
    description: 'The server of the zones: embedded, or powerdns+http://<host>:<port> for the API of a PowerDNS',
    default: 'embedded',
    parse: dnsServer,
  }),
  powerdnsKey: optional({
    env: 'SVC_POWERDNS_KEY',
    placeholder: '<key>',
    description:
      'The api-key of the PowerDNS; prefer the environment, because other users of the machine can see flags',
    shownDefault: 'none',
    secret: true,
    parse: apiKey,
  }),
  edge: setting({
    env: 'SVC_EDGE',
    placeholder: '<cache>',
    description: 'The cache for share links: embedded, or varnish+http://<host>:<port> for a Varnish in front of svc',
    default: 'embedded',
    parse: edgeServer,
  }),
  edgeCacheBytes: setting({
    env: 'SVC_EDGE_CACHE_BYTES',
    placeholder: '<bytes>',
    description: 'The memory of the embedded cache for share links; 0 for no cache',
    default: '67108864',
    parse: cacheBytes,
  }),
  logLevel: setting({
    env: 'SVC_LOG_LEVEL',
    placeholder: '<level>',
    description: `The lowest level to log: ${logLevels.join(', ')}`,
    default: 'info',
    parse: oneOf(logLevels),
  }),
  metricsPort: optional({
    env: 'SVC_METRICS_PORT',
    placeholder: '<port>',
    description: 'The port for Prometheus metrics, at /metrics',
    shownDefault: 'off',
    parse: port(1),
  }),
  metricsHost: setting({
    env: 'SVC_METRICS_HOST',
    placeholder: '<address>',
    description: 'The address for metrics',
    default: '127.0.0.1',
    parse: listenHost,
  }),
} as const

export type AnySetting = Setting<unknown>

/** All settings, in the order of `--help` and the documentation. */
export const allSettings: readonly AnySetting[] = Object.values(settings)
