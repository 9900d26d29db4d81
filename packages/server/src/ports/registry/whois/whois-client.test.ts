import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { startWhois, type WhoisServer } from '../../../../test/registry-servers.js'
import {
  openTestDatabase,
  portOf,
  startRegistries,
  type TestDatabase,
  type TestRegistries,
} from '../../../../test/registries.js'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** All registries have the WHOIS server of the test, at the address 127.0.0.1. */
const registries = (allowed: readonly string[] = ['127.0.0.1/32']) =>
  startRegistries(database.db, ({ whois }) => ({
    rdapUrl: undefined,
    whois: undefined,
    whoisPort: portOf(whois.host),
    deadlineMs: 3_000,
    allowed,
  }))

let site: TestRegistries
beforeEach(async () => {
  site = await registries()
})
afterEach(async () => {
  await site.stop()
  await database.clear()
})

const lookUp = (domain = 'example.de') => site.registries.lookUp(domain)

const answer = (domain: string, ...lines: string[]) =>
  [`Domain Name: ${domain}`, 'Name Server: ns1.example.net', ...lines, ''].join('\r\n')

it('sends the query that the registry needs', async () => {
  site.whois.answers.set('-T dn,ace example.de', 'Domain: example.de\nStatus: connect\n')
  site.whois.answers.set('example.jp/e', '[Domain Name]    EXAMPLE.JP\n[Name Server]   ns1.example.jp\n')
  expect((await lookUp('example.de')).registration).toMatchObject({ statuses: ['connect'], source: 'whois' })
  expect((await lookUp('example.jp')).registration).toMatchObject({ nameservers: ['ns1.example.jp'] })
})

it('asks IANA for the server of another top-level domain, once', async () => {
  site.whois.answers.set(
    'bo',
    '% IANA WHOIS server\n\ndomain:       BO\n\nwhois:        whois.nic.bo\n\nstatus:       ACTIVE\n',
  )
  site.whois.answers.set('aq', '% IANA WHOIS server\n\ndomain:       AQ\n\nstatus:       ACTIVE\n')
  site.whois.answers.set('example.bo', answer('example.bo'))
  expect((await lookUp('example.bo')).registration).toMatchObject({ domain: 'example.bo' })
  expect((await lookUp('free.bo')).registration).toBeUndefined()
  await expect(lookUp('example.aq')).rejects.toThrow('The registry of .aq answers neither RDAP nor WHOIS.')
  site.whois.answers.set('constructor', '% This query returned 0 objects.')
  await expect(lookUp('example.constructor')).rejects.toThrow('.constructor answers neither RDAP nor WHOIS.')
  await expect(lookUp('example.bq')).rejects.toThrow('The answer of IANA cannot be used.')
  expect(site.whois.queries).toEqual(['bo', 'example.bo', 'free.bo', 'aq', 'constructor', 'bq'])
})

it('adds what only the registrar knows', async () => {
  site.whois.answers.set('example.io', answer('example.io', 'Registrar WHOIS Server: whois.registrar.example'))
  const registrars = answer('example.io', 'Registrar: Example Registrar', 'Name Server: ns9.registrar.example')
  let asked = 0
  site.whois.respond = (socket, query) => {
    asked += 1
    socket.end(asked === 1 ? (site.whois.answers.get(query) ?? '') : registrars)
  }
  const { registration } = await lookUp('example.io')
  expect(registration).toMatchObject({ registrar: 'Example Registrar', nameservers: ['ns1.example.net'] })
  expect(registration?.raw).toContain('whois.registrar.example')
  expect(registration?.raw).toContain('ns9.registrar.example')
})

it.each([
  ['a loop', () => 'whois.registrar.example', 2],
  ['an endless chain', (n: number) => `whois${String(n)}.registrar.example`, 3],
  ['its own server', () => 'whois.nic.io', 1],
  ['an address', () => '127.0.0.1', 1],
  ['an IPv6 address', () => '[::1]', 1],
  ['a single label', () => 'localhost', 1],
  ['another port', () => 'whois.registrar.example:22', 1],
  ['a URL', () => 'https://registrar.example/whois', 1],
])('a referral to %s ends', async (_, hostOf, queries) => {
  site.whois.respond = (socket) =>
    socket.end(answer('example.io', `Registrar WHOIS Server: ${hostOf(site.whois.queries.length)}`))
  expect((await lookUp('example.io')).registration).toMatchObject({ nameservers: ['ns1.example.net'] })
  expect(site.whois.queries).toHaveLength(queries)
})

