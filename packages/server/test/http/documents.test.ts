import { areaOf, isEventStream, operations, referencePath, toolForms, toolNameOf } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prefersPage } from '../../src/shared/accepts.js'
import { version } from '../../src/shared/version.js'
import { startApp, type Envelope, type TestApp } from '../app.js'
import { expectEnvelope, send } from '../raw-http.js'

/** The server's documents: GET /v1 in its formats, the OpenAPI document, the reference and their ETags. */

let app: TestApp
beforeAll(async () => {
  app = await startApp('sqlite', { publicUrl: 'https://api.example.com' })
})
afterAll(() => app.stop())

const get = (path: string, headers: Record<string, string> = {}) => send(app.url, 'GET', path, { headers })

it.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 302],
  ['*/*', 404],
  ['application/json', 404],
])('GET / leads browsers to the console, and is 404 for others: %s', async (accept, status) => {
  const answer = await get('/', { accept })
  expect([answer.status, answer.headers.location]).toEqual([status, status === 302 ? 'console' : undefined])
  if (status === 404) expect(answer.body['message']).toBe((await get('/nope')).body['message'])
})

describe('GET /v1', () => {
  const firefox = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const chrome = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

  it.each([undefined, '*/*', 'application/json', 'application/*', 'text/plain', 'application/json, text/html'])(
    'lists every endpoint for Accept: %s',
    async (accept) => {
      const answer = await get('/v1', accept === undefined ? {} : { accept })
      expectEnvelope(answer)
      const data = answer.body['data'] as Envelope
      expect(data).toMatchObject({
        version: '2.0.0',
        server_version: version,
        documentation: 'https://api.example.com/reference',
        openapi: 'https://api.example.com/v1/openapi.json',
      })
      expect((data['endpoints'] as Envelope[]).map(({ id }) => id as string)).toEqual(operations.map(({ id }) => id))
    },
  )

  it.each([firefox, chrome, 'text/html', 'TEXT/HTML; q=0.5'])(
    'redirects a browser to the reference page: %s',
    async (accept) => {
      const answer = await get('/v1', { accept })
      expect([answer.status, answer.headers.location, answer.text]).toEqual([302, '/reference', ''])
      expect(answer.headers['x-request-id']).toMatch(/^req_/)
    },
  )

  it('leads from the reference with a slash to the one without, also below the path of a proxy', async () => {
    const answer = await get('/reference/', { accept: firefox })
    expect([answer.status, answer.headers.location]).toEqual([302, '../reference'])
  })

  it('returns JSON to a browser with format=json', async () => {
    expectEnvelope(await get('/v1?format=json', { accept: firefox }))
  })

  it('400 for another format', async () => {
    expect((await get('/v1?format=xml')).body).toMatchObject({
      error: 'bad_request',
      message: 'format must be "json", not "xml".',
    })
  })

  it.each([
    ['', false],
    ['text/html;q=0', false],
    ['text/html; q=0.000, */*', false],
    ['text/html;q=0.001', true],
    ['text/html, application/json;q=0', true],
    ['text/html, application/json;q=0.1', false],
    ['text/html;level=1, */*', true],
    ['application/xhtml+xml', false],
    ['text/html-sandboxed', false],
    ['application/json-patch+json, text/html', true],
    [' , ,text/html ,', true],
  ])('Accept "%s" prefers the page: %s', (accept, page) => {
    expect(prefersPage(accept)).toBe(page)
  })
})

