import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError, parseAnswer, sendBytes } from '../../packages/server/test/raw-http.js'
import { startSite, type Site } from '../../packages/server/test/site.js'
import { deploySite } from '../../packages/server/test/site-host.js'

/** A page of one site sets large cookies for the domain of all sites. The visitor must get out of that, and nothing else be deleted. */

let site: Site
beforeAll(async () => {
  site = await startSite('sqlite')
  const token = await site.token(await site.account('ada@example.org'), 'sites:write')
  await deploySite(site.url, token, 'docs', { 'index.html': 'home' })
})
afterAll(() => site.stop())

const kib = 1024
/** Cookies as a browser sends them, in one header behind the others. */
const cookies = (bytes: number) => `Cookie: ${'a'.repeat(bytes)}\r\n`
const request = (host: string, more: string, path = '/') =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nAccept: */*\r\n${more}\r\n`
const get = async (...pieces: readonly string[]) => parseAnswer(await sendBytes(site.url, ...pieces))

describe.each(['docs.localhost', 'DOCS.localhost:8080', 'other.localhost', 'content.localhost'])('at %s', (host) => {
  it('headers of up to 128 KiB are accepted', async () => {
    for (const bytes of [70 * kib, 127 * kib]) {
      const { status, headers } = await get(request(host, cookies(bytes)))
      expect([status, headers['clear-site-data']]).toEqual([
        host.startsWith('d') || host.startsWith('D') ? 200 : 404,
        undefined,
      ])
    }
  })

  it('400 with Clear-Site-Data for larger ones, so that the next request of the browser is answered', async () => {
    for (const bytes of [129 * kib, 400 * kib, 740 * kib]) {
      const { status, headers, text } = await get(request(host, cookies(bytes)))
      expect([status, headers['clear-site-data'], headers['content-type']]).toEqual([
        ...[400, '"cookies"', 'text/plain; charset=utf-8'],
      ])
      expect(text).toMatch(/^The request line and headers are too large\. Cookies .*\nrequest_id: req_[\da-f]{16}\n$/)
    }
  })

  it('400 with Clear-Site-Data also for headers that arrive in pieces, and behind another request', async () => {
    const whole = request(host, cookies(200 * kib))
    const pieces = [whole.slice(0, 100), ...(whole.slice(100).match(/.{1,20000}/gs) ?? [])]
    expect((await get(...pieces)).headers['clear-site-data']).toBe('"cookies"')
    const first = request(host, '').replace('Connection: close\r\n', '')
    const [start = '', ...rest] = pieces
    // The second request begins after the first one is parsed, or in the same chunk, before the first one is answered.
    for (const chunks of [
      [first, ...pieces],
      [first + start, ...rest],
    ]) {
      const answers = await sendBytes(site.url, ...chunks)
      expect(answers.match(/clear-site-data/g), answers).toHaveLength(1)
    }
  })

  it('a long link alone deletes no cookies', async () => {
    const { status, headers } = await get(request(host, '', `/${'a'.repeat(200 * kib)}`))
    expect([status, headers['clear-site-data']]).toEqual([400, undefined])
  })
})

describe.each(['127.0.0.1', 'localhost', 'api.example.com', 'docs.localhost.example.com'])('at the API, %s', (host) => {
  it.each([65, 127, 129, 400])('400 for headers of %i KiB, and no cookie is deleted', async (size) => {
    const answer = await get(request(host, cookies(size * kib), '/v1/public/time'))
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toBe('The request line and headers are too large.')
    expect(answer.headers['clear-site-data']).toBeUndefined()
  })

  it('headers of 63 KiB are accepted', async () => {
    expect((await get(request(host, cookies(63 * kib), '/v1/public/time'))).status).toBe(200)
  })
})

it('a host of the API after one of a site on the same connection, as of a proxy, deletes no cookie', async () => {
  const first = request('docs.localhost', cookies(100 * kib)).replace('Connection: close\r\n', '')
  const answers = await sendBytes(site.url, first, request('localhost', cookies(200 * kib)))
  expect(answers).toMatch(/^HTTP\/1\.1 200 /)
  expect(answers).toContain('HTTP/1.1 400 ')
  expect(answers).not.toContain('clear-site-data')
})
