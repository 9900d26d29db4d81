import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { certificatesFor } from '../../test/tls-certificates.js'
import { expectError, openSocket, parseAnswer, readToEnd } from '../../test/raw-http.js'
import { noChallenges } from '../ports/certificates/port.js'
import { RunningHandlers } from './running-handlers.js'
import { createServer } from './server.js'
import type { TlsPorts } from './tls/ports.js'

const deadlines = { headers: 1_000, idle: 1_000, body: 2_000, answer: 2_500, sweep: 50 }

/** Longer than any deadline. */
const longMs = 4_000

/** More than the buffers of client and server hold. */
const large = 'x'.repeat(32 * 1024 * 1024)

const tlsOptions = () => ({
  certificates: certificatesFor('localhost'),
  challenges: noChallenges,
  publicUrl: 'https://localhost',
  redirects: false,
})

describe.each(['http', 'https'] as const)('over %s', (scheme) => {
  let http: FastifyInstance
  let tls: TlsPorts | undefined
  let url: string
  beforeAll(async () => {
    ;({ api: http, tls } = createServer([], {
      log: pino({ level: 'silent' }),
      metrics: undefined,
      trusted: () => false,
      isProxied: false,
      connections: { max: 0, perNetwork: 0 },
      deadlines,
      running: new RunningHandlers(),
      routes: [],
      content: [],
      endpoints: [],
      hosts: { content: 'content.localhost', sitesDomain: 'localhost', publicUrl: undefined },
      ping: () => Promise.resolve(),
      tls: scheme === 'https' ? tlsOptions() : undefined,
    }))
    http.addContentTypeParser('application/octet-stream', (_request, _payload, done) => {
      done(null)
    })
    http.post('/echo', (request) => Promise.resolve(request.body))
    http.get('/work', async () => {
      await sleep(longMs)
      return 'done'
    })
    http.get('/large', (_request, reply) => reply.send(large))
    http.get('/large-stream', { config: { isStream: true } }, (_request, reply) =>
      reply.send(Readable.from(Array.from({ length: 512 }, () => large.slice(0, 65_536)))),
    )
    http.post('/bytes', { config: { isStream: true } }, async (request) => {
      let received = 0
      await pipeline(request.raw, async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) received += chunk.length
      })
      return String(received)
    })
    await http.listen({ host: '127.0.0.1', port: 0 })
    if (tls) await once(tls.server.listen(0, '127.0.0.1'), 'listening')
    url = `${scheme}://127.0.0.1:${String(((tls ?? http).server.address() as AddressInfo).port)}`
  })
  afterAll(async () => {
    await Promise.all([http.close(), tls?.close()])
  })

  const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  const post = (path: string, type: string, length: number) =>
    head(`POST ${path}`, `Content-Type: ${type}\r\nConnection: close\r\nContent-Length: ${String(length)}\r\n`)
  const json = (path: string) => post(path, 'application/json', 1_000)

  async function opened(bytes: string): Promise<Socket> {
    const socket = await openSocket(url)
    socket.on('error', () => socket.destroy())
    socket.write(bytes)
    return socket
  }

  /** Resolves when the connection is closed, also by a reset: the server may not have read everything. */
  const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

  /** Sends bytes from time to time until the connection ends. */
  async function trickle(socket: Socket, bytes = ' ', everyMs = 200): Promise<void> {
    while (socket.writable && !socket.readableEnded) {
      socket.write(bytes)
      await sleep(everyMs)
    }
  }

  /** Reads a chunk from time to time. @returns how many bytes came until the connection was closed */
  async function readSlowly(socket: Socket, everyMs: number, untilMs = Infinity): Promise<number> {
    const from = performance.now()
    let bytes = 0
    socket.pause()
    socket.on('data', (chunk) => {
      bytes += chunk.length
      socket.pause()
    })
    while (!socket.destroyed && performance.now() - from < untilMs) {
      await sleep(everyMs)
      socket.resume()
    }
    return bytes
  }

  async function timed<T>(work: Promise<T>): Promise<[ms: number, T]> {
    const from = performance.now()
    const result = await work
    return [performance.now() - from, result]
  }

  describe.concurrent('a request that does not arrive', () => {
    it.each([
      ['half of the request line, then nothing', 'GET /wo', false],
      ['half of the headers, then nothing', 'GET /work HTTP/1.1\r\nHo', false],
      ['headers byte by byte', 'GET /work HTTP/1.1\r\nX: ', true],
    ])('%s: 400, and the connection is closed', async (_, bytes, trickles) => {
      const socket = await opened(bytes)
      if (trickles) void trickle(socket, 'x')
      const [ms, answer] = await timed(readToEnd(socket))
      expectError(parseAnswer(answer), 'bad_request')
      expect(answer).toContain('The request did not arrive in time.')
      expect(ms).toBeGreaterThan(deadlines.headers - 50)
      expect(ms).toBeLessThan(longMs)
    })

    // Browsers open connections before they need them. They would take a late answer as that of their next request.
    it('a connection without any byte is closed without a byte', async () => {
      const [ms, answer] = await timed(readToEnd(await opened('')))
      expect(answer).toBe('')
      expect(ms).toBeGreaterThan(deadlines.headers - 50)
      expect(ms).toBeLessThan(longMs)
    })

    it.each([
      ['stops', false, deadlines.idle],
      ['trickles', true, deadlines.body],
    ])('a body that %s: 400, and the connection is closed', async (_, trickles, afterMs) => {
      const socket = await opened(`${json('/echo')}{`)
      if (trickles) void trickle(socket)
      const [ms, text] = await timed(readToEnd(socket))
      const answer = parseAnswer(text)
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toBe('The request body did not arrive in time.')
      expect(answer.headers.connection).toBe('close')
      expect(ms).toBeGreaterThan(afterMs - 100)
      expect(ms).toBeLessThan(longMs)
    })

    it('the answers to earlier requests of the connection come first', async () => {
      const socket = await opened(`${head('GET /nowhere')}${head('GET /nowhere')}${json('/echo')}{`)
      const answer = await readToEnd(socket)
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 404', 'HTTP/1.1 400'])
    })

    it.each([
      ['the rest of a body that was answered early', json('/nowhere').replace('Connection: close\r\n', ''), ' '],
      ['empty lines instead of another request', head('GET /nowhere'), '\r\n'],
    ])('%s does not hold the connection', async (_, bytes, piece) => {
      const socket = await opened(bytes)
      void trickle(socket, piece)
      const [ms] = await timed(closed(socket.resume()))
      expect(ms).toBeLessThan(longMs)
    })
  })

  it('a connection without a further request is closed without a byte after the answer', async () => {
    const { keepAliveTimeout } = http.server
    http.server.keepAliveTimeout = deadlines.headers
    const answer = await readToEnd(await opened(head('GET /nowhere')))
    http.server.keepAliveTimeout = keepAliveTimeout
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404'])
  })

  describe('an answer that is not read', () => {
    it.each(['/large', '/large-stream'])('an answer of %s that is not read: the connection is closed', async (path) => {
      const socket = await opened(head(`GET ${path}`))
      socket.pause()
      // Until the buffers are full, which a busy machine does late.
      await sleep(deadlines.idle * 0.3)
      // The client does not see the end while it does not read.
      await vi.waitFor(async () => expect(await openConnections()).toBe(0), { timeout: deadlines.idle * 1.5 })
      socket.destroy()
    })

    it('an answer of /large that is read byte by byte: the connection is closed', async () => {
      const socket = await opened(head('GET /large'))
      expect(await readSlowly(socket, 20)).toBeLessThan(large.length)
    })
  })

  it('the time of one answer does not count for the next answer of the connection', async () => {
    const socket = await opened(head('GET /large') + head('GET /work', 'Connection: close\r\n'))
    expect((await readToEnd(socket)).match(/HTTP\/1\.1 \d+|done$/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'done'])
  })

  describe.concurrent('the total time', () => {
    it('a request whose handler is running has no limit on its total time', async () => {
      const socket = await opened(head('GET /work', 'Connection: close\r\n'))
      expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 200 [^]*done$/)
    })

    it('a body of a streaming route has no limit on its total time as long as bytes arrive', async () => {
      const socket = await opened(post('/bytes', 'application/octet-stream', 20))
      const answer = readToEnd(socket)
      for (let i = 0; i < 20; i++) {
        socket.write('x')
        await sleep(longMs / 20)
      }
      expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*20$/)
    })

    it('a body of a streaming route is refused if no bytes arrive', async () => {
      const socket = await opened(`${post('/bytes', 'application/octet-stream', 20)}x`)
      expect(await readToEnd(socket)).toContain('The request body did not arrive in time.')
    })

    it('an answer of a streaming route has no limit on its total time as long as bytes are read', async () => {
      let isOpen = false
      // On a busy machine, the client may read nothing for too long.
      for (let i = 0; i < 5 && !isOpen; i++) {
        const socket = await opened(head('GET /large-stream'))
        await readSlowly(socket, 10, longMs)
        isOpen = !socket.destroyed
        socket.destroy()
      }
      expect(isOpen).toBe(true)
    })
  })

  const openConnections = () =>
    new Promise<number>((resolve, reject) => {
      ;(tls ?? http).server.getConnections((error, count) => {
        if (error) reject(error)
        else resolve(count)
      })
    })
})
