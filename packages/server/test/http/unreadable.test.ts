import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startApp, type Envelope, type TestApp } from '../app.js'
import { expectError, openSocket, parseAnswer, readToEnd, send, sendBytes } from '../raw-http.js'

/** Malformed and incomplete requests get an answer with the envelope and one log line. The server keeps running. */

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const head = 'Host: localhost\r\nConnection: close\r\n'
const signIn = `POST /console/api/session/sign-in HTTP/1.1\r\n${head}Origin: http://localhost\r\nContent-Type: application/json\r\n`

const lines = (): Envelope[] => app.log.map((line) => JSON.parse(line) as Envelope)

/** The log lines of a request. An aborted request is logged when its connection closes, shortly after. */
async function logged(requestId: unknown): Promise<Envelope[]> {
  const found = () => lines().filter((line) => line['request_id'] === requestId)
  await vi.waitFor(() => expect(found()).not.toEqual([]))
  return found()
}

const expectAlive = async () => expect((await send(app.url, 'GET', '/healthz')).status).toBe(200)

/** The log lines after the first `seen` ones. Waits for the first of them, and then for any extra ones. */
async function loggedSince(seen: number): Promise<Envelope[]> {
  await vi.waitFor(() => expect(app.log.length).toBeGreaterThan(seen))
  await new Promise((resolve) => setTimeout(resolve, 150))
  return lines().slice(seen)
}

describe('a malformed request', () => {
  it.each([
    ['bytes that are not HTTP', '\x00\x01\x02 garbage\r\n\r\n'],
    ['a TLS handshake', Buffer.from('16030100c8010000c40303', 'hex')],
    ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown HTTP version', `GET /v1 HTTP/7.3\r\n${head}\r\n`],
    ['an unknown method', `FROB /v1 HTTP/1.1\r\n${head}\r\n`],
    ['a method in lower case', `get /v1 HTTP/1.1\r\n${head}\r\n`],
    ['a header without a colon', `GET /v1 HTTP/1.1\r\n${head}no colon here\r\n\r\n`],
    ['a header name with a space', `GET /v1 HTTP/1.1\r\n${head}na me: x\r\n\r\n`],
    ['a header with a NUL', `GET /v1 HTTP/1.1\r\n${head}x: a\0b\r\n\r\n`],
    ['a folded header', `GET /v1 HTTP/1.1\r\n${head}x: a\r\n\tb\r\n\r\n`],
    ['a path with a raw control character', `GET /v1/\x01 HTTP/1.1\r\n${head}\r\n`],
    ['a length that is not a number', `${signIn}Content-Length: many\r\n\r\n{}`],
    ['a negative length', `${signIn}Content-Length: -1\r\n\r\n{}`],
    ['two lengths', `${signIn}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `],
    [
      'Content-Length together with chunked encoding (request smuggling)',
      `${signIn}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['an unknown transfer encoding', `${signIn}Transfer-Encoding: gzip\r\n\r\nx`],
    ['an invalid chunk size', `${signIn}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`],
    ['a chunk longer than its size', `${signIn}Transfer-Encoding: chunked\r\n\r\n1\r\n{}{}{}\r\n0\r\n\r\n`],
    ['a body longer than its length', `${signIn}Content-Length: 2\r\n\r\n{}}}}}`],
    ['a missing Host header', 'GET /v1/public/time HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an unknown Expect header', `${signIn}Expect: a-miracle\r\nContent-Length: 0\r\n\r\n`],
  ])('400 bad_request with the envelope for %s', async (_, bytes) => {
    const answer = parseAnswer(await sendBytes(app.url, bytes))
    expectError(answer, 'bad_request')
    expect(answer.headers.connection).toBe('close')
    expect(await logged(answer.body['request_id'])).toMatchObject([{ status: 400, operation: expect.any(String) }])
    await expectAlive()
  })

  it('400 bad_request for a request line or headers that are too large', async () => {
    for (const bytes of [
      `GET /v1/${'a'.repeat(70_000)} HTTP/1.1\r\n${head}\r\n`,
      `GET /v1 HTTP/1.1\r\n${head}x: ${'a'.repeat(70_000)}\r\n\r\n`,
    ]) {
      const answer = parseAnswer(await sendBytes(app.url, bytes))
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toBe('The request line and headers are too large.')
    }
    await expectAlive()
  })

  it('400 bad_request for a path or a query that is not percent-encoded UTF-8, with one line in the log', async () => {
    for (const path of [
      '/v1/%zz',
      '/v1/%',
      '/v1/%ff',
      '/console/api/%c0%af',
      '/v1/public/hash?value=%',
      '/v1/public/hash?value=%ff',
    ]) {
      const answer = await send(app.url, 'GET', path)
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toContain('percent-encoded UTF-8')
      expect(await logged(answer.body['request_id'])).toMatchObject([{ status: 400, method: 'GET' }])
    }
  })
})

describe('an incomplete request', () => {
  const half = `${signIn}Content-Length: 30\r\n\r\n{"email"`

  it('an incomplete request is logged once when the client resets the connection during the body', async () => {
    const seen = app.log.length
    const socket = await openSocket(app.url)
    socket.write(half)
    await new Promise((resolve) => setTimeout(resolve, 30))
    socket.resetAndDestroy()
    expect(await loggedSince(seen)).toMatchObject([{ operation: 'session.signIn', status: 499 }])
    await expectAlive()
  })

  it('an incomplete request is answered when the client closes only its sending side', async () => {
    const seen = app.log.length
    const socket = await openSocket(app.url)
    const whole = readToEnd(socket)
    socket.end(half)
    const answer = parseAnswer(await whole)
    expectError(answer, 'bad_request')
    const noted = await loggedSince(seen)
    expect(noted).toMatchObject([{ operation: 'session.signIn', status: 400, request_id: answer.body['request_id'] }])
  })

  it('an incomplete request is logged once when the client disconnects before the answer', async () => {
    const seen = app.log.length
    const socket = await openSocket(app.url)
    const body = '{"email":"a@example.com","password":"b"}'
    // Hashing the password takes longer than the pause.
    socket.write(`${signIn}Content-Length: ${body.length}\r\n\r\n${body}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
    socket.resetAndDestroy()
    expect(await loggedSince(seen)).toMatchObject([{ operation: 'session.signIn', status: 499 }])
    await expectAlive()
  })

  it('an incomplete request is not logged if the connection closes without a byte', async () => {
    const seen = app.log.length
    for (let i = 0; i < 20; i++) (await openSocket(app.url)).resetAndDestroy()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(app.log.length).toBe(seen)
    await expectAlive()
  })
})

