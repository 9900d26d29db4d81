import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allSettings, readDatabaseConfig, type Config } from './config.js'
import { areaParts } from '../../test/areas/index.js'
import { acmeRows } from '../../test/acme-settings.js'
import { dnsRows, type Row } from '../../test/dns-settings.js'
import { filesRows } from '../../test/files-settings.js'
import { mailRows } from '../../test/mail-settings.js'
import { outboundRows } from '../../test/outbound-settings.js'
import { refusal, set } from '../../test/read-settings.js'
import { registryRows } from '../../test/registry-settings.js'
import { sitesRows } from '../../test/sites-settings.js'
import { tlsRows } from '../../test/tls-settings.js'
import { vaultRows } from '../../test/vault-settings.js'

let folder: string
let mmdb: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-config-'))
  mmdb = join(folder, 'country.mmdb')
  writeFileSync(mmdb, '')
})
afterAll(() => rmSync(folder, { recursive: true }))

const databaseForm = 'must be sqlite:<file> or postgres://<user>:<password>@<host>/<database>'
const hostForm = 'must be an address or a host name without port or brackets, such as 127.0.0.1, 0.0.0.0 or ::1'
const originForm = 'must be an http or https URL without a path, such as https://api.example.com'
const proxyForm =
  'must list addresses, networks such as 10.0.0.0/8, or loopback, linklocal, uniquelocal, separated by commas'

const database = (config: Config) => config.database
const trusted = (config: Config) => config.trustProxy

const badConnectionCaps = ['-1', '1.5', '1e3', 'many', '1000001', '10000000'].map(
  (text) => [text, `is "${text}" but must be a whole number, 0 to 1000000.`] as const,
)

