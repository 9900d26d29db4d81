import { isEventStream } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entries, openScene, titled, urlOf, type Scene } from '../walk/scene.js'
import { send, type HttpAnswer } from '../raw-http.js'

/** HEAD works wherever GET does; CORS is open on /v1 and closed in the console; preflight requests. */

let scene: Scene
beforeAll(async () => {
  scene = await openScene('sqlite')
})
afterAll(() => scene.stop())

/**
 * Without the headers that differ in every answer, and without the coding of the body: an answer to HEAD may leave it out (RFC 9110,
 * section 9.3.2).
 */
const comparableHeaders = ({ headers }: HttpAnswer) => {
  const { date: _date, 'x-request-id': _id, 'transfer-encoding': _coding, ...rest } = headers
  return rest
}

const gets = entries.filter(({ op }) => op.method === 'GET')
const others = ['/healthz', '/readyz', '/reference', '/reference/start.js', '/reference/scalar.js', '/reference/dns.md']

describe('HEAD', () => {
  const compare = async (path: string, headers: Record<string, string>) => {
    const [get, head] = [
      await send(scene.url, 'GET', path, { headers }),
      await send(scene.url, 'HEAD', path, { headers }),
    ]
    expect(head.text).toBe('')
    expect(head.status).toBe(get.status)
    expect(comparableHeaders(head)).toEqual(comparableHeaders(get))
    return get
  }

  it.each(titled(gets))('HEAD of %s has the status and headers of GET and no body', async (_, entry) => {
    const { op, door, path } = entry
    const credentials = await scene.credentials(door, scene.owner)
    // The first answer about a registration says that it is not from the cache, the next ones that it is.
    await send(scene.url, 'GET', urlOf(path, op.example), { headers: credentials })
    const get = await compare(urlOf(path, op.example), credentials)
    if (isEventStream(op)) expect(get.headers['content-length']).toBeUndefined()
    else expect(Number(get.headers['content-length'])).toBe(Buffer.byteLength(get.text))
    if (op.access !== 'public') expect((await compare(urlOf(path, op.example), {})).status).toBe(401)
  })

  it.each(others)('HEAD of %s has the status and headers of GET and no body', async (path) => {
    expect((await compare(path, {})).status).toBe(200)
  })

  it('HEAD has the status and headers of errors and redirects, and no body', async () => {
    expect((await compare('/v1/nope', {})).status).toBe(404)
    expect((await compare('/v1/public/hash', {})).status).toBe(400)
    expect((await compare('/v1', { accept: 'text/html' })).status).toBe(302)
  })
})

const cors = ({ headers }: HttpAnswer) => Object.keys(headers).filter((name) => name.startsWith('access-control-'))

describe('CORS', () => {
  it('CORS is open for every answer on /v1 and /llms.txt', async () => {
    const paths = [
      '/v1',
      '/v1/public/time',
      '/v1/account/me',
      '/v1/nope',
      '/v1/public/hash',
      '/v1/openapi.json',
      '/llms.txt',
    ]
    for (const path of paths) {
      const { headers } = await send(scene.url, 'GET', path, { headers: { origin: 'https://app.example' } })
      expect(headers['access-control-allow-origin'], path).toBe('*')
      expect(headers['access-control-expose-headers'], path).toBe(
        'X-Request-Id, ETag, Accept-Ranges, Content-Range, Content-Disposition',
      )
      expect(headers['access-control-allow-credentials'], path).toBeUndefined()
    }
    expect((await send(scene.url, 'POST', '/v1/public/time')).headers['access-control-allow-origin']).toBe('*')
  })

  it('CORS is closed in the console, for every spelling of its path', async () => {
    const { host } = new URL(scene.url)
    for (const path of [
      '/console/api/session',
      '/%63onsole/api/session',
      `http://${host}/console/api/session`,
      '/console/x',
    ])
      expect(cors(await send(scene.url, 'GET', path, { headers: { origin: 'https://app.example' } })), path).toEqual([])
  })
})

describe('OPTIONS', () => {
  const preflight = (path: string) =>
    send(scene.url, 'OPTIONS', path, {
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })

  it.each(titled(entries))('204 with the methods of the path: %s', async (_, { path, door }) => {
    const answer = await preflight(urlOf(path, {}))
    expect([answer.status, answer.text]).toEqual([204, ''])
    const methods = entries.filter((entry) => entry.path === path).map(({ op }) => op.method)
    for (const method of methods) expect(answer.headers.allow?.split(', ')).toContain(method)
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    if (door === 'console') expect(cors(answer)).toEqual([])
    else expect(answer.headers['access-control-allow-methods']).toBe(answer.headers.allow)
  })

  it('allows Authorization and Content-Type for a day', async () => {
    const { headers } = await preflight('/v1/account/me')
    expect(headers['access-control-allow-headers']).toMatch(/Authorization.*Content-Type/)
    expect(headers['access-control-max-age']).toBe('86400')
  })

  it('404 for a nonexistent path', async () => {
    expect((await preflight('/v1/nope')).status).toBe(404)
  })
})

it('every answer forbids content sniffing', async () => {
  for (const path of ['/v1', '/v1/nope', '/v1/openapi.json', '/reference', '/console/api/session'])
    expect((await send(scene.url, 'GET', path)).headers['x-content-type-options'], path).toBe('nosniff')
})