describe('several requests on one connection', () => {
  const first = 'GET /v1/public/timestamp HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const last = `GET /v1/nope HTTP/1.1\r\n${head}\r\n`

  it('requests are answered in order when they arrive at once', async () => {
    const text = await sendBytes(app.url, first + first + last)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404'])
    expect(new Set(text.match(/req_[0-9a-f]{16}/g)).size).toBe(3)
  })

  it('answers the requests before garbage, then the garbage, and closes', async () => {
    const token = await app.token(await app.account('pipeline@example.com'), '*')
    const me = `GET /v1/account/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const text = await sendBytes(app.url, `${me}GARBAGE\r\n\r\n`)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  })

  it('answers a malformed body after another request at once, not at the deadline for bodies', async () => {
    const broken = `${signIn.replace(head, 'Host: localhost\r\n')}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`
    const text = await sendBytes(app.url, first + broken)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  })

  it('reads the rest of a refused body before it parses the next request', async () => {
    const refused =
      'POST /v1/account/profile HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
    const text = await sendBytes(app.url, refused + first + last)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200', 'HTTP/1.1 404'])
  })
})

describe('odd handshakes', () => {
  it('Expect: 100-continue gets 100, then the answer', async () => {
    const text = await sendBytes(app.url, `${signIn}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`, '{}')
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /)
    expect(text).toContain('email is required')
  })

  it('405 with Allow for CONNECT', async () => {
    const answer = parseAnswer(await sendBytes(app.url, `CONNECT example.com:443 HTTP/1.1\r\n${head}\r\n`))
    expectError(answer, 'method_not_allowed')
    expect(answer.headers.allow).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT')
    expect(await logged(answer.body['request_id'])).toMatchObject([{ method: 'CONNECT', status: 405 }])
  })

  it('ignores Upgrade, as RFC 9110, section 7.8 allows: clients that offer h2c get their answer', async () => {
    const upgrade =
      'GET /v1/public/timestamp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n'
    const answer = parseAnswer(await sendBytes(app.url, upgrade))
    expect(answer.status).toBe(200)
    expect(answer.body['success']).toBe(true)
  })

  it.each(['TRACE', 'PROPFIND', 'PURGE'])('405 for %s on an existing path, 404 elsewhere', async (method) => {
    const known = await send(app.url, method, '/v1/public/time')
    expectError(known, 'method_not_allowed')
    expect(known.headers.allow).toBe('GET, HEAD, OPTIONS')
    expectError(await send(app.url, method, '/v1/nope'), 'not_found')
  })

  it('200 for HTTP/1.0 and for a request line without a version', async () => {
    for (const line of ['GET /v1/public/time HTTP/1.0\r\n\r\n', 'GET /v1/public/time\r\n\r\n'])
      expect(parseAnswer(await sendBytes(app.url, line))).toMatchObject({ status: 200, body: { success: true } })
  })

  it('404 for OPTIONS * and other unusual targets', async () => {
    for (const line of ['OPTIONS *', 'GET //v1', 'GET /v1/', 'GET /v1/../v1', 'GET http://elsewhere.example/nope'])
      expectError(parseAnswer(await sendBytes(app.url, `${line} HTTP/1.1\r\n${head}\r\n`)), 'not_found')
  })

  it('waits for a slow client', async () => {
    const bytes = `GET /v1/public/timestamp HTTP/1.1\r\n${head}\r\n`
    const answer = parseAnswer(await sendBytes(app.url, ...bytes.match(/[^]{1,7}/g)!))
    expect(answer.status).toBe(200)
  })

  it('waits 20 seconds at most for headers and for the next request', () => {
    const { server } = app.app.http
    // e2e/hostile/slow-clients.test.ts tests the deadlines of bodies and answers.
    expect(server.headersTimeout).toBe(20_000)
    expect(server.keepAliveTimeout).toBe(20_000)
  })
})
