import type { Config } from '../src/config/config.js'

/** Texts for a setting, and their results. */
export interface Row {
  readonly env: string
  /** Accepted texts, and the resulting configuration. */
  readonly good: readonly (readonly [text: string, read: (config: Config) => unknown, value: unknown])[]
  /** Rejected texts, and the message after the name of the variable. */
  readonly bad: readonly (readonly [text: string, message: string])[]
}

const nameservers = ({ dns }: Config) => dns.nameservers
const hostmaster = ({ dns }: Config) => dns.hostmaster
const resolvers = ({ dns }: Config) => dns.resolvers

const dnsForm = 'must be embedded or powerdns+http://<host>:<port>, without a path'
const hostForm = 'must be an address or a host name without port or brackets, such as 127.0.0.1, 0.0.0.0 or ::1'
const namesForm = 'must list host names such as ns1.example.net,ns2.example.net'
const mailboxForm =
  'must be an email address such as hostmaster@example.com, with at most 63 letters, digits and . _ + - before the @'
const secondaries = ({ dns }: Config) => dns.secondaries
const secondariesForm =
  'must list addresses such as 192.0.2.53, 192.0.2.53:5300#ns2.key or [2001:db8::53]:53, separated by commas; '
const resolversForm = 'must list addresses such as 192.0.2.1, 192.0.2.1:5353 or [2001:db8::1]:53, separated by commas; '

