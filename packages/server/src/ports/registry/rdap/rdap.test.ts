import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { gzipSync } from 'node:zlib'
import type { ServerResponse } from 'node:http'
import { rdapDocument, startRdap, type RdapServer } from '../../../../test/registry-servers.js'
import {
  openTestDatabase,
  startRegistries,
  type TestDatabase,
  type TestRegistries,
} from '../../../../test/registries.js'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

let site: TestRegistries
let registrar: RdapServer
beforeEach(async () => {
  registrar = await startRdap()
  site = await startRegistries(database.db, () => ({ allowed: ['127.0.0.1/32'] }))
  // WHOIS must not help.
  site.whois.respond = (socket) => socket.end('Welcome.\r\n')
})
afterEach(async () => {
  await site.stop()
  await registrar.stop()
  await database.clear()
})

const lookUp = (domain = 'example.com') => site.registries.lookUp(domain)

const linkTo = (href: string) => ({ links: [{ rel: 'related', type: 'application/rdap+json', href }] })

/** As registries send it that redact contacts (RFC 9537). */
const redacted = {
  rdapConformance: ['rdap_level_0', 'redacted'],
  entities: [
    {
      objectClassName: 'entity',
      roles: ['registrar'],
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['org', {}, 'text', ['Example Registrar', 'Unit']],
        ],
      ],
    },
    {
      objectClassName: 'entity',
      roles: ['registrant'],
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['fn', {}, 'text', ''],
        ],
      ],
    },
  ],
  redacted: [
    {
      name: { description: 'Registrant Name' },
      postPath: "$.entities[?(@.roles[0]=='registrant')].vcardArray[1][?(@[0]=='fn')][3]",
      pathLang: 'jsonpath',
      method: 'emptyValue',
      reason: { description: 'Server policy' },
    },
    { name: { type: 'Registry Domain ID' }, prePath: '$.handle', method: 'removal' },
  ],
}

it('reads a document with redacted fields', async () => {
  site.rdap.documents.set('example.com', rdapDocument('example.com', redacted))
  expect((await lookUp()).registration).toMatchObject({ registrar: 'Example Registrar', source: 'rdap', raw: null })
})

