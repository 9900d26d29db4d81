import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ApiError, operations } from '@svc/contract'
import { Metrics } from '../../src/http/metrics.js'
import { startApp, type TestApp } from '../app.js'
import { downloadOf, shareRoute, startContentServer, type ContentServer } from '../content-server.js'
import { expectError, openSocket, parseAnswer, send, sendBytes, type HttpAnswer } from '../raw-http.js'

/** The content host: its answers, and that no path of the API is on it, nor its paths on the API. */

const text = { mediaType: 'text/plain; charset=utf-8', content: 'shared text' }
const big = { mediaType: 'video/mp4', content: Buffer.alloc(64 * 1024 * 1024) }
const openBig = () => Promise.resolve(Readable.from(Array.from({ length: 1024 }, () => Buffer.alloc(64 * 1024))))
const deadlines = { headers: 1_000, idle: 500, body: 2_000, answer: 600, sweep: 50 }
const metrics = new Metrics()

let server: ContentServer
beforeAll(async () => {
  server = await startContentServer({
    metrics,
    deadlines,
    content: [
      shareRoute({ text }),
      { name: 'content.big', path: '/big', answer: () => Promise.resolve(downloadOf(big, openBig)) },
      {
        name: 'content.failing',
        path: '/fail/:how',
        answer: ({ params, ip }) => {
          if (params['how'] === 'upstream') throw new ApiError('upstream_error', 'A stored file could not be read.')
          if (params['how'] === 'open')
            return Promise.resolve(downloadOf(text, () => Promise.reject(new Error(`disk ${ip}`))))
          throw new Error('secret')
        },
      },
    ],
  })
})
afterAll(() => server.stop())

const onContent = { host: 'content.localhost:8080' }
const onApi = { host: 'localhost:8080' }
const get = (path: string, headers: Record<string, string> = onContent, method = 'GET') =>
  send(server.url, method, path, { headers })

/** What every answer of the content host has, and does not have. */
function expectContentHost({ headers }: HttpAnswer): void {
  expect(headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^req_[0-9a-f]{16}$/) as unknown,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': expect.stringContaining("default-src 'none'") as unknown,
  })
  const unwanted = Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'set-cookie')
  expect(unwanted).toEqual([])
}

describe('an answer', () => {
  it('has the bytes, for GET and without them for HEAD', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await get('/s/text/notes.txt', onContent, method)
      expect([answer.status, answer.text]).toEqual([200, method === 'GET' ? 'shared text' : ''])
      expect(answer.headers).toMatchObject({ 'content-type': text.mediaType, 'content-length': '11' })
      expectContentHost(answer)
    }
  })

  it.each([
    ['GET', '/s/none/notes.txt', 404, 'There is nothing at this address.'],
    ['GET', '/', 404, 'There is nothing at this address.'],
    ['POST', '/nowhere', 404, 'There is nothing at this address.'],
    ['POST', '/s/text/notes.txt', 405, 'POST is not supported here; GET and HEAD are.'],
    ['OPTIONS', '/s/text/notes.txt', 405, 'OPTIONS is not supported here; GET and HEAD are.'],
    ['GET', '/s/text/%ff', 400, 'The path is not percent-encoded UTF-8 (RFC 3986, section 2.1).'],
    ['GET', `/s/text/${'a'.repeat(2000)}`, 400, 'The request could not be read.'],
    ['GET', '/fail/upstream', 502, 'A stored file could not be read.'],
    ['GET', '/fail/bug', 500, "Internal error. The server's log has the details under this request_id."],
    ['GET', '/fail/open', 500, "Internal error. The server's log has the details under this request_id."],
  ])('%s %s: %i as plain text', async (method, path, status, message) => {
    const answer = await get(path, onContent, method)
    expect([answer.status, answer.text]).toEqual([
      status,
      `${message}\nrequest_id: ${String(answer.headers['x-request-id'])}\n`,
    ])
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    expect(answer.headers.allow).toBe(status === 405 ? 'GET, HEAD' : undefined)
    expect(answer.headers).not.toHaveProperty('content-disposition')
    expectContentHost(answer)
  })

  it('is the same with a cookie or an Origin', async () => {
    const answer = await get('/s/text/a', { ...onContent, cookie: 'svc_session=x', origin: 'http://evil.example' })
    expect([answer.status, answer.headers.vary]).toEqual([200, undefined])
    expectContentHost(answer)
  })
})