const rows: readonly Row[] = [
  {
    env: 'SVC_DATA',
    good: [
      ['/var/lib/svc', ({ data }) => data, '/var/lib/svc'],
      ['here', ({ data }) => data, resolve('here')],
      ['/var/lib/svc', database, { kind: 'sqlite', file: '/var/lib/svc/svc.db' }],
      ['/var/lib/svc', ({ blobs }) => blobs, { kind: 'disk', folder: '/var/lib/svc/files' }],
    ],
    bad: [],
  },
  {
    env: 'SVC_DATABASE',
    good: [
      ['sqlite:/x/y.db', database, { kind: 'sqlite', file: '/x/y.db' }],
      ['sqlite:///x/y.db', database, { kind: 'sqlite', file: '/x/y.db' }],
      ['sqlite:y.db', database, { kind: 'sqlite', file: resolve('y.db') }],
      ['postgres://u:p@h/d', database, { kind: 'postgres', url: 'postgres://u:p@h/d' }],
      ['postgresql://h:5433/d', database, { kind: 'postgres', url: 'postgresql://h:5433/d' }],
      ['postgres:///d?host=/run', database, { kind: 'postgres', url: 'postgres:///d?host=/run' }],
    ],
    bad: [
      ['svc.db', `${databaseForm}.`],
      ['mysql://root:hunter2@h/d', `${databaseForm}, not mysql:.`],
      ['sqlite:', `${databaseForm}: sqlite needs a file.`],
      ['sqlite::memory:', `${databaseForm}: sqlite needs a file.`],
      ['sqlite://y.db', `${databaseForm}: a path after sqlite: starts with one slash or none.`],
      ['postgres://u:hunter2@h:x/d', `${databaseForm}, with special characters of the password percent-encoded.`],
      ['postgres://u:12/hunter2@h/d', `${databaseForm}, with special characters of the password percent-encoded.`],
      ['postgres:///d', `${databaseForm}: the host is missing.`],
    ],
  },
  {
    env: 'SVC_HOST',
    good: ['0.0.0.0', '::', 'svc.example.com', 'host-1'].map((text) => [text, ({ host }) => host, text] as const),
    bad: ['1.2.3.4:80', '[::1]', '1.2.3', 'a b', '-x'].map((text) => [text, `is "${text}" but ${hostForm}.`] as const),
  },
  {
    env: 'SVC_PORT',
    good: [
      ['0', ({ port }) => port, 0],
      ['65535', ({ port }) => port, 65535],
    ],
    bad: [
      ...['abc', '65536', '-1', '80.0', '0x50', '1e3', ' 80'].map(
        (text) => [text, `is "${text}" but must be a port number, 0 to 65535.`] as const,
      ),
      [
        'tcp://10.0.0.1:80',
        'is "tcp://10.0.0.1:80" but must be a port number, 0 to 65535 (Kubernetes sets it for a Service named svc: rename the Service).',
      ],
    ],
  },
  {
    env: 'SVC_PUBLIC_URL',
    good: [
      ['https://api.example.com', ({ publicUrl }) => publicUrl, 'https://api.example.com'],
      ['http://LOCALHOST:8080/', ({ publicUrl }) => publicUrl, 'http://localhost:8080'],
      ['http://[2001:DB8::1]:8080', ({ publicUrl }) => publicUrl, 'http://[2001:db8::1]:8080'],
      ['https://b\u00fccher.example', ({ publicUrl }) => publicUrl, 'https://xn--bcher-kva.example'],
    ],
    bad: [
      'api.example.com',
      'ftp://x',
      'https://x/y',
      'https://x?',
      'https://x#',
      "https://x'y",
      'https://x"y',
      'https://x`y',
      'https://x$(y)',
      'https://x;y',
    ].map((text) => [text, `is ${JSON.stringify(text)} but ${originForm}.`] as const),
  },
  {
    env: 'SVC_SITES_DOMAIN',
    good: [
      ['Sites.Example.NET.', ({ sitesDomain }) => sitesDomain, 'sites.example.net'],
      ['lan', ({ sitesDomain }) => sitesDomain, 'lan'],
    ],
    bad: ['192.0.2.1', 'a b', '*.example.net'].map(
      (text) => [text, `is "${text}" but must be a domain such as sites.example.net.`] as const,
    ),
  },
  {
    env: 'SVC_TRUST_PROXY',
    good: [
      ['10.0.0.1, 192.168.0.0/16,,loopback', trusted, ['10.0.0.1', '192.168.0.0/16', 'loopback']],
      ['::1,fc00::/7,10.0.0.0/255.0.0.0', trusted, ['::1', 'fc00::/7', '10.0.0.0/255.0.0.0']],
    ],
    bad: ['10', 'proxy', '10.0.0.0/33', '10.0.0.0/', 'true'].map(
      (text) => [`::1,${text}`, `is "::1,${text}" but ${proxyForm}; "${text}" is not one.`] as const,
    ),
  },
  {
    env: 'SVC_CONNECTIONS_MAX',
    good: ['0', '8', '1000000'].map((text) => [text, ({ connections }) => connections.max, Number(text)] as const),
    bad: badConnectionCaps,
  },
  {
    env: 'SVC_CONNECTIONS_PER_NETWORK',
    good: ['0', '8'].map((text) => [text, ({ connections }) => connections.perNetwork, Number(text)] as const),
    bad: badConnectionCaps,
  },
  {
    env: 'SVC_GEO_HEADER',
    good: [['CF-IPCountry', ({ geoHeader }) => geoHeader, 'cf-ipcountry']],
    bad: [['CF IPCountry:', 'is "CF IPCountry:" but must be the name of a header, such as CF-IPCountry.']],
  },
  {
    env: 'SVC_GEO_DB',
    good: [],
    bad: [
      ['/no/such.mmdb', 'is "/no/such.mmdb" but must name a file that exists.'],
      ['/', 'is "/" but must name a file that exists.'],
    ],
  },
  {
    env: 'SVC_FX_URL',
    good: [['http://127.0.0.1:9/usd.json', ({ fxUrl }) => fxUrl, 'http://127.0.0.1:9/usd.json']],
    bad: ['usd.json', 'file:///usd.json', 'https://x`y/'].map(
      (text) => [text, `is "${text}" but must be an http or https URL without user and password.`] as const,
    ),
  },
  ...[acmeRows, filesRows, mailRows, outboundRows, registryRows, sitesRows, tlsRows, vaultRows, dnsRows].flat(),
  ...areaParts.flatMap(({ settings }) => settings?.rows ?? []),
  {
    env: 'SVC_LOG_LEVEL',
    good: [
      ['warn', ({ logLevel }) => logLevel, 'warn'],
      ['DEBUG', ({ logLevel }) => logLevel, 'debug'],
    ],
    bad: [['loud', 'is "loud" but must be one of trace, debug, info, warn, error, fatal, silent.']],
  },
  {
    env: 'SVC_METRICS_PORT',
    good: [['9090', ({ metrics }) => metrics, { host: '127.0.0.1', port: 9090 }]],
    bad: [['0', 'is "0" but must be a port number, 1 to 65535.']],
  },
  {
    env: 'SVC_METRICS_HOST',
    good: [['::1', ({ metrics }) => metrics, undefined]],
    bad: [['::1]', `is "::1]" but ${hostForm}.`]],
  },
]

describe('every setting', () => {
  it('every setting is in this table', () => {
    expect(rows.map(({ env }) => env).toSorted()).toEqual(allSettings.map(({ env }) => env).toSorted())
  })

  for (const { env, good, bad } of rows) {
    it.each(good)(`${env}=%s is accepted`, (text, read, value) => {
      expect(read(set({ [env]: text }))).toEqual(value)
    })
    it.each(bad)(`${env}=%s is rejected with the accepted values`, (text, message) => {
      expect(refusal({ [env]: text })).toMatchObject({ message: `${env} ${message}`, exitCode: 2 })
    })
  }
})

