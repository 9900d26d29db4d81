import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startContentServer, type ContentServer } from '../../test/content-server.js'
import { openSocket, parseAnswer, readToEnd, send, sendBytes } from '../../test/raw-http.js'
import { StorageError } from '../ports/blobs/port.js'
import { Download } from './answer.js'
import type { SiteRequest, SiteServer } from './area.js'

/** What the sites answer; a test changes it. */
let sites: { -readonly [Key in keyof SiteServer]: SiteServer[Key] }
let server: ContentServer

const head = {
  size: 5,
  etag: '"a"',
  lastModified: 0,
  mediaType: 'text/plain',
  name: '',
  disposition: 'none' as const,
  headers: { 'x-content-type-options': 'nosniff' },
}
const bytes = Buffer.from('bytes')
const page = new Download({ ...head, open: () => Promise.resolve(bytes) })

beforeEach(async () => {
  sites = { isOwnDomain: () => false, findInMemory: () => undefined, answer: () => Promise.resolve(page) }
  server = await startContentServer({
    content: [],
    sites: {
      isOwnDomain: (host) => sites.isOwnDomain(host),
      findInMemory: (request) => sites.findInMemory(request),
      answer: (request) => sites.answer(request),
    },
  })
})
afterEach(() => server.stop())

const get = (host: string, path = '/document', headers = {}) =>
  send(server.url, 'GET', path, { headers: { host, ...headers } })

it.each([
  ['localhost', 'of the API'],
  ['docs.localhost', 'bytes'],
  ['own.example', 'bytes'],
  ['later.example', 'bytes'],
  ['other.example', 'of the API'],
  ['no-longer.example', 'of the API'],
])('the host %s gets %j', async (host, text) => {
  sites.isOwnDomain = (asked) =>
    asked === 'later.example' || asked === 'no-longer.example'
      ? new Promise((resolve) => setImmediate(() => resolve(asked === 'later.example')))
      : asked === 'own.example'
  expect((await get(host)).text).toBe(text)
})

it.each([
  ['docs.localhost', 'localhost'],
  ['localhost', 'docs.localhost'],
  ['content.localhost', 'content.localhost'],
])('a request for %s and also for %s is refused', async (first, second) => {
  const lines = ['GET /document HTTP/1.1', `Host: ${first}`, `hOST: ${second}`, 'Connection: close', '', '']
  const answer = parseAnswer(await sendBytes(server.url, lines.join('\r\n')))
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('The header Host may be given only once')
})

it('gives the host, the target and the encodings to the site', async () => {
  const seen: SiteRequest[] = []
  sites.answer = (request) => {
    seen.push(request)
    return Promise.resolve(page)
  }
  sites.isOwnDomain = () => true
  await get('Own.Example.:80', '/a%20b?c', { 'accept-encoding': 'br' })
  expect(seen).toEqual([{ host: 'own.example', target: '/a%20b?c', encodings: 'br' }])
})

it('a host is that of the API while the look-up of domains fails', async () => {
  sites.isOwnDomain = () => Promise.reject(new Error('no database'))
  expect((await get('own.example')).text).toBe('of the API')
  expect(server.log.join()).toContain('a look-up of a domain failed')
})

it('a client that leaves during the look-up of its host is recorded', async () => {
  let found: (isSite: boolean) => void = () => undefined
  const answer = vi.spyOn(sites, 'answer')
  sites.isOwnDomain = () => new Promise((resolve) => (found = resolve))
  const socket = await openSocket(server.url)
  socket.write('GET / HTTP/1.1\r\nHost: own.example\r\n\r\n')
  await vi.waitFor(() => expect(found.length).toBe(1))
  socket.destroy()
  await vi.waitFor(async () => expect(await connections()).toBe(0))
  found(true)
  await vi.waitFor(() => expect(server.log.join()).toContain('"operation":"none","status":499'))
  expect(answer).not.toHaveBeenCalled()
})

const connections = () =>
  new Promise<number>((resolve, reject) =>
    server.http.server.getConnections((error, count) => {
      if (error) reject(error)
      else resolve(count)
    }),
  )

it('an answer from memory is sent whole, for HEAD, and to a client that has it', async () => {
  sites.findInMemory = () => ({ head, bytes })
  const answer = vi.spyOn(sites, 'answer')
  const whole = await get('docs.localhost')
  expect([whole.status, whole.text, whole.headers['content-length']]).toEqual([200, 'bytes', '5'])
  const known = await get('docs.localhost', '/', { 'if-none-match': '"a"' })
  expect([known.status, known.text, known.headers['content-length']]).toEqual([304, '', undefined])
  const onlyHead = await send(server.url, 'HEAD', '/', { headers: { host: 'docs.localhost' } })
  expect([onlyHead.status, onlyHead.text, onlyHead.headers['content-length']]).toEqual([200, '', '5'])
  expect(answer).not.toHaveBeenCalled()
  for (const headers of [{ range: 'bytes=0-1' }, { 'transfer-encoding': 'chunked' }])
    await get('docs.localhost', '/', headers)
  expect(answer).toHaveBeenCalledTimes(2)
})

it('an answer whose bytes are not in memory has 304 and HEAD from memory, and the rest from the site', async () => {
  sites.findInMemory = () => ({ head, bytes: undefined })
  const answer = vi.spyOn(sites, 'answer')
  expect((await get('docs.localhost', '/', { 'if-none-match': '"a"' })).status).toBe(304)
  expect(answer).not.toHaveBeenCalled()
  expect((await get('docs.localhost')).text).toBe('bytes')
  expect(answer).toHaveBeenCalledTimes(1)
})

it('an error of the site is plain text without the headers of a page, and is logged', async () => {
  sites.answer = () => Promise.reject(new StorageError('The disk of the server failed.'))
  const failed = await get('docs.localhost')
  expect([failed.status, failed.text]).toEqual([502, expect.stringMatching(/^The disk of the server failed\.\n/)])
  expect(failed.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(server.log.join()).toContain('the blob store failed')
  sites.answer = () => Promise.reject(new Error('secret'))
  const broken = await get('docs.localhost')
  expect([broken.status, broken.text]).toEqual([500, expect.not.stringContaining('secret')])
  expect(server.log.join()).toContain('internal error')
})

it('an error while the memory is searched ends the connection, and is logged', async () => {
  sites.findInMemory = () => {
    throw new Error('broken')
  }
  const socket = await openSocket(server.url)
  const answer = readToEnd(socket)
  socket.write('GET / HTTP/1.1\r\nHost: docs.localhost\r\n\r\n')
  expect(await answer).toBe('')
  expect(server.log.join()).toContain('internal error')
})

it('a request with a chunked body that goes on after the answer loses its connection', async () => {
  sites.findInMemory = () => ({ head, bytes })
  const answer = await sendBytes(
    server.url,
    'POST / HTTP/1.1\r\nHost: docs.localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
  )
  expect(parseAnswer(answer).status).toBe(405)
})
