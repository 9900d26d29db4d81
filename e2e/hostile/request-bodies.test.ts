import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import {
  limitedHeaders,
  listHeaderMaxBytes,
  parametersMax,
  queryMaxBytes,
} from '../../packages/server/src/http/head-limits.js'
import { expectError, send, type HttpAnswer } from '../../packages/server/test/raw-http.js'
import { accountToken } from '../account-token.js'
import { isLong, random } from './random.js'

/** Limits the processor time of hostile queries, headers and bodies. Elapsed time would depend on other load. */

const mebibyte = 1024 * 1024
const token = { authorization: '' }
let place: Place & AsyncDisposable
let server: Serving & AsyncDisposable
beforeAll(async () => {
  place = await emptyPlace()
  server = await svcServe(place)
  token.authorization = `Bearer ${await accountToken(place, 'ada@example.com', '*')}`
  expect((await post('/v1/dns/zones', '{"zone":"hostile.com"}')).status).toBe(200)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

const post = (path: string, body: string): Promise<HttpAnswer> =>
  send(server.url, 'POST', path, {
    headers: { ...token, origin: server.url, 'content-type': 'application/json' },
    body,
  })

/** User and system time of the server process in milliseconds (proc(5): fields 14 and 15, in ticks of 10 ms). */
async function processorMs(): Promise<number> {
  const stat = await readFile(`/proc/${String(server.child.pid)}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/**
 * The processor time of one call in milliseconds: the mean of several calls, because a tick is 10 ms.
 * @param limit above which it is measured again, up to twice: a job of the server, or a full garbage collection, may have run
 */
async function costOf(call: () => Promise<unknown>, times: number, limit: number): Promise<number> {
  // Warm-up: the first calls include compilation. The caller has made one more.
  await call()
  let least = Infinity
  for (let round = 0; round < 3 && least >= limit; round++) {
    const before = await processorMs()
    for (let i = 0; i < times; i++) await call()
    least = Math.min(least, ((await processorMs()) - before) / times)
  }
  return least
}

const filled = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length))
const field = (value: string) => `{"value":${value}}`

/** Pieces of JSON and of almost valid JSON. */
const pieces = [
  '{},',
  '[],',
  '{"a":1},',
  '"\\u0000",',
  '"\\ud800",',
  '1e308,',
  '0.1,',
  '"a",',
  'null,',
  '[',
  '{"a":',
  '"\\\\"',
]

const bodies: [string, string][] = [
  ['empty objects in a list', `[${filled('{},', mebibyte - 20)}{}]`],
  ['empty objects in a field', field(`[${filled('{},', mebibyte - 40)}{}]`)],
  ['objects of one field each', field(`[${filled('{"a":1},', mebibyte - 40)}{}]`)],
  ['nested lists', field(filled('[', mebibyte / 2 - 20) + filled(']', mebibyte / 2 - 20))],
  ['nested objects', field(`${filled('{"a":', mebibyte - 200_000)}1${'}'.repeat(160_000)}`)],
  ['nested lists without an end', filled('[', mebibyte)],
  ['different fields', `{${Array.from({ length: 80_000 }, (_, i) => `"${i.toString(36)}":1`).join(',')}}`],
  ['a duplicate field', `{${filled('"value":1,', mebibyte - 40)}"value":1}`],
  ['numbers', field(`[${filled('1e308,', mebibyte - 40)}1]`)],
  ['a long number', field(filled('9', mebibyte - 40))],
  ['NUL escapes', field(`"${filled('\\u0000', mebibyte - 40)}"`)],
  ['half surrogates', field(`"${filled('\\ud800', mebibyte - 40)}"`)],
  ['escaped quotation marks', field(`"${filled('\\"', mebibyte - 40)}"`)],
  ['one long text', field(`"${filled('ü', mebibyte / 2 - 40)}"`)],
  ['one long field name', `{"${filled('a', mebibyte - 40)}":1}`],
  ['spaces', `${' '.repeat(mebibyte - 10)}{}`],
]

describe('a mebibyte of JSON', () => {
  it.each(bodies)('%s: a mebibyte is refused with 400 within 40 ms of processor time', async (_, body) => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(mebibyte)
    for (const path of ['/v1/dns/zones/hostile.com/records', '/v1/account/profile']) {
      expectError(await post(path, body), 'bad_request')
      expect(await costOf(() => post(path, body), 4, 40), path).toBeLessThan(40)
    }
  })

  it('pieces in a random order: a mebibyte is refused with 400 within 40 ms of processor time', async () => {
    const { pick, integer } = random('request-bodies')
    for (let round = 0; round < (isLong ? 200 : 10); round++) {
      let body = pick(['{"value":[', '{"value":"', '{', '['])
      while (body.length < mebibyte - 200_000) body += pick(pieces).repeat(integer(1, 20_000))
      body = body.slice(0, mebibyte)
      expectError(await post('/v1/account/profile', body), 'bad_request')
      expect(await costOf(() => post('/v1/account/profile', body), 4, 40)).toBeLessThan(40)
    }
  })
})

it('an unauthenticated body of 16 KiB costs less than 5 ms, and a larger one is not read', async () => {
  const path = '/console/api/session/sign-in'
  for (const [, body] of bodies) {
    const large = await post(path, body)
    expectError(large, 'bad_request')
    expect(large.body['message']).toBe('The body must have at most 16384 bytes.')
  }
  for (const piece of pieces) {
    const small = `{"email":[${filled(piece, 16_300)}`
    expectError(await post(path, small), 'bad_request')
    expect(await costOf(() => post(path, small), 10, 5), piece).toBeLessThan(5)
  }
})

describe('60,000 unauthenticated characters', () => {
  const get = (path: string, headers: Record<string, string> = {}) => send(server.url, 'GET', path, { headers })
  const path = '/v1/account/me'
  const credentials: Record<string, string>[] = [{}, { authorization: `Bearer svc_${'0'.repeat(32)}` }]

  /** The longest query of such pieces that is accepted: after the most parameters or plus signs, others follow. */
  function longest(piece: string): string {
    const first = piece === '+' ? filled(piece, 8192) : piece.includes('&') ? piece.repeat(parametersMax - 1) : ''
    const rest = piece === '&' || piece === '+' ? '%41' : piece.replace('&', '')
    return first + filled(first === '' ? piece : rest, queryMaxBytes - first.length)
  }

  describe.each(['?', '&', '=', '%', '%3D', '+', 'a=&', 'x=svc_0', '?a'])('%j repeated in a query', (piece) => {
    it('25,600 unauthenticated characters cost less than 8 ms', async () => {
      const query = longest(piece)
      for (const headers of credentials) {
        expectError(await get(`${path}?${query}`, headers), 'unauthorized')
        expect(await costOf(() => get(`${path}?${query}`, headers), 10, 8)).toBeLessThan(8)
      }
    })

    it('60,000 unauthenticated characters are refused, and cost less than 5 ms', async () => {
      const query = filled(piece, 60_000)
      for (const headers of credentials) {
        const answer = await get(`${path}?${query}`, headers)
        expectError(answer, 'bad_request')
        expect(answer.body['message']).toBe(`The query must have at most 25600 bytes, not ${query.length}.`)
        expect(await costOf(() => get(`${path}?${query}`, headers), 10, 5)).toBeLessThan(5)
      }
    })
  })

  const headers = ['authorization', 'cookie', 'accept', 'accept-encoding', 'if-none-match', 'content-type', 'origin']
  it.each(headers)('the header %s: 60,000 unauthenticated characters cost less than 20 ms', async (name) => {
    const isLimited = limitedHeaders.some((limited) => limited === name)
    for (const piece of [' ', ',', ';', '=', '"', 'a', 'a;', 'gzip;q=0,', 'Bearer ', '\\"', 'W/"'])
      for (const path of ['/v1/account/me', '/v1', '/console/api/session', '/v1/openapi.json']) {
        const hostile = { [name]: filled(piece, 60_000) }
        const { status } = await get(path, hostile)
        // Spaces around a value are not part of it.
        if (isLimited && piece !== ' ') expect(status).toBe(400)
        else expect(status).toBeLessThan(500)
        expect(await costOf(() => get(path, hostile), 3, 20), `${path}: ${piece}`).toBeLessThan(20)
      }
  })

  const lists = headers.filter((name) => limitedHeaders.some((limited) => limited === name))
  it.each(lists)('the header %s: 4096 unauthenticated characters cost less than 5 ms', async (name) => {
    for (const piece of [',', ';', '=', '"', 'a', 'a;', 'gzip;q=0,', 'Bearer ', '\\"', 'W/"'])
      for (const path of ['/v1/account/me', '/v1', '/console/api/session', '/v1/openapi.json']) {
        const hostile = { [name]: filled(piece, listHeaderMaxBytes) }
        const answer = await get(path, hostile)
        expect(answer.status).toBeLessThan(500)
        expect(answer.text).not.toContain('must have at most')
        expect(await costOf(() => get(path, hostile), 10, 5), `${path}: ${piece}`).toBeLessThan(5)
      }
  })
})