it("merges the registrar's document: the registry decides what it has itself", async () => {
  const registrars = rdapDocument('example.com', {
    events: [
      { eventAction: 'registration', eventDate: '2020-01-01T00:00:00Z' },
      { eventAction: 'expiration', eventDate: '2028-01-01T00:00:00Z' },
    ],
    nameservers: [{ ldhName: 'ns9.registrar.example' }],
    status: ['client hold'],
    secureDNS: { delegationSigned: false },
  })
  registrar.documents.set('example.com', registrars)
  site.rdap.documents.set(
    'example.com',
    rdapDocument('example.com', {
      ...linkTo(`${registrar.url}domain/example.com`),
      events: [{ eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' }],
      status: [],
      entities: [],
    }),
  )
  expect((await lookUp()).registration).toEqual({
    domain: 'example.com',
    registrar: 'Example Registrar, Inc.',
    source: 'rdap',
    raw: null,
    dnssec: true,
    createdAt: Date.parse('1995-08-14T04:00:00Z'),
    updatedAt: null,
    expiresAt: Date.parse('2028-01-01'),
    nameservers: ['ns1.example.net', 'ns2.example.net'],
    statuses: ['client hold'],
  })
  expect(registrar.requests).toEqual(['/domain/example.com'])
})

it.each<[string, (response: ServerResponse) => void]>([
  ['is down', (response) => response.destroy()],
  ['answers 500', (response) => response.writeHead(500).end('{}')],
  ['answers HTML', (response) => response.end('<html></html>')],
  ['knows another domain', (response) => response.end(JSON.stringify(rdapDocument('other.com')))],
  ['sends 2 MB', (response) => response.end(' '.repeat(2 * 1024 * 1024))],
])('answers with the data of the registry if the registrar %s', async (_, respond) => {
  registrar.respond = (__, response) => {
    respond(response)
  }
  site.rdap.documents.set('example.com', rdapDocument('example.com', linkTo(`${registrar.url}domain/example.com`)))
  expect((await lookUp()).registration).toMatchObject({ nameservers: ['ns1.example.net', 'ns2.example.net'] })
})

it.each([
  ['2027-02-28T10:30:00Z', '2027-02-28T10:30:00Z'],
  ['2027-02-28T10:30:00', '2027-02-28T10:30:00Z'],
  ['2027-02-28T10:30:00+01:00', '2027-02-28T09:30:00Z'],
  ['0001-01-01T00:00:00Z', null],
  ['9999-12-31T23:59:59Z', null],
  ['2027-02-31T00:00:00Z', null],
  ['+012345-01-01T00:00:00Z', null],
  ['1', null],
])('the expiration date %s is read as %s', async (eventDate, iso) => {
  const events = [{ eventAction: 'expiration', eventDate }]
  site.rdap.documents.set('example.com', rdapDocument('example.com', { events }))
  const expiresAt = iso === null ? null : Date.parse(iso)
  expect((await lookUp()).registration).toMatchObject({ expiresAt })
})

it('says that the registry has not answered before the deadline of the call', async () => {
  const hasty = await startRegistries(database.db, () => ({ deadlineMs: 500 }))
  try {
    hasty.rdap.respond = () => undefined
    await expect(hasty.registries.lookUp('example.com')).rejects.toThrow('The registry has not answered in time.')
    hasty.rdap.respond = undefined
    hasty.rdap.documents.set('example.net', rdapDocument('example.net'))
    expect((await hasty.registries.lookUp('example.net')).registration).toMatchObject({ domain: 'example.net' })
  } finally {
    await hasty.stop()
  }
})

it('follows a redirect of the registry', async () => {
  registrar.documents.set('example.com', rdapDocument('example.com'))
  site.rdap.respond = (_, response) => response.writeHead(302, { location: `${registrar.url}domain/example.com` }).end()
  expect((await lookUp()).registration).toMatchObject({ domain: 'example.com' })
})

const unusable = 'The answer of the registry cannot be used.'
const unreachable = 'The registry cannot be reached.'

it.each<[string, (response: ServerResponse) => void, string]>([
  ['200 with HTML', (response) => response.end('<html></html>'), unusable],
  ['JSON that is not RDAP', (response) => response.end('{"domain":"example.com","status":"ok"}'), unusable],
  ['a JSON array', (response) => response.end('[]'), unusable],
  ['a JSON text', (response) => response.end('"example.com"'), unusable],
  ['RDAP of another class', (response) => response.end('{"objectClassName":"entity"}'), unusable],
  ['another domain', (response) => response.end(JSON.stringify(rdapDocument('other.com'))), unusable],
  ['a domain without data', (response) => response.end('{"objectClassName":"domain"}'), unusable],
  ['data of wrong types', (response) => response.end(wrongTypes), unusable],
  ['cut-off JSON', (response) => response.end('{"objectClassName":"domain","ldhName":"exam'), unusable],
  ['deep JSON', (response) => response.end('['.repeat(100_000)), unusable],
  ['invalid UTF-8', (response) => response.end(Buffer.from([0xff, 0xfe, 0x7b])), unusable],
  ['500', (response) => response.writeHead(500).end(), unusable],
  ['404 with HTML', (response) => response.writeHead(404).end('<html></html>'), unusable],
  ['400', (response) => response.writeHead(400).end(), unusable],
  ['a closed connection', (response) => response.destroy(), unreachable],
  [
    'a body that is cut off',
    (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{')
      setTimeout(() => response.destroy(), 50)
    },
    unreachable,
  ],
  ['100 MB', flood, 'The answer of the registry is too long.'],
  ['a gzip bomb', bomb, 'The answer of the registry is too long.'],
  ['a redirect loop', (response) => response.writeHead(302, { location: '/again' }).end(), unreachable],
  [
    'a redirect to a file',
    (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    unreachable,
  ],
  ['a redirect to a data URL', (response) => response.writeHead(302, { location: 'data:,{}' }).end(), unreachable],
])('%s is an error', async (_, respond, message) => {
  site.rdap.respond = (__, response) => {
    respond(response)
  }
  await expect(lookUp()).rejects.toMatchObject({ name: 'RegistryError', message })
})

const wrongTypes = JSON.stringify({
  objectClassName: 'domain',
  ldhName: 'EXAMPLE.COM',
  status: 'active',
  events: { eventAction: 1 },
  links: 7,
  nameservers: [null, 1, { ldhName: {} }],
  entities: [{ roles: 'registrar', vcardArray: 'x' }],
  secureDNS: [],
})

function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(1024 * 1024, ' ')
  let sent = 0
  const more = (): void => {
    while (sent < 100 && !response.destroyed) {
      sent += 1
      if (!response.write(chunk)) {
        response.once('drain', more)
        return
      }
    }
    response.end()
  }
  more()
}

function bomb(response: ServerResponse): void {
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100 * 1024 * 1024, ' ')))
}