describe('the host decides', () => {
  it.each(['content.localhost', 'CONTENT.localhost.', 'content.localhost:1'])(
    'Host: %s is the content host',
    async (host) => {
      expect((await get('/s/text/a', { host })).text).toBe('shared text')
      expect((await get('/document', { host })).status).toBe(404)
    },
  )

  it.each(['localhost', '127.0.0.1', 'user@content.localhost', 'content.localhost:x', 'x.content.localhost'])(
    'Host: %s is the API',
    async (host) => {
      expect((await get('/s/text/a', { host })).status).toBe(404)
      expect((await get('/document', { host })).text).toBe('of the API')
    },
  )

  it('X-Forwarded-Host does not decide', async () => {
    expect((await get('/s/text/a', { ...onApi, 'x-forwarded-host': 'content.localhost' })).status).toBe(404)
  })

  it.each([
    ['HTTP/1.0 without a Host is the API', 'GET /s/text/a HTTP/1.0\r\n\r\n', 404],
    [
      'HTTP/1.1 without a Host is an error',
      'GET http://content.localhost/s/text/a HTTP/1.1\r\nConnection: close\r\n\r\n',
      400,
    ],
    [
      'a target in absolute form overrides the Host',
      'GET http://content.localhost/s/text/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      200,
    ],
    [
      'a target in absolute form at the API overrides the Host of the content host',
      'GET http://localhost/s/text/a HTTP/1.1\r\nHost: content.localhost\r\nConnection: close\r\n\r\n',
      404,
    ],
  ])('%s', async (_, bytes, status) => {
    expect(parseAnswer(await sendBytes(server.url, bytes)).status).toBe(status)
  })
})

describe('log, metrics and limits', () => {
  const lines = () => server.log.map((line) => JSON.parse(line) as Record<string, unknown>)

  it('has one log line for each request, with the name of the route', async () => {
    const ids = [(await get('/s/text/a')).headers['x-request-id'], (await get('/nope')).headers['x-request-id']]
    await vi.waitFor(() => {
      const found = ids.map((id) => lines().filter((line) => line['request_id'] === id))
      expect(found).toMatchObject([
        [{ method: 'GET', operation: 'content.share', status: 200 }],
        [{ method: 'GET', operation: 'none', status: 404 }],
      ])
    })
    expect(await metrics.registry.metrics()).toContain('operation="content.share",status="200"')
  })

  it('a client that reads has no deadline for the whole answer; one that does not read is cut off', async () => {
    const socket = await openSocket(server.url)
    const from = performance.now()
    // Longer than the deadline for an answer of the API, which is 600 ms.
    const readsUntil = from + 1_500
    socket.on('error', () => undefined)
    socket.on('data', () => {
      socket.pause()
      if (performance.now() < readsUntil) setTimeout(() => socket.resume(), 5)
    })
    const seen = server.log.length
    socket.write('GET /big HTTP/1.1\r\nHost: content.localhost\r\n\r\n')
    await vi.waitFor(
      () => expect(lines().slice(seen)).toMatchObject([{ operation: 'content.big', status: 499 }]),
      5_000,
    )
    expect(performance.now() - from).toBeGreaterThan(1_500)
    socket.destroy()
  })

  it('a connection may change between the hosts', async () => {
    const both = `GET /s/text/a HTTP/1.1\r\nHost: content.localhost\r\n\r\nGET /document HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    const answers = await sendBytes(server.url, both)
    expect([answers.includes('shared text'), answers.includes('of the API')]).toEqual([true, true])
  })
})

describe('the wrong host', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())

  it('no route of the API is on the content host, for any method', async () => {
    const routes = routesOf(app.app.http)
    expect(routes).toEqual(expect.arrayContaining(operations.map(({ path }) => filled(path))))
    for (const path of routes)
      for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']) {
        const answer = await send(app.url, method, path, { headers: onContent })
        expect([method, path, answer.status]).toEqual([method, path, 404])
        expectContentHost(answer)
      }
  })

  it('no route of the content host is on the API', async () => {
    for (const path of ['/s/text/a', '/fail/bug', '/fail/open']) {
      expect((await get(path)).text).not.toContain('There is nothing')
      expectError(await get(path, onApi), 'not_found')
    }
  })
})

const filled = (path: string): string => path.replaceAll(/\{\w+\}|:\w+/g, 'x')

/** The paths of all routes, with values for their parameters. */
function routesOf(http: FastifyInstance): string[] {
  const parents: string[] = []
  const found: string[] = []
  for (const line of http.printRoutes({ commonPrefix: false }).trimEnd().split('\n')) {
    const [, indent = '', segment = '', methods] = /^([│ ]*)[├└]── (\S*?)(?: \((.*)\))?$/.exec(line) ?? []
    const depth = indent.length / 4
    parents[depth] = (depth === 0 ? '' : (parents[depth - 1] ?? '')) + segment
    if (methods !== undefined) found.push(filled(parents[depth] ?? ''))
  }
  return [...new Set(found)]
}