it('every setting has a default', () => {
  expect(set({})).toEqual({
    ...Object.assign({}, ...areaParts.map(({ settings }) => settings?.defaults)),
    data: resolve('data'),
    database: { kind: 'sqlite', file: resolve('data/svc.db') },
    blobs: { kind: 'disk', folder: resolve('data/files') },
    host: '127.0.0.1',
    port: 8080,
    publicUrl: undefined,
    sitesDomain: 'localhost',
    acme: undefined,
    trustProxy: [],
    outboundAllow: [],
    connections: { max: 2048, perNetwork: 256 },
    geoHeader: undefined,
    geoDb: undefined,
    fxUrl: 'https://cdn.jsdelivr.net/npm/@fawazahmed0/currency-api@latest/v1/currencies/usd.min.json',
    registries: { rdapUrl: undefined, whois: undefined },
    dns: {
      host: ['127.0.0.1'],
      port: 5300,
      rateLimit: 200,
      recordsMax: 10_000,
      zoneBytesMax: 4_000_000,
      zonesMax: 1000,
      historyDays: 90,
      historyBytes: 16_000_000,
      nameservers: ['ns1.localhost', 'ns2.localhost'],
      catalog: 'catalog.invalid',
      resolvers: [],
      provider: { kind: 'embedded' },
    },
    files: { bytesMax: 100_000_000_000, fileBytesMax: 10_000_000_000, uploadsMax: 100, filesMax: 1_000_000 },
    credentialsMax: 1000,
    vault: { kind: 'file', file: resolve('data/master.key') },
    sites: { sitesMax: 100, siteBytesMax: 1e9, siteFilesMax: 20_000, bytesMax: 1e10 },
    packages: { packagesMax: 1e3, versionsMax: 1e3, artifactsMax: 1e5, artifactBytesMax: 1e9, bytesMax: 1e10 },
    edge: { kind: 'embedded', cacheBytes: 67_108_864 },
    deploymentsMax: 10_000,
    domainsMax: 10_000,
    tlsCertificatesMax: 200,
    certificateOrders: { accountOrders: 50, domainOrders: 20 },
    sitesAddresses: [],
    mail: undefined,
    passwordReset: false,
    tls: undefined,
    logLevel: 'info',
    metrics: undefined,
  })
})

it('accepts the path of an existing country database', () => {
  expect(set({ SVC_GEO_DB: mmdb }).geoDb).toBe(mmdb)
})

it('localhost is 127.0.0.1 on every machine', () => {
  expect(set({ SVC_HOST: 'localhost' }).host).toBe('127.0.0.1')
})

it('metrics have a port and an address', () => {
  expect(set({ SVC_METRICS_PORT: '9090', SVC_METRICS_HOST: '0.0.0.0' }).metrics).toEqual({
    host: '0.0.0.0',
    port: 9090,
  })
})

describe('a PowerDNS', () => {
  it('a PowerDNS has a URL and a key', () => {
    const env = { SVC_DNS: 'powerdns+http://127.0.0.1:8081', SVC_POWERDNS_KEY: 'hunter2' }
    expect(set(env).dns.provider).toEqual({ kind: 'powerdns', url: 'http://127.0.0.1:8081', key: 'hunter2' })
  })

  it.each(['powerdns+http://h:8081/', 'POWERDNS+https://h:8081'])('a PowerDNS may be %s', (text) => {
    const { provider } = set({ SVC_DNS: text, SVC_POWERDNS_KEY: 'k' }).dns
    expect(provider).toMatchObject({ url: expect.stringMatching(/^https?:\/\/h:8081$/) })
  })

  it('a PowerDNS without a key is rejected', () => {
    expect(refusal({ SVC_DNS: 'powerdns+http://h' }).message).toBe(
      'SVC_DNS is a PowerDNS: set SVC_POWERDNS_KEY to its api-key.',
    )
  })
})

describe('precedence', () => {
  it('a flag overrides the environment, which overrides the default', () => {
    expect(set({ SVC_PORT: '81' }, { port: '82' }).port).toBe(82)
    expect(set({ SVC_PORT: '81' }).port).toBe(81)
  })

  it('an empty value counts as unset', () => {
    expect(set({ SVC_PORT: '' }).port).toBe(8080)
    expect(set({ SVC_PORT: '81' }, { port: '' }).port).toBe(81)
  })

  it('a flag overrides an invalid value in the environment', () => {
    expect(set({ SVC_PORT: 'abc' }, { port: '82' }).port).toBe(82)
  })
})

describe('invalid values', () => {
  it('invalid values are listed together, each with the name of its flag or variable', () => {
    expect(refusal({ SVC_PORT: 'abc', SVC_LOG_LEVEL: 'loud' }, { 'geo-header': 'a b' }).message.split('\n')).toEqual([
      'SVC_PORT is "abc" but must be a port number, 0 to 65535.',
      '--geo-header is "a b" but must be the name of a header, such as CF-IPCountry.',
      'SVC_LOG_LEVEL is "loud" but must be one of trace, debug, info, warn, error, fatal, silent.',
    ])
  })

  it('commands that use only the database ignore invalid values of other settings', () => {
    const env = { SVC_PORT: 'abc', SVC_DATABASE: 'sqlite:/x.db' }
    expect(readDatabaseConfig({ env })).toEqual({ kind: 'sqlite', file: '/x.db' })
  })
})