it('429 is an error, and WHOIS is not asked', async () => {
  site.rdap.respond = (_, response) => response.writeHead(429, { 'retry-after': '60' }).end()
  await expect(lookUp()).rejects.toThrow('The registry limits the number of requests. Try again in a minute.')
  expect(site.whois.queries).toEqual([])
})

it('asks a registry that has failed no more for some seconds, and logs one line', async () => {
  site.rdap.respond = (_, response) => response.destroy()
  for (const domain of ['example.com', 'example.net', 'example.org'])
    await expect(lookUp(domain)).rejects.toThrow(unreachable)
  expect(site.rdap.requests).toHaveLength(1)
  expect(site.warn.mock.calls.filter(([, message]) => message === 'a registry gave no usable answer')).toHaveLength(2)
})

it('404 without a body is an unregistered domain', async () => {
  site.rdap.respond = (_, response) => response.writeHead(404).end()
  expect((await lookUp()).registration).toBeUndefined()
})

it('reads a long document', async () => {
  const remarks = Array.from({ length: 1_500 }, (_, n) => ({ title: `Remark ${String(n)}`, description: ['A text.'] }))
  site.rdap.documents.set('example.com', rdapDocument('example.com', { remarks }))
  expect((await lookUp()).registration).toMatchObject({ domain: 'example.com' })
})

describe('private addresses', () => {
  let guarded: TestRegistries
  let inner: RdapServer
  beforeAll(async () => {
    inner = await startRdap()
    guarded = await startRegistries(database.db)
    guarded.whois.respond = (socket) => socket.end('Welcome.\r\n')
    inner.documents.set('a.com', rdapDocument('a.com'))
  })
  afterAll(async () => {
    await guarded.stop()
    await inner.stop()
    expect(inner.requests).toEqual([])
  })

  it.each([
    ['127.0.0.1', (url: string) => url],
    ['a name with the address 127.0.0.1', (url: string) => url.replace('127.0.0.1', 'rdap.registrar.example')],
    ['localhost', (url: string) => url.replace('127.0.0.1', 'localhost')],
  ])('a redirect and a link to %s are not followed', async (name, urlOf) => {
    const href = `${urlOf(inner.url)}domain/a.com`
    guarded.rdap.respond = (_, response) => response.writeHead(302, { location: href }).end()
    const domain = `${name.slice(0, 3).replaceAll(/\W/g, '0')}.com`
    await expect(guarded.registries.lookUp(domain)).rejects.toThrow(
      'The registry leads to an address that is not public.',
    )
    guarded.rdap.respond = undefined
    guarded.rdap.documents.set(`l${domain}`, rdapDocument(`l${domain}`, { ...linkTo(href), entities: [] }))
    expect((await guarded.registries.lookUp(`l${domain}`)).registration).toMatchObject({ registrar: null })
  })
})
