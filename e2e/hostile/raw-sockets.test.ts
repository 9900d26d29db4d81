import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { openSocket, parseAnswer, readToEnd, sendBytes } from '../../packages/server/test/raw-http.js'
import { isLong, random } from './random.js'
import { serveTls } from './tls-server.js'

/** Node.js hands some sockets over without listeners and timeouts. None of them stops or delays the server. */

/** Starts a server. Its URL is that of the port for the scheme. */
async function serveFor(scheme: 'http' | 'https', at: Place): Promise<Serving & AsyncDisposable> {
  if (scheme === 'http') return svcServe(at)
  const serving = await serveTls(at)
  return { ...serving, url: serving.tlsUrl }
}

/** Resets the TCP connection, also that below TLS, which is `_parent`. Not documented. */
function reset(socket: Socket & { readonly _parent?: Socket | null }): void {
  ;(socket._parent ?? socket).resetAndDestroy()
}

describe.each(['http', 'https'] as const)('over %s', (scheme) => {
  const serve = (at: Place) => serveFor(scheme, at)
  let place: Awaited<ReturnType<typeof emptyPlace>>
  let server: Serving & AsyncDisposable
  beforeAll(async () => {
    place = await emptyPlace()
    server = await serve(place)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  const host = 'Host: localhost\r\n'
  const timestamp = `GET /v1/public/timestamp HTTP/1.1\r\n${host}\r\n`
  const connectTo = `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`
  const upgrade = (protocol: string) =>
    `GET /v1/public/timestamp HTTP/1.1\r\n${host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n'
  const signIn = (length: number, more = '') =>
    `POST /console/api/session/sign-in HTTP/1.1\r\n${host}Origin: ${scheme}://localhost\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${String(length)}\r\n${more}\r\n`
  const credentials = '{"email":"unknown@example.com","password":"wrong"}'

  async function expectAlive(): Promise<void> {
    const ready = `GET /readyz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`
    expect(statuses(await sendBytes(server.url, ready))).toEqual([200])
    expect(server.child.exitCode).toBe(null)
  }

  const statuses = (answer: string) => answer.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9)))

  /** Every exchange in which Node.js takes a socket off the HTTP parser's usual path. */
  const exchanges: Readonly<Record<string, string>> = {
    CONNECT: connectTo,
    'CONNECT followed by bytes': `${connectTo}\x16\x03\x01garbage`,
    'CONNECT after a GET': timestamp + connectTo,
    'CONNECT after a password check': signIn(credentials.length) + credentials + connectTo,
    'an upgrade to WebSocket': upgrade('websocket'),
    'an upgrade to HTTP/2': upgrade('h2c'),
    'an unknown expectation': `${signIn(50, 'Expect: a-miracle\r\n')}{"email"`,
    'Expect: 100-continue': signIn(credentials.length, 'Expect: 100-continue\r\n') + credentials,
    'bytes that are not HTTP': '\x16\x03\x01\x00\xc8\r\n\r\n',
    'bytes that are not HTTP after a GET': `${timestamp}garbage\r\n\r\n`,
  }

  describe('a client that resets its connection', () => {
    it.each(Object.entries(exchanges))('a reset at any point of %s does not stop the server', async (name, bytes) => {
      const { integer } = random(`reset ${name}`)
      const rounds = isLong ? 500 : 40
      for (let round = 0; round < rounds; round++) {
        const socket = await dial()
        const cut = round % 2 === 0 ? bytes.length : integer(1, bytes.length)
        socket.write(bytes.slice(0, cut))
        if (round % 4 < 2) await sleep(integer(0, 6))
        if (round % 3 === 0) socket.write(bytes.slice(cut) + bytes)
        reset(socket)
      }
      await expectAlive()
    })
  })

  describe('CONNECT', () => {
    it('405 with a standard status line, and the connection is closed', async () => {
      const answer = await sendBytes(server.url, connectTo)
      expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/)
      expect(parseAnswer(answer)).toMatchObject({
        headers: { connection: 'close' },
        body: { error: 'method_not_allowed' },
      })
    })

    it('is answered after the earlier requests on the same connection', async () => {
      expect(statuses(await sendBytes(server.url, timestamp + connectTo))).toEqual([200, 405])
      expect(statuses(await sendBytes(server.url, timestamp + timestamp + connectTo))).toEqual([200, 200, 405])
      expect(statuses(await sendBytes(server.url, signIn(credentials.length) + credentials + connectTo))).toEqual([
        401, 405,
      ])
      const body = [signIn(credentials.length) + credentials.slice(0, 9), credentials.slice(9) + connectTo]
      expect(statuses(await sendBytes(server.url, ...body))).toEqual([401, 405])
    })

    it('is not answered after the last answer of a connection', async () => {
      const last = timestamp.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
      expect(statuses(await sendBytes(server.url, last + connectTo))).toEqual([200])
    })

    it('does not make the server parse the following bytes as requests', async () => {
      const answer = await sendBytes(server.url, `${connectTo}${timestamp}garbage ${'x'.repeat(100_000)}`)
      expect(statuses(answer)).toEqual([405])
    })

    it('leaves no socket open: 50 silent half-open ones are closed within 4 seconds', async () => {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => dial({ allowHalfOpen: true })))
      for (const socket of sockets) socket.write(timestamp + connectTo)
      await Promise.all(sockets.map((socket) => once(socket.resume(), 'end')))
      await sleep(4_000)
      // The kernel answers bytes on a closed connection with a reset, which the next write reports.
      for (const socket of sockets) socket.write('more')
      await sleep(200)
      for (const socket of sockets) socket.write('more')
      await sleep(200)
      expect(sockets.filter(({ destroyed }) => !destroyed)).toEqual([])
    })
  })

  it.each(['websocket', 'h2c'])('an upgrade to %s is answered like any other request', async (protocol) => {
    const socket = await openSocket(server.url)
    const answer = readToEnd(socket)
    socket.write(upgrade(protocol))
    await sleep(50)
    // The connection still speaks HTTP/1.1.
    socket.write(timestamp.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    expect(statuses(await answer)).toEqual([200, 200])
  })

  it('400 with a standard status line for bytes that are not HTTP', async () => {
    expect(await sendBytes(server.url, 'garbage\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  it('raw sockets do not delay the exit after SIGTERM, and everything is closed in order', async () => {
    await using own = await emptyPlace()
    await using stopping = await serve(own)
    const sockets = await Promise.all(
      Object.values(exchanges).flatMap((bytes) =>
        Array.from({ length: 5 }, async () => {
          const socket = await dial({ allowHalfOpen: true }, stopping.url)
          socket.write(bytes)
          return socket
        }),
      ),
    )
    await sleep(100)
    const from = performance.now()
    expect(await stopping.stop()).toBe(0)
    expect(performance.now() - from).toBeLessThan(10_000)
    const messages = stopping.log.map(({ msg }) => msg).filter((msg) => msg !== undefined)
    expect(messages.at(-1)).toBe('stopped')
    expect(messages).not.toContain('not everything could be closed in time')
    for (const socket of sockets) socket.destroy()
  })

  async function dial(options: { allowHalfOpen?: boolean } = {}, url = server.url): Promise<Socket> {
    const socket = await openSocket(url, options)
    socket.on('error', () => socket.destroy())
    return socket
  }
})
