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
import {
  connectionCap,
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

/** Everything that can be set, each declared here and nowhere else: flags, `--help`, checks and documentation read it. */
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
    description: 'Where rows live: sqlite:<file>, or postgres://<user>:<password>@<host>/<database>',
    shownDefault: 'sqlite:<data directory>/svc.db',
    secret: true,
    parse: database,
  }),
  host: setting({
    env: 'SVC_HOST',
    placeholder: '<address>',
    description: 'The address to listen on; 0.0.0.0 for all of IPv4, :: for all',
    default: '127.0.0.1',
    parse: listenHost,
  }),
  port: setting({
    env: 'SVC_PORT',
    placeholder: '<port>',
    description: 'The port to listen on; 0 takes any free one',
    default: '8080',
    parse: port(0),
  }),
  publicUrl: optional({
    env: 'SVC_PUBLIC_URL',
    placeholder: '<origin>',
    description: 'How clients reach the server, such as https://api.example.com; https makes its cookies secure',
    shownDefault: 'http://<host>:<port>',
    parse: origin,
  }),
  sitesDomain: setting({
    env: 'SVC_SITES_DOMAIN',
    placeholder: '<domain>',
    description: 'The domain for sites and shared files (planned); its zone can be claimed only with a TXT challenge',
    default: 'localhost',
    parse: domain,
  }),
  trustProxy: setting({
    env: 'SVC_TRUST_PROXY',
    placeholder: '<addresses>',
    description: 'Proxies whose X-Forwarded-For is believed: addresses, networks, loopback, linklocal, uniquelocal',
    default: '',
    parse: proxies,
  }),
  connectionsMax: setting({
    env: 'SVC_CONNECTIONS_MAX',
    placeholder: '<number>',
    description: 'How many HTTP connections may be open at once; 0 for no limit',
    default: '2048',
    parse: connectionCap,
  }),
  connectionsPerNetwork: setting({
    env: 'SVC_CONNECTIONS_PER_NETWORK',
    placeholder: '<number>',
    description: 'How many of them from one network (/24, /64), loopback and trusted proxies excepted; 0 for no limit',
    default: '256',
    parse: connectionCap,
  }),
  geoHeader: optional({
    env: 'SVC_GEO_HEADER',
    placeholder: '<name>',
    description: "The header in which a trusted proxy names the caller's country, such as CF-IPCountry",
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
    description: 'Where exchange rates are fetched from, in the format of fawazahmed0/currency-api',
    default: 'https://cdn.jsdelivr.net/npm/@fawazahmed0/currency-api@latest/v1/currencies/usd.min.json',
    parse: fetchableUrl,
  }),
  dnsHost: setting({
    env: 'SVC_DNS_HOST',
    placeholder: '<addresses>',
    description: 'The addresses the nameserver listens on, separated by commas; 0.0.0.0 for all of IPv4, :: for all',
    default: '127.0.0.1',
    parse: listenHosts,
  }),
  dnsPort: setting({
    env: 'SVC_DNS_PORT',
    placeholder: '<port>',
    description: 'The port of the nameserver, UDP and TCP; 53 is where the world asks; 0 takes any free one',
    default: '5300',
    parse: port(0),
  }),
  dnsRateLimit: setting({
    env: 'SVC_DNS_RATE_LIMIT',
    placeholder: '<number>',
    description: 'How many answers a second the nameserver gives over UDP to one network (/24, /56); 0 for no limit',
    default: '200',
    parse: rate,
  }),
  dnsRecordsMax: setting({
    env: 'SVC_DNS_RECORDS_MAX',
    placeholder: '<number>',
    description: 'How many records one zone may hold',
    default: '10000',
    parse: recordCap,
  }),
  dnsZoneBytesMax: setting({
    env: 'SVC_DNS_ZONE_BYTES_MAX',
    placeholder: '<bytes>',
    description: 'How many bytes the values and hosts of the records of one zone may have together',
    default: '4000000',
    parse: zoneBytesCap,
  }),
  dnsZonesMax: setting({
    env: 'SVC_DNS_ZONES_MAX',
    placeholder: '<number>',
    description: 'How many zones one account may claim, verified or pending',
    default: '1000',
    parse: zoneCap,
  }),
  nameservers: setting({
    env: 'SVC_NAMESERVERS',
    placeholder: '<names>',
    description: 'The host names of the nameservers that zones are to be delegated to, separated by commas',
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
    description: 'Resolvers to look zones up at when they are verified, such as 192.0.2.1 or [2001:db8::1]:53',
    shownDefault: "the system's",
    parse: resolverAddresses,
  }),
  dns: setting({
    env: 'SVC_DNS',
    placeholder: '<server>',
    description: 'What serves the zones: embedded, or powerdns+http://<host>:<port> for the API of a PowerDNS',
    default: 'embedded',
    parse: dnsServer,
  }),
  powerdnsKey: optional({
    env: 'SVC_POWERDNS_KEY',
    placeholder: '<key>',
    description: 'The api-key of that PowerDNS; better in the environment, as flags are seen by all on the machine',
    shownDefault: 'none',
    secret: true,
    parse: apiKey,
  }),
  logLevel: setting({
    env: 'SVC_LOG_LEVEL',
    placeholder: '<level>',
    description: `The least that is logged: ${logLevels.join(', ')}`,
    default: 'info',
    parse: oneOf(logLevels),
  }),
  metricsPort: optional({
    env: 'SVC_METRICS_PORT',
    placeholder: '<port>',
    description: 'The port to serve Prometheus metrics on, at /metrics',
    shownDefault: 'off',
    parse: port(1),
  }),
  metricsHost: setting({
    env: 'SVC_METRICS_HOST',
    placeholder: '<address>',
    description: 'The address to serve the metrics on',
    default: '127.0.0.1',
    parse: listenHost,
  }),
} as const

type AnySetting = Setting<unknown>

/** All settings, in the order they are shown in. */
export const allSettings: readonly AnySetting[] = Object.values(settings)

/** What commands need that work on the database beside the server. */
export const databaseSettings: readonly AnySetting[] = [settings.data, settings.database]

/** What commands need that change or print zones beside the server: they should be given what the server is. */
export const zoneSettings: readonly AnySetting[] = [
  ...databaseSettings,
  settings.nameservers,
  settings.dnsHostmaster,
  settings.dnsRecordsMax,
  settings.dnsZoneBytesMax,
  settings.dns,
  settings.powerdnsKey,
]

/** The same, with the settings that determine the zones of the operator. */
export const claimSettings: readonly AnySetting[] = [...zoneSettings, settings.publicUrl, settings.sitesDomain]
