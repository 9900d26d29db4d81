import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSite, type Site } from '../../packages/server/test/site.js'

/** What every answer says besides its content: how it is compressed, and what browsers may do. */

let site: Site
let token: string
beforeAll(async () => {
  site = await startSite('sqlite', { publicUrl: 'https://api.example.com' })
  token = await site.token(await site.account('ada@example.org'), '*')
})
afterAll(() => site.stop())

/** Without the decompression of `fetch`. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number | undefined; headers: Record<string, string>; body: Buffer }>(
    (resolve, reject) => {
      const asked = request(site.url + path, { method, headers }, (answer) => {
        const { statusCode: status } = answer
        buffer(answer).then(
          (body) => resolve({ status, headers: answer.headers as Record<string, string>, body }),
          reject,
        )
      })
      asked.on('error', reject).end()
    },
  )
}

describe.each(['/v1/openapi.json', '/v1/ai', '/llms.txt', '/reference', '/reference/dns.md'])('%s', (path) => {
  it('is compressed for clients that accept it, each form with its own ETag', async () => {
    const plain = await get(path)
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': String(plain.body.length) })
    expect(plain.headers['content-encoding']).toBeUndefined()
    const tags = new Set([plain.headers['etag']])
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate', 'gzip', gunzipSync],
      ['gzip, br', 'br', brotliDecompressSync],
    ] as const)
      for (const _ of ['first', 'kept']) {
        const { headers, body } = await get(path, { 'accept-encoding': accepted })
        expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' })
        expect(decode(body).equals(plain.body)).toBe(true)
        expect(body.length).toBeLessThan(plain.body.length / 2)
        const { etag = '' } = headers
        tags.add(etag)
        expect((await get(path, { 'accept-encoding': accepted, 'if-none-match': etag })).status).toBe(304)
        expect((await get(path, { 'if-none-match': etag })).status).toBe(200)
      }
    expect(tags.size).toBe(3)
  })
})

it.each(['/v1/cred', '/v1/dns/zones', '/console'])(
  '%s, which has secrets, is never compressed (BREACH)',
  async (path) => {
    const { status, headers } = await get(path, { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip, br' })
    expect([status === 200 || status === 404, headers['cache-control'], headers['content-encoding']]).toEqual([
      true,
      'no-store',
      undefined,
    ])
  },
)

it.each(['/v1/public/time', '/v1/none', '/v1/dns/zones', '/reference', '/console/api/session', '/healthz'])(
  'browsers keep to https if the public URL has it: %s',
  async (path) => {
    expect((await get(path)).headers['strict-transport-security']).toBe('max-age=31536000')
  },
)

it('browsers may use http if the public URL has it', async () => {
  await using plain = await disposable(startSite('sqlite'))
  const answer = await fetch(`${plain.url}/v1/public/time`)
  expect(answer.headers.get('strict-transport-security')).toBe(null)
})

async function disposable(starting: Promise<Site>): Promise<Site & AsyncDisposable> {
  const started = await starting
  return { ...started, [Symbol.asyncDispose]: () => started.stop() }
}

it('a browser client may send all conditions and ranges to another origin', async () => {
  const { status, headers } = await get('/v1/files/download', {}, 'OPTIONS')
  expect(status).toBe(204)
  expect(headers['access-control-allow-headers']?.split(', ')).toEqual(
    expect.arrayContaining(['Authorization', 'If-Range', 'If-Match', 'If-None-Match', 'If-Modified-Since', 'Range']),
  )
})

it('the reference with a slash leads to the page, and pages have a description', async () => {
  const { status, headers } = await get('/reference/')
  expect([status, new URL(headers['location'] ?? '', `${site.url}/reference/`).pathname]).toEqual([302, '/reference'])
  for (const path of ['/reference', '/console']) {
    const { status: found, body } = await get(path)
    if (found === 200) expect(body.toString()).toMatch(/<meta\s+name="description"\s+content="[^"]{50,160}"/)
  }
})

it.each([
  ['files/upload', { name: 'a.txt', content: 'YQ==' }],
  ['sites/deploy', { name: 'a', archive: 'YQ==' }],
])('a query of the form of bytes beside a JSON body is refused, not ignored: %s', async (path, body) => {
  const answer = await fetch(`${site.url}/v1/${path}?name=other`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('name is not known in this query'),
  ])
})
