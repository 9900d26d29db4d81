import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAnswer, send, sendBytes } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'
import { deploySite, getPage } from '../../../../test/site-host.js'

let site: Site
let token: string
let cookie: string
beforeAll(async () => {
  site = await startSite('sqlite')
  const account = await site.account('ada@example.org')
  token = await site.token(account, '*')
  await deploySite(site.url, token, 'docs', {
    'index.html': 'home',
    'v1/index.html': 'a page below /v1',
    '404.html': 'none',
  })
  cookie = (await site.browser('ada@example.org')).cookie
})
afterAll(() => site.stop())

const operations = [
  '/v1',
  '/v1/account',
  '/v1/sites',
  '/console',
  '/console/dns/example.com',
  '/console/api/session',
  '/reference',
  '/llms.txt',
  '/healthz',
  '/sites/ask',
]

describe.each(['docs.localhost', 'DOCS.localhost.:8080', 'unknown.localhost', 'a.docs.localhost'])(
  'the host %s',
  (host) => {
    it.each(operations)('has no %s of the API, also with a token and a session', async (path) => {
      for (const headers of [{ authorization: `Bearer ${token}` }, { cookie, origin: site.url }]) {
        const answer = await getPage(site.url, host, path, headers)
        expect(answer.headers['content-type'] ?? '').not.toMatch(/json/)
        expect(answer.text).not.toMatch(/"success"|ada@example/)
        expect([308, 404]).toContain(answer.status)
        expect(answer.headers['set-cookie']).toBeUndefined()
        expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      }
    })

    it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])('405 for %s, as plain text', async (method) => {
      const body = {
        headers: { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      }
      const answer = await send(site.url, method, '/v1/sites/delete', body)
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(answer.text).toMatch(new RegExp(`^${method} is not supported here; GET and HEAD are.\nrequest_id: req_`))
    })
  },
)

it('a sign-in at the host of a site sets no cookie', async () => {
  const body = JSON.stringify({ email: 'ada@example.org', password: 'password of ada@example.org' })
  const headers = { host: 'docs.localhost', origin: 'http://docs.localhost', 'content-type': 'application/json' }
  const answer = await send(site.url, 'POST', '/console/api/session/sign-in', { headers, body })
  expect([answer.status, answer.headers['set-cookie']]).toEqual([405, undefined])
})

it.each(['127.0.0.1', 'localhost:8080', 'svc', 'www.example.org', 'docs.localhost:80:80', 'user@docs.localhost'])(
  'the host %s is that of the API',
  async (host) => {
    expect((await getPage(site.url, host, '/')).text).not.toBe('home')
    expect((await getPage(site.url, host, '/v1')).body).toMatchObject({ success: true })
  },
)

it('a page of a site does not hide a path of the API at its host', async () => {
  expect((await getPage(site.url, 'docs.localhost', '/v1/')).text).toBe('a page below /v1')
  expect((await getPage(site.url, 'localhost', '/v1/')).text).not.toContain('a page')
})

it('the content host serves no site', async () => {
  const answer = await getPage(site.url, 'content.localhost', '/')
  expect([answer.status, answer.text]).toEqual([404, expect.stringMatching(/^There is nothing at this address\./)])
})

it('the target in absolute form decides, not the header Host', async () => {
  const ask = async (target: string, host: string) =>
    parseAnswer(await sendBytes(site.url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))
  expect((await ask('http://docs.localhost/', 'localhost')).text).toBe('home')
  expect((await ask('http://localhost/v1', 'docs.localhost')).body).toMatchObject({ success: true })
  expect((await ask('http://docs.localhost/v1/account', 'localhost')).text).toBe('none')
})

it('a body of a GET is not read, and the connection stays in step', async () => {
  const answer = await sendBytes(
    site.url,
    'GET / HTTP/1.1\r\nHost: docs.localhost\r\nContent-Length: 4\r\n\r\nGET GET / HTTP/1.1\r\nHost: docs.localhost\r\nConnection: close\r\n\r\n',
  )
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
})

it('a request has one line in the log, without its path', async () => {
  site.log.length = 0
  await getPage(site.url, 'docs.localhost', '/?secret')
  await getPage(site.url, 'docs.localhost', '/?secret', {}, 'HEAD')
  await getPage(site.url, 'docs.localhost', '/secret', {}, 'POST')
  await expect.poll(() => site.log.length).toBe(3)
  const lines = site.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.map(({ operation, method, status }) => [operation, method, status])).toEqual([
    ['site', 'GET', 200],
    ['site', 'HEAD', 200],
    ['none', 'POST', 405],
  ])
  expect(site.log.join()).not.toContain('secret')
})
