import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { emptyPlace, svcServe, type Serving } from '../../packages/cli/test/svc.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { startPowerDnsSite } from '../../packages/server/test/powerdns-site.js'
import { openSocket, sendBytes } from '../../packages/server/test/raw-http.js'
import { isLong, random } from './random.js'

/** On SIGTERM the server finishes its work and exits, even if clients or the reader of its log have disconnected. */

async function timed<T>(work: Promise<T>): Promise<[ms: number, T]> {
  const from = performance.now()
  const result = await work
  return [performance.now() - from, result]
}

/** Sends requests, a multiple of 40. Each of them causes a log line. */
async function sendRequests({ url }: Serving, count: number): Promise<void> {
  // Forty in one write cost the client a fraction of forty calls of fetch. The server accepts up to 64.
  const request = 'GET /v1/public/timestamp HTTP/1.1\r\nHost: x\r\n'
  const forty = `${request}\r\n`.repeat(39) + `${request}Connection: close\r\n\r\n`
  for (let sent = 0; sent < count; sent += 40)
    expect((await sendBytes(url, forty)).match(/HTTP\/1\.1 200 /g)).toHaveLength(40)
}

describe('a stop by SIGTERM', () => {
  const ways = ['stdout', 'stderr', 'both'] as const
  const rounds = isLong ? 99 : 3
  const atOnce = 3

  it(`exits with code 0 when the reader of the log has disconnected, ${rounds} times`, async () => {
    const { integer, pick } = random('reader')
    for (let round = 0; round < rounds; round += atOnce)
      await Promise.all(
        ways.map(async (way) => {
          // SIGTERM before, during and after the first log line without a reader.
          const [waitMs, requests] = [pick([0, 0, 10, integer(0, 800)]), pick([0, 40])]
          await using place = await emptyPlace()
          await using server = await svcServe(place)
          if (way !== 'stderr') server.child.stdout.destroy()
          if (way !== 'stdout') server.child.stderr.destroy()
          await sleep(waitMs)
          await sendRequests(server, requests)
          const [ms, code] = await timed(server.stop())
          expect({ round, way, code }).toEqual({ round, way, code: 0 })
          expect(ms).toBeLessThan(8_000)
        }),
      )
  })

  it('exits with code 0 when the reader of the log has stalled; requests are answered until then', async () => {
    await using place = await emptyPlace()
    await using server = await svcServe(place)
    server.child.stdout.pause()
    // Several times the capacity of the pipe, the reader's buffer and the server's own buffer.
    await sendRequests(server, 2_000)
    const [ms, answer] = await timed(fetch(`${server.url}/readyz`))
    expect(answer.status).toBe(200)
    expect(ms).toBeLessThan(1_000)
    const exit = once(server.child, 'exit')
    server.child.kill()
    const [stopMs, ended] = await timed(exit)
    expect(ended).toEqual([0, null])
    expect(stopMs).toBeLessThan(8_000)
    server.child.stdout.resume()
  })

  it('exits with code 0 and a complete log when the reader of the log is slow', async () => {
    await using place = await emptyPlace()
    await using server = await svcServe(place)
    server.child.stdout.pause()
    await sendRequests(server, 1_000)
    setTimeout(() => server.child.stdout.resume(), 100)
    expect(await server.stop()).toBe(0)
    expect(server.log.filter(({ operation }) => operation === 'public.timestamp')).toHaveLength(1_000)
    expect(server.log.at(-1)).toMatchObject({ msg: 'stopped' })
  })
})

describe.each(databaseKinds)('on %s', (kind) => {
  it('finishes a handler whose client has disconnected before it closes provider and database', async () => {
    const on = await startPowerDnsSite(kind)
    const owner = await on.owner()
    const zone = await owner.claim('left.example')
    await zone.create({ type: 'A', host: 'before', value: '192.0.2.1' })
    on.gateway.behaviour = { delayMs: 1_500 }
    const requestsBefore = on.gateway.requests.length
    const socket = await openSocket(on.site.url)
    const body = JSON.stringify({ type: 'A', host: 'after', value: '192.0.2.2' })
    const token = await on.site.token(owner.account, '*')
    socket.write(
      `POST /v1/dns/zones/left.example/records HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`,
    )
    await vi.waitFor(() => expect(on.gateway.requests.length).toBeGreaterThan(requestsBefore), { timeout: 5_000 })
    socket.resetAndDestroy()
    await sleep(50)
    await on.site.app.close()
    const rows = await on.site.sql("select host from dns_record where host = 'after'")
    expect(rows).toEqual([{ host: 'after' }])
    expect(await on.held('left.example')).toContainEqual(expect.stringMatching(/^after\.left\.example\. A /))
    vi.spyOn(on.site.app, 'close').mockResolvedValue()
    await on.stop()
  })
})

it('running out of file descriptors does not stop the server', async () => {
  await using place = await emptyPlace()
  await using server = await svcServe(place)
  const pid = String(server.child.pid)
  // The sign-in hashes a password and writes, so that every module is loaded before the limit applies.
  const headers = { 'content-type': 'application/json', origin: server.url }
  const body = JSON.stringify({ email: 'unknown@example.com', password: 'wrong' })
  expect((await fetch(`${server.url}/console/api/session/sign-in`, { method: 'POST', headers, body })).status).toBe(401)
  expect(spawnSync('prlimit', ['--nofile=64:64', '--pid', pid]).status).toBe(0)
  for (let round = 0; round < 3; round++) {
    const sockets = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const socket = await openSocket(server.url)
        socket.on('error', () => socket.destroy())
        socket.write('GET /v1/public/timestamp HTTP/1.1\r\nHost: x\r\n\r\n')
        return socket
      }),
    )
    await sleep(300)
    for (const socket of sockets) socket.destroy()
    await vi.waitFor(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200), { timeout: 5_000 })
  }
  expect(await server.stop()).toBe(0)
})
