import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openSocket, send, sendBytes } from '../../../test/raw-http.js'
import { freePort, startVarnish, type Varnish } from '../../../../../test/servers/index.js'
import { edgeConformance } from '../../../test/conformance/edge.js'
import { keyOf } from '../../../test/conformance/edge-origin.js'
import { EdgeError, type Edge } from './port.js'
import { checkVarnish, varnishEdge } from './varnish-edge.js'

async function listen(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

describe('conformance', () => {
  edgeConformance(async (originPort) => {
    const varnish = await startVarnish(originPort)
    return { edge: varnishEdge(varnish), url: varnish.url, stop: () => varnish.stop() }
  })
})

const link = (id: number, name = 'a') => `/s/${keyOf(id)}/${name}`

describe('default.vcl', () => {
  let varnish: Varnish
  let edge: Edge
  let stopOrigin: () => void
  /** The requests that Varnish has passed on. */
  let seen: IncomingMessage[]
  let status = 200
  let size = 4
  let ttl = 60

  beforeAll(async () => {
    const origin = await listen((request, response) => {
      seen.push(request)
      const id = Number(/^\/s\/(\d+)\//.exec(request.url ?? '')?.[1] ?? 0)
      response.writeHead(status, { ...(id === 0 ? {} : edge.headers({ fileId: id, ttl })), 'content-length': size })
      Readable.from(zeros(size)).pipe(response)
    })
    stopOrigin = origin.stop
    varnish = await startVarnish(origin.port)
    edge = varnishEdge(varnish)
  })
  afterAll(async () => {
    await varnish.stop()
    stopOrigin()
  })
  beforeEach(() => {
    seen = []
    status = 200
    size = 4
    ttl = 60
  })

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(varnish.url, method, path, { headers: { host: 'content.localhost', ...headers } })

  it('keeps the host, and adds the address of the client', async () => {
    await get('/v1/account/me', { host: 'api.example.com:8443', 'x-forwarded-for': '192.0.2.1' })
    expect(seen[0]?.headers).toMatchObject({ host: 'api.example.com:8443', 'x-forwarded-for': '192.0.2.1, 127.0.0.1' })
  })

  it.each([
    ['another host', link(1), { host: 'api.example.com' }, 'GET'],
    ['another path', '/p/1/a', {}, 'GET'],
    ['another method', link(1), {}, 'POST'],
  ])('passes every request for %s, with its cookie and its token', async (_, path, headers, method) => {
    const secrets = { cookie: 'a=b', authorization: 'Bearer c' }
    for (let time = 0; time < 2; time++) await get(path, { ...headers, ...secrets }, method)
    expect(seen.map(({ headers }) => headers)).toMatchObject([secrets, secrets])
  })

  it('keeps one copy for all cookies, tokens, queries and spellings of the host', async () => {
    await get(link(2))
    await get(`${link(2)}?b=c`, { cookie: 'a=b', authorization: 'Bearer c', host: 'Content.LOCALHOST' })
    expect(seen).toHaveLength(1)
  })

  it('keeps one copy for all names in a link, and for all ports and the final dot of the host', async () => {
    const hosts = ['content.localhost', 'content.localhost.', 'content.localhost:1', 'content.localhost.:0080']
    for (const host of hosts)
      for (const name of ['', '1', '2?3', 'a%2Fb']) expect((await get(link(7, name), { host })).status).toBe(200)
    expect(seen).toHaveLength(1)
    await get(link(8))
    await get(link(7), { host: 'content.localhost.example' })
    expect(seen).toHaveLength(3)
  })

  it.each([
    ['a key with an encoded character', `/s/%30${'0'.repeat(20)}9/a`],
    ['a key of another length', '/s/9/a'],
    ['a further segment', `${link(9)}/b`],
    ['no name', `/s/${keyOf(9)}`],
  ])('passes %s', async (_, path) => {
    for (let time = 0; time < 2; time++) await get(path, { cookie: 'a=b' })
    expect(seen.map(({ headers }) => headers.cookie)).toEqual(['a=b', 'a=b'])
  })

  it('keeps nothing about links without a file for longer than seconds', { timeout: 60_000 }, async () => {
    status = 404
    for (let id = 1_000; id < 1_200; id++) await get(`/s/${'x'.repeat(18)}${String(id)}/a`)
    await expect.poll(() => varnish.statistic('MAIN.n_object'), { timeout: 30_000 }).toBeLessThan(150)
  })

  it('accepts the purge of a check, which drops no copy', async () => {
    await get(link(11))
    await checkVarnish(varnish)
    await get(link(11))
    expect(seen).toHaveLength(1)
  })

  it('passes ranges of files with a time to live of 0', async () => {
    ttl = 0
    for (let time = 0; time < 3; time++) await get(link(10), { range: 'bytes=0-1' })
    expect(seen.slice(1).map(({ headers }) => headers.range)).toEqual(['bytes=0-1', 'bytes=0-1'])
  })

  it('does not hold in memory what a slow client of a download has not taken', { timeout: 60_000 }, async () => {
    size = 200 * 1024 * 1024
    const socket = await openSocket(varnish.url)
    onTestFinished(() => void socket.destroy())
    socket.write('GET /v1/files/download?id=1 HTTP/1.1\r\nHost: api.example.com\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n')
    socket.pause()
    const sent = () => seen[0]?.socket.bytesWritten ?? 0
    let earlier = 0
    const isStalled = () => {
      const now = sent()
      const hasStopped = now > 0 && now === earlier
      earlier = now
      return hasStopped
    }
    await expect.poll(isStalled, { interval: 500, timeout: 30_000 }).toBe(true)
    // What the buffers of the sockets hold.
    expect(sent()).toBeLessThan(32 * 1024 * 1024)
    expect(seen[0]?.headers).toMatchObject({ host: 'api.example.com', 'x-forwarded-for': '192.0.2.1, 127.0.0.1' })
  })

  it('passes only one request of a connection on without a check, with the address of its client', async () => {
    const download = 'GET /v1/files/download?id=1 HTTP/1.1\r\nHost: api.example.com\r\n\r\n'
    const forged = 'GET /v1/account/me HTTP/1.1\r\nHost: api.example.com\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n'
    await sendBytes(varnish.url, download + forged)
    await sendBytes(varnish.url, download, forged)
    expect(seen).toHaveLength(2)
    for (const { url, headers } of seen) {
      expect(url).toBe('/v1/files/download?id=1')
      expect(headers).toMatchObject({ connection: 'close', 'x-forwarded-for': '127.0.0.1' })
    }
  })

  it(
    'large files arrive whole, while the cache is full of small ones and while others are fetched',
    { timeout: 60_000 },
    async () => {
      size = 100_000
      for (let id = 2_000; id < 2_800; id++) await get(link(id))
      for (const mebibytes of [14, 40]) {
        size = mebibytes * 1024 * 1024
        const lengths = [20, 21, 22].map(async (id) => (await get(link(id + mebibytes))).text.length)
        expect(await Promise.all(lengths)).toEqual([size, size, size])
      }
    },
  )

  it('keeps no errors', async () => {
    status = 502
    expect((await get(link(3))).status).toBe(502)
    status = 200
    expect((await get(link(3))).status).toBe(200)
  })

  it('fetches the other files in the slot of a purged file again', async () => {
    const paths = [link(4), link(260), link(5)]
    for (const path of paths) await get(path)
    await edge.purge([4])
    for (const path of paths) await get(path)
    expect(seen.slice(3).map(({ url }) => url)).toEqual([link(4), link(260)])
  })

  it('passes ranges of files over 16 MiB', async () => {
    size = 16 * 1024 * 1024 + 1
    await get(link(6), {}, 'HEAD')
    size = 4
    await get(link(6), { range: 'bytes=0-1' })
    expect(seen[1]?.headers.range).toBe('bytes=0-1')
  })

  it('refuses a purge from outside that a proxy on the same machine passes on', async () => {
    const purge = { 'xkey-purge': 'file-1', 'svc-slot': '1', 'svc-purge': '0'.repeat(36) }
    expect((await get('/', { ...purge, 'x-forwarded-for': '192.0.2.1' }, 'PURGE')).status).toBe(403)
    expect((await get('/', purge, 'PURGE')).status).toBe(200)
    expect((await get('/', { ...purge, 'svc-slot': 'x' }, 'PURGE')).status).toBe(400)
    expect(seen).toEqual([])
  })
})

function* zeros(size: number): Generator<Buffer> {
  const chunk = Buffer.alloc(1024 * 1024)
  for (let sent = 0; sent < size; sent += chunk.length) yield chunk.subarray(0, size - sent)
}

describe('a purge that is not confirmed fails', () => {
  const failure = async (port: number) => {
    const error: unknown = await varnishEdge({ url: `http://127.0.0.1:${String(port)}` })
      .purge([1])
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(EdgeError)
    return (error as EdgeError).message
  }
  const unreached = 'Varnish did not confirm the purge: it cannot be reached, or its answer is late.'

  it('a purge fails when no server listens', async () => {
    expect(await failure(await freePort())).toBe(unreached)
  })

  it('a purge fails when the answer takes longer than two seconds', async () => {
    const { port, stop } = await listen(() => undefined)
    const from = performance.now()
    expect(await failure(port)).toBe(unreached)
    expect(performance.now() - from).toBeLessThan(3_000)
    stop()
  })

  it.each([
    [200, 'the page of another server'],
    [405, ''],
  ])('a purge fails when the answer is %i from a server with another VCL', async (status, text) => {
    const { port, stop } = await listen((_request, response) => response.writeHead(status).end(text))
    expect(await failure(port)).toBe(`Varnish did not confirm the purge: it answered ${String(status)}.`)
    stop()
  })

  it('a purge of no files needs no Varnish', async () => {
    await varnishEdge({ url: 'http://127.0.0.1:9' }).purge([])
  })
})
