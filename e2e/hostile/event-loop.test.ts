import { connect } from 'node:net'
import { it } from 'vitest'
import { recordTypes } from '@svc/contract'
import { guardedServer, recordsPath } from './guarded-server.js'

/**
 * No input blocks the event loop: the server answers /healthz while it handles each of these. The database is involved in
 * event-loop-data.test.ts.
 */

const { url, send, post, expectNoGap } = guardedServer('sqlite')

it.each([
  ['question marks', '?'],
  ['ampersands', '&'],
  ['equals signs', '='],
  ['percent signs', '%'],
  ['encoded percent signs', '%25'],
  ['empty fields', 'a=&'],
  ['pluses', '+'],
  ['half a token', 'x=svc_0'],
])('a query of 60,000 %s does not block the event loop', async (_, piece) => {
  const query = piece.repeat(Math.floor(60_000 / piece.length))
  for (const path of ['/v1/account/me', '/v1/public/hash', recordsPath, '/v1', '/nowhere'])
    await expectNoGap(() => send({ path: `${path}?${query}` }))
})

it.each([
  ['authorization', 'Bearer '],
  ['authorization', ' '],
  ['cookie', 'svc_session=;'],
  ['cookie', '='],
  ['accept', 'text/html;q=0,'],
  ['accept', ';'],
  ['accept-encoding', 'gzip;q=0,'],
  ['if-none-match', '"x",'],
  ['if-none-match', ','],
  ['x-forwarded-for', '::1,'],
  ['content-type', 'application/json;'],
  ['content-type', ' '],
  ['origin', 'http://'],
  ['expect', '100-'],
])('a header %s of 60,000 characters of %j does not block the event loop', async (name, piece) => {
  const headers = { [name]: piece.repeat(Math.floor(60_000 / piece.length)) }
  for (const path of ['/v1/account/me', '/v1', '/v1/openapi.json', '/reference/scalar.js', '/console/api/session'])
    await expectNoGap(() => send({ path, headers }))
  await expectNoGap(() => send({ method: 'POST', path: recordsPath, headers, body: '{}' }))
})

it.each([
  ['slashes', '/'],
  ['dots', '.'],
  ['encoded slashes', '%2F'],
  ['full stops of other scripts', '%E3%80%82'],
  ['labels', 'a.'],
  ['punycode', 'xn--a.'],
])('a path of 60,000 characters of %s does not block the event loop', async (_, piece) => {
  const path = `/v1/dns/zones/${piece.repeat(Math.floor(60_000 / piece.length))}`
  await expectNoGap(() => send({ path }))
  await expectNoGap(() => send({ path: `${path}/records/1` }))
})

it.each(['/', '/v1/account/me', recordsPath])(
  '70,000 pipelined requests of %s in one write do not block the event loop',
  async (path) => {
    const { hostname, port } = new URL(url())
    const burst = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(70_000)
    await expectNoGap(async () => {
      const socket = connect(Number(port), hostname)
      // The server may close while the client still writes: then there is an EPIPE or a reset.
      socket.on('error', () => undefined)
      socket.resume().write(burst)
      await new Promise((resolve) => socket.on('close', resolve))
    })
  },
)

const megabyte = 1024 * 1024
const filled = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length))
const bodies: [string, string][] = [
  ['empty objects in a list', `[${filled('{},', megabyte - 10)}{}]`],
  ['empty objects in a field', `{"zone":[${filled('{},', megabyte - 20)}{}]}`],
  ['nested lists', filled('[', megabyte)],
  ['nested objects', filled('{"a":', megabyte)],
  ['nested lists that end', `{"zone":${filled('[', megabyte / 2 - 10)}${filled(']', megabyte / 2 - 10)}}`],
  ['many fields', `{${Array.from({ length: 70_000 }, (_, i) => `"f${i}":0`).join(',')}}`],
  ['a duplicate field', `{${filled('"zone":0,', megabyte - 20)}"zone":0}`],
  ['escapes', `{"zone":"${filled('\\u0061', megabyte - 20)}"}`],
  ['NUL escapes', `{"zone":"${filled('\\u0000', megabyte - 20)}"}`],
  ['half surrogates', `{"zone":"${filled('\\ud800', megabyte - 20)}"}`],
  ['one long text', `{"zone":"${filled('a', megabyte - 20)}"}`],
  ['one long field name', `{"${filled('a', megabyte - 20)}":0}`],
  ['a long number', `{"zone":${filled('9', megabyte - 20)}}`],
  ['spaces', filled(' ', megabyte)],
  ['backslashes, not JSON', filled('\\', megabyte)],
]
it.each(bodies)('a megabyte of JSON does not block the event loop: %s', async (_, body) => {
  const origin = { origin: url() }
  await expectNoGap(() => post('/console/api/session/sign-in', body, origin))
  for (const path of ['/v1/dns/zones', recordsPath, '/v1/account/profile']) await expectNoGap(() => post(path, body))
})

it.each(recordTypes)('long names and values of %s records do not block the event loop', async (type) => {
  const pieces = [
    'a',
    'a.',
    '.',
    '\\',
    '\\000',
    '"',
    '"a" ',
    '" ',
    ' ',
    '\t',
    '0',
    '0 ',
    ':',
    'é',
    '。',
    'xn--a.',
    ';',
    '1.',
  ]
  for (const piece of pieces) {
    // A quadratic algorithm would take seconds for the shorter ones too.
    const [long, shorter] = [filled(piece, 300_000), filled(piece, 60_000)]
    await expectNoGap(async () => {
      for (const value of [long, `"${shorter}`, `"${shorter}"`, `0 issue "${shorter}"`, `1 1 ${shorter}`])
        await post(recordsPath, { type, host: 'www', value, priority: 1 })
      await post(recordsPath, { type, host: type === 'A' ? long : shorter, value: 'x', priority: 1 })
    })
  }
})
