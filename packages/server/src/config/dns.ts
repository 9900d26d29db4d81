import { isHostName } from '../shared/host-name.js'
import { resolverAddresses, secondaries } from './addresses.js'
import { shown } from './mask.js'
import { domain, embeddedOr, integer, list, listenHost, port, text } from './parsers.js'
import { InvalidSetting, optional, setting } from './setting.js'

/** Printable ASCII, which a header can contain unchanged. */
function apiKey(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new InvalidSetting('must be the api-key of the PowerDNS server, in printable ASCII')
  return text
}

/** Host names, separated by commas; in lower case, without a trailing dot. */
function hostNames(text: string): readonly string[] {
  const names = list(text).map((name) => name.toLowerCase().replace(/\.$/, ''))
  const wrong = names.find((name) => !isHostName(name))
  if (wrong === undefined && names.length > 0) return [...new Set(names)]
  const which = wrong === undefined ? '' : `; ${shown(wrong)} is not one`
  throw new InvalidSetting(`must list host names such as ns1.example.net,ns2.example.net${which}`)
}

/** Addresses or host names of this machine, separated by commas. */
function listenHosts(text: string): readonly string[] {
  const hosts = list(text).map(listenHost)
  if (hosts.length === 0) throw new InvalidSetting('must name an address such as 127.0.0.1, 0.0.0.0 or ::')
  return [...new Set(hosts)]
}

/** The email address of an SOA record, in lower case, because domain names ignore case. */
export function mailbox(text: string): string {
  const [local = '', domain = '', ...rest] = text.toLowerCase().split('@')
  const isWithinLimits = local.length <= 63 && local.length + domain.length <= 252 && rest.length === 0
  if (isWithinLimits && /^[a-z\d_+-]+(?:\.[a-z\d_+-]+)*$/.test(local) && isHostName(domain)) return `${local}@${domain}`
  throw new InvalidSetting(
    'must be an email address such as hostmaster@example.com, with at most 63 letters, digits and . _ + - before the @',
  )
}

/** The settings of the zones: server, limits, verification. */
export const dnsSettings = {
  host: setting(
    'SVC_DNS_HOST',
    'The addresses of the nameserver, separated by commas; 0.0.0.0 for all IPv4 addresses, :: for all addresses',
    { type: text('<addresses>', listenHosts), default: '127.0.0.1' },
  ),
  port: setting('SVC_DNS_PORT', 'The UDP and TCP port of the nameserver; resolvers use 53; 0 for any free port', {
    type: port({ min: 0 }),
    default: '5300',
  }),
  updatePort: optional(
    'SVC_DNS_UPDATE_PORT',
    'With PowerDNS: the UDP and TCP port for dynamic updates (RFC 2136), on the addresses of SVC_DNS_HOST',
    { type: port({ min: 0 }), default: 'none; the built-in nameserver takes them on its own port' },
  ),
  rateLimit: setting(
    'SVC_DNS_RATE_LIMIT',
    'Maximum number of UDP answers per second to one network (/24, /56); 0 for no limit',
    { type: integer({ min: 0, max: 1_000_000 }), default: '200' },
  ),
  recordsMax: setting('SVC_DNS_RECORDS_MAX', 'Maximum number of records in a zone', {
    type: integer({ min: 1, max: 9_999_999 }),
    default: '10000',
  }),
  zoneBytesMax: setting(
    'SVC_DNS_ZONE_BYTES_MAX',
    'Maximum size of a zone in bytes: the values and hosts of its records',
    { type: integer({ min: 1, max: 999_999_999, unit: 'bytes' }), default: '4000000' },
  ),
  zonesMax: setting('SVC_DNS_ZONES_MAX', 'Maximum number of zones of an account, verified or pending', {
    type: integer({ min: 1, max: 9_999_999 }),
    default: '1000',
  }),
  historyDays: setting(
    'SVC_HISTORY_DAYS',
    'Days to keep the changes of a zone in its history, and events; 0 for no limit',
    { type: integer({ min: 0, max: 36_500, unit: 'days' }), default: '90' },
  ),
  historyBytes: setting(
    'SVC_HISTORY_BYTES',
    'Maximum size of the history of a zone in bytes; its oldest changes are removed; 0 for no limit',
    { type: integer({ min: 0, max: 999_999_999_999, unit: 'bytes' }), default: '16000000' },
  ),
  nameservers: setting(
    'SVC_NAMESERVERS',
    'The host names of the nameservers to delegate zones to, separated by commas',
    { type: text('<names>', hostNames), default: 'ns1.localhost,ns2.localhost' },
  ),
  hostmaster: optional(
    'SVC_DNS_HOSTMASTER',
    'The email address in the SOA record of every zone, such as hostmaster@example.com',
    {
      type: text('<email>', mailbox),
      default: "hostmaster@<zone>; for reverse zones hostmaster at the first nameserver's domain",
    },
  ),
  secondaries: optional(
    'SVC_DNS_SECONDARIES',
    "The nameservers to tell when a zone has changed (NOTIFY): addr[:port][#key], separated by commas; key is the name of an operator's key",
    { type: text('<addresses>', secondaries), default: 'none' },
  ),
  catalog: setting('SVC_DNS_CATALOG', 'The name of the zone that lists all zones for secondaries (RFC 9432)', {
    type: text('<name>', domain),
    default: 'catalog.invalid',
  }),
  resolvers: optional(
    'SVC_RESOLVERS',
    'The resolvers for the verification of zones and of names of certificates, such as 192.0.2.1 or [2001:db8::1]:53',
    { type: text('<addresses>', resolverAddresses), default: "the system's" },
  ),
  provider: {
    url: setting(
      'SVC_DNS',
      'The server of the zones: embedded, or powerdns+http://<host>:<port> for the API of a PowerDNS',
      { type: text('<server>', embeddedOr('powerdns')), default: 'embedded' },
    ),
    key: optional(
      'SVC_POWERDNS_KEY',
      'The api-key of the PowerDNS; prefer the environment, because other users of the machine can see flags',
      { type: text('<key>', apiKey), default: 'none', secret: true },
    ),
  },
}
