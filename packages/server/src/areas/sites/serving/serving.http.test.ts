import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { sendBytes } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'
import { deploySite, getBytes, getPage } from '../../../../test/site-host.js'

const text = 'A page of several words, which are worth compressing. '.repeat(100)
const large = Buffer.alloc(600_000, 'large ')
const files = {
  'index.html': '<h1>home</h1>',
  'about.html': text,
  'docs/index.html': 'docs',
  'docs/404.html': 'no such document',
  '404.html': 'no such page',
  'empty.txt': '',
  'assets/app.3f2a1b9c.js': 'alert(1)',
  'data.bin': Buffer.from([0, 1, 2, 3]),
  'large.bin': large,
  'ü b.txt': 'umlaut',
  'admin/index.html': 'private',
  _headers: '/admin/*\n  X-Frame-Options: DENY\n/*.bin\n  Cache-Control: no-store\n  Content-Type: text/x-bin',
  _redirects:
    '/old/* /docs/:splat 301\n/go https://example.org/\n/app/* /index.html 200\n/app.js /assets/app.3f2a1b9c.js 200',
}
const app = { '200.html': 'the app' }

describe.each(databaseKinds)('sites on %s', (kind) => {
  let site: Site
  let token: string
  let ownUrl: string
  beforeAll(async () => {
    site = await startSite(kind)
    ownUrl = site.url
    token = await site.token(await site.account('ada@example.org'), 'sites:write')
    await deploySite(site.url, token, 'docs', files)
    await deploySite(site.url, token, 'app', app)
    // Sent after the second of the deploy.
    await vi.waitFor(async () => expect((await get('/about')).headers).toHaveProperty('last-modified'), 5000)
  })
  afterAll(() => site.stop())

  const get = (path: string, headers?: Record<string, string>, method?: string) =>
    getPage(ownUrl, 'docs.localhost:8080', path, headers, method)

  const pages: [path: string, status: number, body: string | undefined, headers?: Record<string, string>][] = [
    ['/', 200, '<h1>home</h1>', { 'content-type': 'text/html; charset=utf-8', 'accept-ranges': 'bytes' }],
    ['/index.html', 200, '<h1>home</h1>', { 'cache-control': 'public, max-age=0, must-revalidate' }],
    ['/about', 200, text, { 'x-content-type-options': 'nosniff', vary: 'Accept-Encoding' }],
    ['/about/?a=b', 308, '', { location: '/about?a=b' }],
    ['/docs', 308, '', { location: '/docs/', 'cache-control': 'public, max-age=0, must-revalidate' }],
    ['/docs/', 200, 'docs'],
    ['/docs/x', 404, 'no such document', { 'content-type': 'text/html; charset=utf-8' }],
    ['/x', 404, 'no such page'],
    ['/_headers', 404, 'no such page'],
    ['/%C3%BC%20b.txt', 200, 'umlaut'],
    ['/u%CC%88%20b.txt', 200, 'umlaut'],
    ['/empty.txt', 200, '', { 'content-length': '0' }],
    ['/assets/app.3f2a1b9c.js', 200, 'alert(1)', { 'cache-control': 'public, max-age=31536000, immutable' }],
    ['/admin/', 200, 'private', { 'x-frame-options': 'DENY' }],
    ['/data.bin', 200, '\0\x01\x02\x03', { 'cache-control': 'no-store', 'content-type': 'text/x-bin' }],
    ['/large.bin', 200, large.toString()],
    ['/old/a%20b?c', 301, '', { location: '/docs/a%20b?c' }],
    ['/go', 302, '', { location: 'https://example.org/' }],
    ['/app/any', 200, '<h1>home</h1>'],
    ['/..%2f', 404, 'no such page'],
    ['//example.org/', 404, 'no such page'],
    ['/docs//x', 404, 'no such document'],
    [`/docs/${'a'.repeat(4_000)}`, 404, 'no such document'],
    ['/old//a%2Fb', 301, '', { location: '/docs//a%2Fb' }],
    ['/app//x', 200, '<h1>home</h1>'],
    ['/admin//x', 404, 'no such page', { 'x-frame-options': 'DENY' }],
    ['/app.js', 200, 'alert(1)', { 'cache-control': 'public, max-age=0, must-revalidate' }],
    ['/%', 400, undefined],
  ]
  // The second answer comes from memory, if it can.
  it.each(pages)('GET %s is %i, twice with the same headers', async (path, status, body, headers = {}) => {
    const [first, second] = [await get(path), await get(path)]
    for (const answer of [first, second]) {
      expect([answer.status, answer.headers]).toEqual([status, expect.objectContaining(headers)])
      if (body !== undefined) expect(answer.text).toBe(body)
      expect(answer.headers['set-cookie']).toBeUndefined()
      expect(answer.headers['content-disposition']).toBeUndefined()
      expect(answer.headers['x-request-id']).toMatch(/^req_[\da-f]{16}$/)
    }
    const stable = ({ headers: { date: _, 'x-request-id': __, ...rest } }: typeof first) => rest
    expect(stable(second)).toEqual(stable(first))
    const head = await get(path, {}, 'HEAD')
    expect([head.status, head.text, head.headers['content-type']]).toEqual([status, '', first.headers['content-type']])
    if (status < 300) expect(head.headers['content-length']).toBe(first.headers['content-length'])
  })

  it('a site without 404.html serves 200.html for all other paths', async () => {
    const answer = await getPage(ownUrl, 'app.localhost', '/any/path')
    expect([answer.status, answer.text]).toEqual([200, 'the app'])
    const odd = await getPage(ownUrl, 'app.localhost', '//any%2Fpath')
    expect([odd.status, odd.text]).toEqual([200, 'the app'])
  })

  it('a site without pages for missing files answers 404 as plain text', async () => {
    await deploySite(ownUrl, token, 'bare', { 'a.txt': 'a' })
    for (const path of ['/x', '/%2e%2e', '//x']) {
      const missing = await getPage(ownUrl, 'bare.localhost', path)
      expect([missing.status, missing.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8'])
      expect(missing.text).toMatch(/^There is nothing at this address\.\nrequest_id: req_/)
    }
  })

  it('answers 304 to a client that has the page, with the same entity tag, twice', async () => {
    const { etag = '', 'last-modified': date = '' } = (await get('/about')).headers
    for (const _ of [1, 2]) {
      const known = await get('/about', { 'if-none-match': etag })
      expect([known.status, known.text, known.headers.etag]).toEqual([304, '', etag])
      expect(known.headers['content-length']).toBeUndefined()
      expect((await get('/about', { 'if-modified-since': date })).status).toBe(304)
      expect((await get('/about', { 'if-none-match': '"other"' })).status).toBe(200)
      expect((await get('/x', { 'if-none-match': (await get('/x')).headers.etag as string })).status).toBe(404)
    }
  })

  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
  ])('Accept-Encoding %s gets the form in %s, with a separate entity tag', async (accepted, encoding, decode) => {
    const plain = await get('/about')
    for (const _ of [1, 2]) {
      const { headers } = await get('/about', { 'accept-encoding': accepted }, 'HEAD')
      expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' })
      expect(headers.etag).not.toBe(plain.headers.etag)
      const body = await getBytes(ownUrl, 'docs.localhost', '/about', { 'accept-encoding': accepted })
      expect(decode(body).toString()).toBe(text)
      expect(body.length).toBe(Number(headers['content-length']))
    }
    expect(plain.headers['content-encoding']).toBeUndefined()
  })

  it.each([
    ['/about', { range: 'bytes=0-5' }, 206, 'A page', 'bytes 0-5/5400'],
    ['/large.bin', { range: 'bytes=599998-' }, 206, 'e ', 'bytes 599998-599999/600000'],
    ['/about', { range: 'bytes=9999-' }, 416, '', 'bytes */5400'],
    ['/about', { range: 'bytes=0-5', 'if-range': '"other"' }, 200, text, undefined],
    ['/x', { range: 'bytes=0-5' }, 404, 'no such page', undefined],
  ])('GET %s with %o is %i', async (path, headers, status, body, range) => {
    const answer = await get(path, headers)
    expect([answer.status, answer.text, answer.headers['content-range']]).toEqual([status, body, range])
  })

  it('the next request after a deployment sees the new version, also of what was in memory', async () => {
    await deploySite(ownUrl, token, 'news', { 'index.html': 'first', 'gone.html': 'gone' })
    const news = (path: string) => getPage(ownUrl, 'news.localhost', path)
    for (const path of ['/', '/', '/gone', '/gone', '/new']) await news(path)
    await deploySite(ownUrl, token, 'news', { 'index.html': 'second', 'new.html': 'new' })
    expect([(await news('/')).text, (await news('/gone')).status, (await news('/new')).text]).toEqual([
      ...['second', 404, 'new'],
    ])
  })

  it('another process sees a deployment and a deletion within its polling interval', async () => {
    const other = await site.another()
    try {
      await deploySite(ownUrl, token, 'shared', { 'index.html': 'first' })
      const there = async () => (await getPage(other.url, 'shared.localhost', '/')).text
      expect([await there(), await there()]).toEqual(['first', 'first'])
      await deploySite(ownUrl, token, 'shared', { 'index.html': 'second' })
      await expect.poll(there, { timeout: 10_000 }).toBe('second')
      await site.call('POST', '/v1/sites/delete', { token, body: { name: 'shared' } })
      await expect.poll(there, { timeout: 10_000 }).toMatch(/^There is no site at this address\./)
      expect((await getPage(ownUrl, 'shared.localhost', '/')).status).toBe(404)
    } finally {
      await other.stop()
    }
  })

  it('answers pipelined requests in their order', async () => {
    const request = (path: string, last = '') => `GET ${path} HTTP/1.1\r\nHost: docs.localhost\r\n${last}\r\n`
    const answers = await sendBytes(
      ownUrl,
      request('/') + request('/docs') + request('/x') + request('/docs/', 'Connection: close\r\n'),
    )
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual([
      '200',
      '308',
      '404',
      '200',
    ])
  })
})
