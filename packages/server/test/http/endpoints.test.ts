import { METHODS } from 'node:http'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ApiError } from '@svc/contract'
import { ContentError } from '../../src/http/answer.js'
import type { EndpointRequest } from '../../src/http/area.js'
import { startContentServer, type ContentServer } from '../content-server.js'
import { openSocket, parseAnswer, send, sendBytes } from '../raw-http.js'

/** Endpoints of the content host: what they get of a request, and how their answers and errors are sent. */

const deadlines = { headers: 1_000, idle: 500, body: 2_000, answer: 600, sweep: 50 }
const onContent = { host: 'content.localhost' }
const bodyErrors: unknown[] = []
let readNow: () => void = () => undefined
let isWaiting = false

async function echo({ method, params, path, query, header, rawHeaders, ip, body }: EndpointRequest) {
  const text = (await body()).toString()
  const again = (await body()).toString()
  const seen = {
    method,
    ...params,
    path,
    query,
    ip,
    test: header('x-test'),
    raw: rawHeaders.includes('X-Test'),
    text,
    again,
  }
  return { status: 207, headers: { 'content-type': 'application/json', 'x-from': 'echo' }, body: JSON.stringify(seen) }
}

async function readLate({ body }: EndpointRequest) {
  await new Promise<void>((resolve) => {
    readNow = resolve
    isWaiting = true
  })
  await body().catch((error: unknown) => bodyErrors.push(error))
  return { status: 200 }
}

let server: ContentServer
beforeAll(async () => {
  server = await startContentServer({
    deadlines,
    endpoints: [
      { name: 'content.echo', path: '/echo/:slug', methods: 'any', maxBodyBytes: 1000, answer: echo },
      { name: 'content.late', path: '/late', methods: ['POST'], maxBodyBytes: 1000, answer: readLate },
      {
        name: 'content.fixed',
        path: '/fixed/:how',
        methods: ['GET', 'POST'],
        maxBodyBytes: 10,
        answer: ({ params: { how } }) => {
          if (how === 'teapot') throw new ContentError(418, 'A teapot.', { 'retry-after': '7' })
          if (how === 'api') throw new ApiError('not_found', 'There is no such thing.')
          if (how === 'bug') throw new Error('secret')
          return Promise.resolve({ status: 302, headers: { location: '/elsewhere', 'cache-control': 'max-age=5' } })
        },
      },
    ],
  })
})
afterAll(() => server.stop())

const methods = METHODS.filter((method) => method !== 'CONNECT' && method !== 'HEAD')
it.each(methods)('%s reaches an endpoint for any method, with its body', async (method) => {
  const headers = { ...onContent, 'X-Test': 'yes', 'transfer-encoding': 'chunked' }
  const answer = await send(server.url, method, '/echo/a%20b?x=1&y=%zz', { headers, body: 'hello' })
  expect(answer.status).toBe(207)
  expect(answer.body).toEqual({
    method,
    slug: 'a b',
    path: '/echo/a%20b',
    query: 'x=1&y=%zz',
    ip: '127.0.0.1',
    test: 'yes',
    raw: true,
    text: 'hello',
    again: 'hello',
  })
  expect(answer.headers).toMatchObject({
    'x-from': 'echo',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^req_/) as unknown,
    'content-security-policy': expect.stringContaining('sandbox') as unknown,
  })
})

it.each(['application/json', 'text/plain', 'multipart/form-data', '???', ''])(
  'a body of the type "%s" is not parsed',
  async (type) => {
    const headers = { ...onContent, 'content-type': type }
    const answer = await send(server.url, 'POST', '/echo/a', { headers, body: '{' })
    expect(answer.body).toMatchObject({ text: '{' })
  },
)

it('HEAD gets the headers without a body', async () => {
  const answer = await send(server.url, 'HEAD', '/echo/a', { headers: onContent })
  expect([answer.status, answer.text, answer.headers['x-from']]).toEqual([207, '', 'echo'])
})

it.each([
  ['GET', 'ok', 302, '', {}],
  ['GET', 'teapot', 418, 'A teapot.', { 'retry-after': '7' }],
  ['GET', 'api', 404, 'There is no such thing.', {}],
  ['GET', 'bug', 500, "Internal error. The server's log has the details under this request_id.", {}],
  ['PUT', 'ok', 405, 'PUT is not supported here; GET and POST are.', { allow: 'GET, POST' }],
  ['HEAD', 'ok', 405, '', { allow: 'GET, POST' }],
])('%s of an endpoint that answers "%s" has the status %i', async (method, how, status, message, expected) => {
  const answer = await send(server.url, method, `/fixed/${how}`, { headers: onContent })
  const id = String(answer.headers['x-request-id'])
  expect([answer.status, answer.text]).toEqual([status, message && `${message}\nrequest_id: ${id}\n`])
  expect(answer.headers).toMatchObject(expected)
  expect(answer.headers['cache-control']).toBe(status === 302 ? 'max-age=5' : 'no-store')
})

it('an endpoint is not on the host of the API', async () => {
  expect((await send(server.url, 'POST', '/echo/a', { headers: { host: 'localhost' } })).status).toBe(404)
})

it.each([
  ['with its length', {}],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('413 for a body that is too long, %s', async (_, more) => {
  const answer = await send(server.url, 'POST', '/echo/a', {
    headers: { ...onContent, ...more },
    body: 'a'.repeat(1001),
  })
  expect([answer.status, answer.text.split('\n')[0]]).toEqual([413, 'The body must have at most 1000 bytes.'])
})

it('a body that stops is ended', async () => {
  const head = 'POST /echo/a HTTP/1.1\r\nHost: content.localhost\r\nContent-Length: 10\r\n\r\n'
  expect(parseAnswer(await sendBytes(server.url, `${head}abc`)).status).toBe(400)
})

it('a client that leaves before the body is read does not keep the handler waiting', async () => {
  const socket = await openSocket(server.url)
  socket.write('POST /late HTTP/1.1\r\nHost: content.localhost\r\nContent-Length: 10\r\n\r\nabc')
  await vi.waitFor(() => expect(isWaiting).toBe(true))
  socket.resetAndDestroy()
  await vi.waitFor(() => expect(server.log.join()).toContain('content.late'), { timeout: 5_000 })
  readNow()
  await vi.waitFor(() => expect(bodyErrors).toHaveLength(1), { timeout: 5_000 })
  expect(bodyErrors[0]).toBeInstanceOf(ApiError)
})

it('pipelined requests are answered in order', async () => {
  const one = (slug: string, more = '') =>
    `POST /echo/${slug} HTTP/1.1\r\nHost: content.localhost\r\nContent-Length: 2\r\n${more}\r\nhi`
  const text = await sendBytes(server.url, one('first') + one('second', 'Connection: close\r\n'))
  expect(text.match(/"slug":"\w+"/g)).toEqual(['"slug":"first"', '"slug":"second"'])
})

it('the log has the name of the endpoint', () => {
  const lines = server.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.filter(({ operation }) => operation === 'content.echo').map(({ status }) => status)).toContain(207)
})