/** The settings of the zones, in the order of the documentation. */
export const dnsRows: readonly Row[] = [
  {
    env: 'SVC_DNS_HOST',
    good: [
      ['0.0.0.0', ({ dns }) => dns.host, ['0.0.0.0']],
      [' 192.0.2.1, 2001:db8::1,192.0.2.1', ({ dns }) => dns.host, ['192.0.2.1', '2001:db8::1']],
      ['localhost', ({ dns }) => dns.host, ['127.0.0.1']],
    ],
    bad: [
      ['127.0.0.1:53', `is "127.0.0.1:53" but ${hostForm}.`],
      ['::1,[::1]', `is "::1,[::1]" but ${hostForm}.`],
      [',', 'is "," but must name an address such as 127.0.0.1, 0.0.0.0 or ::.'],
    ],
  },
  {
    env: 'SVC_DNS_PORT',
    good: [
      ['53', ({ dns }) => dns.port, 53],
      ['0', ({ dns }) => dns.port, 0],
    ],
    bad: [['domain', 'is "domain" but must be a port number, 0 to 65535.']],
  },
  {
    env: 'SVC_DNS_UPDATE_PORT',
    good: [
      ['5300', ({ dns }) => dns.updatePort, 5300],
      ['', ({ dns }) => dns.updatePort, undefined],
    ],
    bad: [['none', 'is "none" but must be a port number, 0 to 65535.']],
  },
  {
    env: 'SVC_DNS_RATE_LIMIT',
    good: [
      ['0', ({ dns }) => dns.rateLimit, 0],
      ['1000000', ({ dns }) => dns.rateLimit, 1_000_000],
    ],
    bad: ['1000001', '-1', '1.5', 'off'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 1000000.`] as const,
    ),
  },
  {
    env: 'SVC_DNS_RECORDS_MAX',
    good: [
      ['1', ({ dns }) => dns.recordsMax, 1],
      ['9999999', ({ dns }) => dns.recordsMax, 9_999_999],
    ],
    bad: ['0', '10000000', '1e3'].map(
      (text) => [text, `is "${text}" but must be a whole number, 1 to 9999999.`] as const,
    ),
  },
  {
    env: 'SVC_DNS_ZONE_BYTES_MAX',
    good: [
      ['1', ({ dns }) => dns.zoneBytesMax, 1],
      ['999999999', ({ dns }) => dns.zoneBytesMax, 999_999_999],
    ],
    bad: ['0', '1000000000', '4MB'].map(
      (text) => [text, `is "${text}" but must be a whole number, 1 to 999999999.`] as const,
    ),
  },
  {
    env: 'SVC_DNS_ZONES_MAX',
    good: [['1000', ({ dns }) => dns.zonesMax, 1000]],
    bad: ['0', '10000000', 'none'].map(
      (text) => [text, `is "${text}" but must be a whole number, 1 to 9999999.`] as const,
    ),
  },
  {
    env: 'SVC_HISTORY_DAYS',
    good: [
      ['0', ({ dns }) => dns.historyDays, 0],
      ['36500', ({ dns }) => dns.historyDays, 36_500],
    ],
    bad: ['36501', '-1', 'none'].map((text) => [text, `is "${text}" but must be a whole number, 0 to 36500.`] as const),
  },
  {
    env: 'SVC_HISTORY_BYTES',
    good: [
      ['0', ({ dns }) => dns.historyBytes, 0],
      ['999999999999', ({ dns }) => dns.historyBytes, 999_999_999_999],
    ],
    bad: ['1000000000000', '-1', '16MB'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 999999999999.`] as const,
    ),
  },
  {
    env: 'SVC_NAMESERVERS',
    good: [
      ['NS1.example.NET., ns2.example.net', nameservers, ['ns1.example.net', 'ns2.example.net']],
      ['ns1.example.net,ns1.example.net,', nameservers, ['ns1.example.net']],
    ],
    bad: [
      ['ns1.example.net,192.0.2.1', `is "ns1.example.net,192.0.2.1" but ${namesForm}; "192.0.2.1" is not one.`],
      ['ns_1.example.net', `is "ns_1.example.net" but ${namesForm}; "ns_1.example.net" is not one.`],
      [',', `is "," but ${namesForm}.`],
    ],
  },
  {
    env: 'SVC_DNS_HOSTMASTER',
    good: [
      ['Hostmaster@Example.com', hostmaster, 'hostmaster@example.com'],
      ['first.last+dns@mail.example.com', hostmaster, 'first.last+dns@mail.example.com'],
      ['', hostmaster, undefined],
      [`${'x'.repeat(63)}@example.com`, hostmaster, `${'x'.repeat(63)}@example.com`],
    ],
    bad: [
      'hostmaster.example.com',
      'hostmaster@',
      '@example.com',
      'a@b@example.com',
      'a..b@example.com',
      '.a@example.com',
      'a\\b@example.com',
      'a b@example.com',
      'a;b@example.com',
      'a@192.0.2.1',
      'a@example_.com',
      `${'x'.repeat(64)}@example.com`,
      `a@${'x.'.repeat(126)}x`,
    ].map((text) => [text, `is ${JSON.stringify(text)} but ${mailboxForm}.`] as const),
  },
  {
    env: 'SVC_DNS_SECONDARIES',
    good: [
      [
        '192.0.2.53, 192.0.2.54:5300#NS2.key.,2001:db8::1#ns3.key',
        secondaries,
        [
          { address: '192.0.2.53', port: 53, key: undefined },
          { address: '192.0.2.54', port: 5300, key: 'ns2.key' },
          { address: '2001:db8::1', port: 53, key: 'ns3.key' },
        ],
      ],
      ['[2001:db8::1]:5300', secondaries, [{ address: '2001:db8::1', port: 5300, key: undefined }]],
    ],
    bad: [
      'ns2.example.net',
      '192.0.2.1:0',
      '192.0.2.1:65536',
      '[192.0.2.1]:53',
      '192.0.2.1#',
      '192.0.2.1#a#b',
      '192.0.2',
      '#key',
    ].map(
      (text) => [`192.0.2.1,${text}`, `is "192.0.2.1,${text}" but ${secondariesForm}"${text}" is not one.`] as const,
    ),
  },
  {
    env: 'SVC_DNS_CATALOG',
    good: [['Catalog.Example.NET.', ({ dns }) => dns.catalog, 'catalog.example.net']],
    bad: [['two words', 'is "two words" but must be a domain such as sites.example.net.']],
  },
  {
    env: 'SVC_RESOLVERS',
    good: [
      ['192.0.2.1, 192.0.2.1:53,192.0.2.2:5353', resolvers, ['192.0.2.1:53', '192.0.2.2:5353']],
      ['::1,[2001:db8::1],[2001:db8::1]:5353', resolvers, ['[::1]:53', '[2001:db8::1]:53', '[2001:db8::1]:5353']],
    ],
    bad: ['resolver.example', '192.0.2.1:0', '192.0.2.1:65536', '192.0.2.1:', '[192.0.2.1]:53', '[::1', '192.0.2'].map(
      (text) => [`::1,${text}`, `is "::1,${text}" but ${resolversForm}"${text}" is not one.`] as const,
    ),
  },
  {
    env: 'SVC_DNS',
    good: [['Embedded', ({ dns }) => dns.provider, { kind: 'embedded' }]],
    bad: ['powerdns', 'http://h:8081', 'powerdns+http://h:8081/api', 'powerdns+http://h`y', 'powerdns+ftp://h'].map(
      (text) => [text, `is "${text}" but ${dnsForm}.`] as const,
    ),
  },
  {
    env: 'SVC_POWERDNS_KEY',
    good: [['hunter2', ({ dns }) => dns.provider, { kind: 'embedded' }]],
    bad: [['two words', 'must be the api-key of the PowerDNS server, in printable ASCII.']],
  },
]
