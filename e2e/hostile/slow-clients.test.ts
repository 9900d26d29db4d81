import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { freePort } from '../../test/servers/index.js'
import { emptyPlace, svcServe } from '../../packages/cli/test/svc.js'
import { expectError, openSocket, parseAnswer, readToEnd } from '../../packages/server/test/raw-http.js'
import { isLong } from './random.js'

/** Slow clients and clients with many connections block neither connections nor the server for long. */

const signIn =
  'POST /console/api/session/sign-in HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nContent-Type: application/json\r\n'
const late = { headers: 'The request did not arrive in time.', body: 'The request body did not arrive in time.' }

async function dial(url: string, bytes = ''): Promise<Socket> {
  const socket = await openSocket(url)
  socket.on('error', () => socket.destroy())
  socket.write(bytes)
  return socket
}

async function sendEachSecond(socket: Socket, piece: string): Promise<void> {
  while (socket.writable && !socket.readableEnded) {
    socket.write(piece)
    await sleep(1_000)
  }
}

interface SlowRequest {
  readonly bytes: string
  /** Sent every second. */
  readonly piece?: string
  readonly seconds: number
  readonly message: string
  readonly operation?: string
}

const cases: readonly SlowRequest[] = [
  { bytes: 'GET /v', seconds: 20, message: late.headers },
  { bytes: 'GET /v1 HTTP/1.1\r\nHost: x\r\nX: ', piece: 'x', seconds: 20, message: late.headers },
  { bytes: `${signIn}Content-Length: 900\r\n\r\n{"em`, seconds: 20, message: late.body, operation: 'session.signIn' },
  {
    bytes: `${signIn}Transfer-Encoding: chunked\r\n\r\n`,
    piece: '1\r\n \r\n',
    seconds: 30,
    message: late.body,
    operation: 'session.signIn',
  },
]

const expectTimeouts = async () => {
  await using place = await emptyPlace()
  await using server = await svcServe(place)
  const unused = [dial(server.url), dial(server.url, 'GET /v1 HTTP/1.1\r\nHost: x\r\n\r\n')]
  const readUnused = Promise.all(unused.map(async (socket) => readToEnd(await socket)))
  await Promise.all(
    cases.map(async ({ bytes, piece, seconds, message, operation = 'none' }) => {
      const from = performance.now()
      const socket = await dial(server.url, bytes)
      if (piece !== undefined) void sendEachSecond(socket, piece)
      const answer = parseAnswer(await readToEnd(socket))
      const took = (performance.now() - from) / 1_000
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toBe(message)
      expect(answer.headers.connection).toBe('close')
      expect(took).toBeGreaterThan(seconds - 0.5)
      expect(took).toBeLessThan(seconds + 5)
      const id = answer.body['request_id']
      await vi.waitFor(() => expect(server.log).toContainEqual(expect.objectContaining({ request_id: id })))
      expect(server.log.filter((line) => line['request_id'] === id)).toMatchObject([{ status: 400, operation }])
    }),
  )
  const [nothing, answered] = await readUnused
  expect(nothing).toBe('')
  expect(answered?.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
}

// Takes 35 seconds. packages/server/src/http/slow-clients.test.ts tests the same with shorter deadlines in every run.
if (isLong)
  it(
    '400 for headers after 20 seconds and for bodies after 20 or 30 seconds, and no answer without a request',
    expectTimeouts,
  )

describe('SVC_CONNECTIONS_MAX', () => {
  /** Additional connections for this machine and trusted proxies. */
  const reserved = 32

  it('refuses further connections at once, logs it once, and accepts connections again after others close', async () => {
    await using place = await emptyPlace()
    const port = await freePort()
    await using server = await svcServe(place, '--connections-max', '8', '--metrics-port', String(port))
    const sockets = await Promise.all(Array.from({ length: 200 }, () => dial(server.url)))
    await vi.waitFor(() => expect(sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(8 + reserved))
    // Not with fetch, which connects again as long as its connection is closed before it has sent the request.
    const another = await dial(server.url)
    await vi.waitFor(() => expect(another.destroyed).toBe(true))
    for (const socket of sockets) socket.destroy()
    await vi.waitFor(async () => expect((await fetch(`${server.url}/healthz`)).status).toBe(200))
    const metrics = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text()
    expect(metrics).toMatch(/^svc_http_connections_refused_total 16[1-9]$/m)
    await server.stop()
    const warnings = server.log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)
    expect(warnings).toEqual([
      expect.stringMatching(/^SVC_NAMESERVERS is/),
      expect.stringMatching(/^connections refused/),
    ])
  })
})

describe('the metrics port', () => {
  it('408 for slow clients within 10 seconds, and serves metrics after malformed requests', async () => {
    await using place = await emptyPlace()
    const port = await freePort()
    const metrics = `http://127.0.0.1:${String(port)}`
    await using server = await svcServe(place, '--metrics-port', String(port))
    for (const bytes of [
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
      'garbage\r\n\r\n',
      'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n',
    ])
      for (let i = 0; i < 20; i++) (await dial(metrics, bytes)).resetAndDestroy()
    const from = performance.now()
    expect(await readToEnd(await dial(metrics, 'GET /metr'))).toMatch(/^HTTP\/1\.1 408 /)
    expect(performance.now() - from).toBeLessThan(10_000)
    expect((await fetch(`${metrics}/metrics`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })
})