describe('documents', () => {
  const documents = [
    ['/v1/ai', 'text/plain; charset=utf-8'],
    ['/v1/openapi.json', 'application/json; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ...[...new Set(operations.map(areaOf))].map(
      (area) => [referencePath(area), 'text/markdown; charset=utf-8'] as const,
    ),
    ['/reference', 'text/html; charset=utf-8'],
    ['/reference/try', 'text/html; charset=utf-8'],
    ['/reference/start.js', 'text/javascript; charset=utf-8'],
    ['/reference/scalar.js', 'text/javascript; charset=utf-8'],
  ] as const

  it.each(documents)('%s is served without an envelope, with an ETag and a request id', async (path, type) => {
    const answer = await get(path)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type])
    expect(answer.headers.etag).toMatch(/^"[\w-]{27}"$/)
    expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{16}$/)
    expect(answer.headers['cache-control']).toBe('no-cache')
    expect(answer.body['success']).toBeUndefined()
    expect((await get(path)).headers.etag).toBe(answer.headers.etag)
  })

  it.each(documents)('304 for %s with a matching If-None-Match', async (path) => {
    const etag = (await get(path)).headers.etag ?? ''
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag} , "third"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await send(app.url, method, path, { headers: { 'if-none-match': held } })
        expect([answer.status, answer.text, answer.headers.etag], `${method} ${held}`).toEqual([304, '', etag])
        expect(answer.headers['x-request-id']).toMatch(/^req_/)
      }
    }
  })

  it.each(documents)('200 for %s with a different or malformed If-None-Match', async (path) => {
    const etag = (await get(path)).headers.etag ?? ''
    for (const held of ['"other"', 'W/"other"', etag.replaceAll('"', ''), `"${etag.slice(2)}`, '"*"', ''])
      expect((await get(path, { 'if-none-match': held })).status, held).toBe(200)
  })

  it.each([
    ['gzip', true],
    ['gzip, deflate, br, zstd', true],
    ['GZip;q=0.5', true],
    ['*', true],
    ['identity;q=0.5, gzip', true],
    ['', false],
    ['identity', false],
    ['br', false],
    ['gzip;q=0', false],
    ['gzip;q=0, *', false],
    ['identity, gzip;q=0.5', false],
    ['gzip;q=0, identity;q=0', false],
  ])('Accept-Encoding "%s" gets the large script compressed: %s', async (accepted, compressed) => {
    const response = await fetch(`${app.url}/reference/scalar.js`, { headers: { 'accept-encoding': accepted } })
    expect(response.headers.get('content-encoding')).toBe(compressed ? 'gzip' : null)
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    const length = Number(response.headers.get('content-length'))
    if (compressed) expect(length).toBeLessThan(1_500_000)
    else expect(length).toBeGreaterThan(2_000_000)
    // `fetch` decompresses the answer.
    expect(await response.text()).toContain('createApiReference')
  })

  it('the compressed and the plain script have different ETags, and neither matches the other', async () => {
    const path = '/reference/scalar.js'
    const [plain, compressed] = [await get(path), await get(path, { 'accept-encoding': 'gzip' })]
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(compressed.headers['content-encoding']).toBe('gzip')
    expect(compressed.headers.etag).not.toBe(plain.headers.etag)
    const held = { 'if-none-match': plain.headers.etag ?? '' }
    expect((await get(path, held)).status).toBe(304)
    expect((await get(path, held)).headers.vary).toBe('Accept-Encoding')
    expect((await get(path, { ...held, 'accept-encoding': 'gzip' })).status).toBe(200)
  })

  it('HEAD with a matching ETag has the length of the full body or none', async () => {
    const { headers } = await get('/v1/openapi.json')
    const { headers: held } = await send(app.url, 'HEAD', '/v1/openapi.json', {
      headers: { 'if-none-match': headers.etag ?? '' },
    })
    // RFC 9110, section 8.6: a 304 may only announce the length that the body would have had.
    expect([undefined, headers['content-length']]).toContain(held['content-length'])
  })

  it('the tool definitions have the envelope', async () => {
    const answer = await get('/v1/ai?format=json')
    expectEnvelope(answer)
    expect(answer.body['data']).toHaveProperty('tools')
    expect(answer.headers.etag).toBeUndefined()
  })

  it.each(toolForms)('the tool definitions for %s have the envelope, with and without format=json', async (form) => {
    for (const query of [`for=${form}`, `format=json&for=${form}`]) {
      const answer = await get(`/v1/ai?${query}`)
      expectEnvelope(answer)
      const { tools } = answer.body['data'] as { tools: Envelope[] }
      const names = tools.map((tool) => (form === 'openai-chat' ? tool['function'].name : tool['name']) as string)
      expect(names).toEqual(operations.filter((op) => !isEventStream(op) && op.forPeople !== true).map(toolNameOf))
    }
  })

  it('400 for tool definitions in an unknown format', async () => {
    expect((await get('/v1/ai?format=json&for=nobody')).body).toMatchObject({
      error: 'bad_request',
      message: 'for must be one of "openai", "openai-chat", "anthropic", "mcp", not "nobody".',
    })
  })

  it('405 with Allow for other methods of every document; 404 for an unknown Markdown document', async () => {
    for (const [path] of documents) {
      const answer = await send(app.url, 'POST', path)
      expect([answer.status, answer.headers.allow], path).toEqual([405, 'GET, HEAD, OPTIONS'])
    }
    expect((await get('/reference/nothing.md')).status).toBe(404)
  })

  it('the page links the Markdown, and so does that of requests for clients without JavaScript', async () => {
    const [{ text }, requests] = [await get('/reference'), await get('/reference/try')]
    for (const [path] of documents.filter(([, type]) => type.startsWith('text/markdown'))) {
      expect(text).toContain(`<link rel="alternate" type="text/markdown" href="${path}">`)
      expect(requests.text).toMatch(new RegExp(`<noscript>[^]*<a href="${path}">[^]*</noscript>`))
    }
  })

  it('errors of a document have the envelope', async () => {
    expect((await get('/v1/ai?format=yaml')).body).toMatchObject({ success: false, error: 'bad_request' })
  })

  it('documents contain the public URL that the operator set', async () => {
    for (const path of ['/v1/ai', '/v1/openapi.json', '/llms.txt', '/reference/dns.md'])
      expect((await get(path)).text, path).toContain('https://api.example.com')
  })
})
