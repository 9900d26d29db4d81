import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openSqliteDatabase } from '../../../db/sqlite/sqlite.js'
import type { Database } from '../../../db/port.js'
import { guardedConnections } from '../../outbound/guarded-connections.js'
import { bundledRdapServers, readRdapServers } from './bootstrap.js'
import { bootstrapStore } from './bootstrap-store.js'
import { LiveRdapServers } from './live-rdap-servers.js'

const day = 24 * 60 * 60 * 1000
const noon = Date.parse('2026-11-20T12:00:00Z')

let folder: string
let db: Database
let server: Server
let respond: (response: ServerResponse) => void
let fetches: number
let clock: number
const log = { warn: vi.fn() }
const { signal } = new AbortController()

/** A list in IANA's format in which .com has this server. */
const list = (com: string) =>
  JSON.stringify({
    version: '1.0',
    publication: '2026-11-20T00:00:00Z',
    services: [
      [['com', 'NET'], [com]],
      [Array.from({ length: 600 }, (_, n) => `name${String(n)}`), ['https://rdap.example/']],
    ],
  })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-rdap-servers-'))
  db = await openSqliteDatabase(join(folder, 'svc.db'))
  fetches = 0
  clock = noon
  log.warn.mockClear()
  respond = (response) => response.end(list('https://new.example/'))
  server = createServer((_, response) => {
    fetches += 1
    respond(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await db.close()
  rmSync(folder, { recursive: true })
})

function liveServers(): LiveRdapServers {
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/dns.json`
  const connections = guardedConnections({ allowed: ['127.0.0.1/32'] })
  return new LiveRdapServers({ db, log, connections, url, now: () => clock })
}

const bundledCom = ['https://rdap.verisign.com/com/v1/']

it('serves the bundled list at once, and the new one when it has arrived', async () => {
  const servers = liveServers()
  expect(servers.serversOf('com', signal)).toEqual(bundledCom)
  await expect.poll(() => servers.serversOf('com', signal)).toEqual(['https://new.example/'])
  expect(servers.serversOf('net', signal)).toEqual(['https://new.example/'])
  expect(servers.serversOf('de', signal)).toEqual([])
  expect(fetches).toBe(1)
})

it('fetches again after a day, and not before', async () => {
  const servers = liveServers()
  await expect.poll(() => servers.serversOf('com', signal)).toEqual(['https://new.example/'])
  respond = (response) => response.end(list('https://newer.example/'))
  clock += day - 1
  expect(servers.serversOf('com', signal)).toEqual(['https://new.example/'])
  clock += 1
  await expect.poll(() => servers.serversOf('com', signal)).toEqual(['https://newer.example/'])
  expect(fetches).toBe(2)
})

it('takes the list that another process has fetched', async () => {
  const first = liveServers()
  first.serversOf('com', signal)
  await expect.poll(() => bootstrapStore(db).last()).toMatchObject({ fetchedAt: noon })
  const second = liveServers()
  await expect.poll(() => second.serversOf('com', signal)).toEqual(['https://new.example/'])
  expect(fetches).toBe(1)
})

it('replaces a stored list that cannot be read', async () => {
  await bootstrapStore(db).save(noon, '{"services":[]}')
  const servers = liveServers()
  await expect.poll(() => servers.serversOf('com', signal)).toEqual(['https://new.example/'])
  await expect.poll(() => bootstrapStore(db).last()).toMatchObject({ data: list('https://new.example/') })
  expect(log.warn.mock.calls.map(([, message]) => message as string)).toEqual([
    'the stored list of RDAP servers cannot be read',
  ])
})

it.each<[string, (response: ServerResponse) => void]>([
  ['500', (response) => response.writeHead(500).end()],
  ['HTML', (response) => response.end('<html></html>')],
  ['a short list', (response) => response.end('{"services":[[["com"],["https://rdap.example/"]]]}')],
  ['no list', (response) => response.end('{"services":{}}')],
  ['a closed connection', (response) => response.destroy()],
  ['too many bytes', (response) => response.end(' '.repeat(1024 * 1024 + 1))],
])('keeps the last list after %s, and waits longer after each failure', async (_, answer) => {
  respond = answer
  const servers = liveServers()
  expect(servers.serversOf('com', signal)).toEqual(bundledCom)
  await vi.waitFor(() => expect(log.warn).toHaveBeenCalledTimes(1))
  clock += 59_999
  servers.serversOf('com', signal)
  clock += 1
  servers.serversOf('com', signal)
  await vi.waitFor(() => expect(log.warn).toHaveBeenCalledTimes(2))
  clock += 119_999
  expect(servers.serversOf('com', signal)).toEqual(bundledCom)
  expect(fetches).toBe(2)
})

it('ends a running fetch when the server stops, without a log line', async () => {
  const stopping = new AbortController()
  const arrived = new Promise<void>((resolve) => {
    respond = () => {
      resolve()
    }
  })
  liveServers().serversOf('com', stopping.signal)
  await arrived
  const closed = new Promise((resolve) => server.once('close', resolve))
  stopping.abort()
  server.close()
  await closed
  expect(log.warn).not.toHaveBeenCalled()
})

it('the bundled list has the large top-level domains, over https', () => {
  const servers = bundledRdapServers()
  for (const name of ['com', 'net', 'org', 'info', 'app', 'xyz', 'uk', 'fr', 'nl', 'br', 'xn--p1acf'])
    expect(
      servers.get(name)?.every((url) => /^https:\/\/.+\/$/.test(url)),
      name,
    ).toBe(true)
  expect(servers.size).toBeGreaterThan(1_100)
})

it('prefers servers with https, and ignores what is not a URL', () => {
  const services = [
    [['com'], ['http://a.example/', 'https://b.example/', 'ftp://c.example/', 7]],
    [['kg'], ['http://a.example/']],
    [['none'], []],
    'damaged',
    [Array.from({ length: 600 }, (_, n) => `name${String(n)}`), ['https://rdap.example/']],
  ]
  const servers = readRdapServers(JSON.stringify({ services }))
  expect(servers.get('com')).toEqual(['https://b.example/', 'http://a.example/'])
  expect(servers.get('kg')).toEqual(['http://a.example/'])
  expect(servers.has('none')).toBe(false)
})