it.each<[string, (socket: Socket) => void]>([
  ['is down', (socket) => socket.resetAndDestroy()],
  ['limits requests', (socket) => socket.end('Query rate limit exceeded.')],
  ['does not know the domain', (socket) => socket.end('Domain not found.')],
])('answers with the data of the registry if the registrar %s', async (_, respond) => {
  site.whois.respond = (socket) => {
    if (site.whois.queries.length > 1) respond(socket)
    else socket.end(answer('example.io', 'Registrar WHOIS Server: whois.registrar.example'))
  }
  expect((await lookUp('example.io')).registration).toMatchObject({ nameservers: ['ns1.example.net'] })
  expect(site.whois.queries).toHaveLength(2)
})

it('reads Latin-1, and removes control characters', async () => {
  const bytes = Buffer.concat([
    Buffer.from('domain: example.de\nregistrar: B'),
    Buffer.from([0xfc, 0, 7]),
    Buffer.from('cher\n'),
  ])
  site.whois.respond = (socket) => socket.end(bytes)
  expect((await lookUp()).registration).toMatchObject({
    registrar: 'Bücher',
    raw: 'domain: example.de\nregistrar: Bücher',
  })
})

const late = 'The registry has not answered in time.'
const reached = 'The registry cannot be reached.'

it.each<[string, (socket: Socket) => void, string]>([
  ['no data', (socket) => socket.end(), 'The registry closed the connection without an answer.'],
  ['a reset', (socket) => socket.resetAndDestroy(), reached],
  ['a reset after data', resetLater, reached],
  ['silence', () => undefined, late],
  ['data without an end', (socket) => socket.write(answer('example.de')), late],
  ['a slow drip', drip, late],
  ['endless data', flood, 'The answer of the registry is too long.'],
  [
    'a refusal',
    (socket) => socket.end('WHOIS LIMIT EXCEEDED'),
    'The registry limits the number of requests. Try again in a minute.',
  ],
  ['HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'The answer of the registry cannot be used.'],
  [
    'random bytes',
    (socket) => socket.end(Buffer.from(Array.from({ length: 9_000 }, (_, n) => (n * 7919) % 251))),
    'The answer of the registry cannot be used.',
  ],
])('%s is an error', async (_, respond, message) => {
  site.whois.respond = respond
  await expect(lookUp()).rejects.toMatchObject({ name: 'RegistryError', message })
})

/** Later, so that the data arrives first. */
function resetLater(socket: Socket): void {
  socket.write(answer('example.de'), () => setTimeout(() => socket.resetAndDestroy(), 50))
}

function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('x'), 50)
  socket.once('close', () => {
    clearInterval(timer)
  })
}

function flood(socket: Socket): void {
  const chunk = Buffer.alloc(64 * 1024, 'Status: ok\n')
  const more = (): void => {
    if (!socket.destroyed && socket.write(chunk)) setImmediate(more)
  }
  socket.on('drain', more)
  more()
}

it('a refusal in the text spares the server for some seconds', async () => {
  site.whois.respond = (socket) => socket.end('Query rate limit exceeded.')
  await expect(lookUp('a.de')).rejects.toThrow('limits the number of requests')
  await expect(lookUp('b.de')).rejects.toThrow('limits the number of requests')
  expect(site.whois.queries).toHaveLength(1)
})

it('a server that was asked shortly before the deadline is asked again', async () => {
  site.whois.respond = () => undefined
  await expect(lookUp('a.de')).rejects.toThrow(late)
  site.whois.respond = undefined
  site.whois.answers.set('-T dn,ace b.de', 'Domain: b.de\nStatus: connect\n')
  expect((await lookUp('b.de')).registration).toMatchObject({ domain: 'b.de' })
})

it('does not connect to a private address', async () => {
  const guarded = await registries([])
  try {
    await expect(guarded.registries.lookUp('example.de')).rejects.toThrow(
      'The registry leads to an address that is not public.',
    )
    expect(guarded.whois.queries).toEqual([])
  } finally {
    await guarded.stop()
  }
})

it('connects to the private address of the server that the operator has named, but not through its referral', async () => {
  const inner: WhoisServer = await startWhois()
  const addressesOf = vi.fn().mockResolvedValue(['127.0.0.1'])
  const named = await startRegistries(database.db, ({ rdap }) => ({
    whoisPort: portOf(inner.host),
    rdapUrl: rdap.url,
    addressesOf,
  }))
  try {
    named.rdap.respond = (_, response) => response.writeHead(501).end()
    named.whois.answers.set('example.de', answer('example.de', 'Registrar WHOIS Server: whois.registrar.example'))
    expect((await named.registries.lookUp('example.de')).registration).toMatchObject({ domain: 'example.de' })
    expect(addressesOf).toHaveBeenCalledWith('whois.registrar.example')
    expect(inner.queries).toEqual([])
  } finally {
    await named.stop()
    await inner.stop()
  }
})
