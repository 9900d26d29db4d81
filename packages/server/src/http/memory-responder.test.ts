import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openSocket, parseAnswer, readToEnd, sendBytes } from '../../test/raw-http.js'
import type { DownloadDescription } from './answer.js'
import type { ContentRoute, MemoryAnswer } from './area.js'
import { contentFromMemory } from './memory-responder.js'
import type { Observed } from './observe.js'
import { RunningHandlers } from './running-handlers.js'
import { SlowClients, defaultDeadlines } from './slow-clients.js'

const bytes = Buffer.from('from memory')

const description: DownloadDescription = {
  size: bytes.length,
  etag: '"e"',
  lastModified: 0,
  mediaType: 'text/plain',
  name: 'a.txt',
  disposition: 'inline',
}

let server: Server
let url: string
let find: (path: string) => ReturnType<NonNullable<ContentRoute['findInMemory']>>
let copy: MemoryAnswer
let sent: number[]
let records: (Observed & { readonly isFinished: boolean })[]
let slowClients: SlowClients
let logged: string[]

beforeEach(async () => {
  sent = []
  records = []
  logged = []
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  copy = { bytes, head: description, onSent: (count) => sent.push(count) }
  find = async (path) => (path === '/copy' ? copy : undefined)
  server = createServer()
  slowClients = new SlowClients(new Set(), () => undefined, defaultDeadlines)
  const elsewhere: ContentRoute = { name: 'other', path: '/other/:name', answer: async () => undefined }
  const route: ContentRoute = { ...elsewhere, name: 'share', path: '/:name', findInMemory: ({ url = '' }) => find(url) }
  const listener = contentFromMemory({
    server,
    slowClients,
    running: new RunningHandlers(),
    content: [elsewhere, route],
    endpoints: [],
    log,
    recordClosed: (_request, { writableFinished: isFinished }, entry) => records.push({ ...entry, isFinished }),
    next: (_request, response: ServerResponse) => response.end('by the router'),
  })
  server.on('request', listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
})

afterEach(() => {
  slowClients.stop()
  server.close()
  server.closeAllConnections()
})

const requestOf = (first: string, ...headers: string[]) =>
  [`${first} HTTP/1.1`, 'Host: x', ...headers, 'Connection: close', '', ''].join('\r\n')

const textOf = async (...pieces: string[]) => parseAnswer(await sendBytes(url, ...pieces)).text

it('answers a GET for bytes in memory, with all headers of a download', async () => {
  const answer = parseAnswer(await sendBytes(url, requestOf('GET /copy')))
  expect([answer.status, answer.text]).toEqual([200, 'from memory'])
  expect(answer.headers).toMatchObject({
    'content-length': '11',
    'content-type': 'text/plain',
    etag: '"e"',
    'last-modified': 'Thu, 01 Jan 1970 00:00:01 GMT',
    'content-disposition': 'inline; filename=a.txt',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^req_[\da-f]{16}$/),
    'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
  })
  const [record] = records
  expect(record).toMatchObject({ method: 'GET', operation: 'share', isFinished: true })
  expect(record?.requestId).toBe(answer.headers['x-request-id'])
  expect(sent).toEqual([11])
})

it('adds Last-Modified after the second of the change', async () => {
  const head = { ...description, lastModified: Date.now() }
  copy = { ...copy, head }
  vi.useFakeTimers({ toFake: ['Date'], now: head.lastModified })
  const dateOf = async () => parseAnswer(await sendBytes(url, requestOf('GET /copy'))).headers['last-modified']
  expect(await dateOf()).toBe(undefined)
  vi.setSystemTime(head.lastModified + 1000)
  expect(await dateOf()).toBe(new Date(Math.floor(Date.now() / 1000) * 1000).toUTCString())
  vi.useRealTimers()
})

it('answers with a redirect', async () => {
  const head = { status: 302, headers: { location: 'https://example.com/' } }
  find = () => ({ head, onSent: (count) => sent.push(count) })
  const answer = parseAnswer(await sendBytes(url, requestOf('GET /copy')))
  expect([answer.status, answer.text]).toEqual([302, ''])
  expect(answer.headers).toMatchObject({
    location: 'https://example.com/',
    'content-length': '0',
    'x-content-type-options': 'nosniff',
  })
  expect(records).toMatchObject([{ operation: 'share', isFinished: true }])
  expect(sent).toEqual([0])
})

it.each([
  ['another path', requestOf('GET /other')],
  ['another method', requestOf('POST /copy', 'Content-Length: 0')],
  ['a range', requestOf('GET /copy', 'Range: bytes=0-1')],
  ['an entity tag', requestOf('GET /copy', 'If-None-Match: "e"')],
  ['a date', requestOf('GET /copy', 'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT')],
  ['an entity tag to match', requestOf('GET /copy', 'If-Match: "x"')],
  ['a date of the latest change', requestOf('GET /copy', 'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT')],
  ['a body', requestOf('GET /copy', 'Content-Length: 1') + 'x'],
  ['a body in chunks', `${requestOf('GET /copy', 'Transfer-Encoding: chunked')}1\r\nx\r\n0\r\n\r\n`],
])('leaves a request with %s to the router', async (_, request) => {
  expect(await textOf(request)).toBe('by the router')
  expect(records).toEqual([])
})

it('leaves a request to the router if the route fails, and logs the error', async () => {
  find = () => Promise.reject(new Error('away'))
  expect(await textOf(requestOf('GET /copy'))).toBe('by the router')
  expect(logged.join()).toContain('"msg":"a look-up of bytes in memory failed"')
})

it.each(['at once', 'later'])(
  'closes the connection and logs the error if a header found %s is invalid',
  async (when) => {
    const invalid = { ...copy, head: { ...description, mediaType: 'text/plain\n' } }
    find = () => (when === 'later' ? Promise.resolve(invalid) : invalid)
    expect(await sendBytes(url, requestOf('GET /copy'))).toBe('')
    expect(logged.join()).toContain('"msg":"internal error"')
  },
)

it('leaves a pipelined request to the router', async () => {
  const keepAlive = 'GET /copy HTTP/1.1\r\nHost: x\r\n\r\n'
  const answers = (await sendBytes(url, keepAlive + requestOf('GET /copy'))).split(/(?=HTTP\/1\.1 )/)
  expect(answers.map((answer) => parseAnswer(answer).text)).toEqual(['from memory', 'by the router'])
})

it('leaves requests to the router while the server stops', async () => {
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = await openSocket(url)
  const [first, rest] = [requestOf('GET /copy').slice(0, 20), requestOf('GET /copy').slice(20)]
  socket.write(first)
  const [serverSide] = await accepted
  await vi.waitFor(() => expect(serverSide.bytesRead).toBe(first.length))
  server.close()
  socket.write(rest)
  expect(parseAnswer(await readToEnd(socket)).text).toBe('by the router')
})

it.each(['no copy', 'a copy'])('records a client that leaves during a look-up that finds %s', async (found) => {
  let resolve: (found: MemoryAnswer | undefined) => void = () => undefined
  find = () => new Promise((found) => (resolve = found))
  const isAsked = once(server, 'request') as Promise<[IncomingMessage]>
  const socket = await openSocket(url)
  socket.write(requestOf('GET /copy'))
  const [request] = await isAsked
  socket.destroy()
  await vi.waitFor(() => expect(request.socket.destroyed).toBe(true))
  resolve(found === 'no copy' ? undefined : copy)
  await vi.waitFor(() => expect(records).toHaveLength(1))
  expect(records[0]).toMatchObject({ operation: 'share', isFinished: false })
  expect(sent).toEqual([])
})
