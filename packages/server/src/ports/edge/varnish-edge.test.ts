import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { send } from '../../../test/raw-http.js'
import { freePort, startVarnish, type Varnish } from '../../../../../test/servers/index.js'
import { edgeConformance } from './conformance.js'
import { EdgeError, type Edge } from './port.js'
import { varnishEdge } from './varnish-edge.js'

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

describe('default.vcl', () => {
  let varnish: Varnish
  let edge: Edge
  let stopOrigin: () => void
  /** The requests that Varnish has passed on. */
  let seen: IncomingMessage[]
  let status = 200
  let size = 4

  beforeAll(async () => {
    const origin = await listen((request, response) => {
      seen.push(request)
      const id = Number(/^\/s\/(\d+)\//.exec(request.url ?? '')?.[1] ?? 0)
      response.writeHead(status, { ...(id === 0 ? {} : edge.headers({ fileId: id, ttl: 60 })), 'content-length': size })
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
  })

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(varnish.url, method, path, { headers: { host: 'content.localhost', ...headers } })

  it('keeps the host, and adds the address of the client', async () => {
    await get('/v1/account/me', { host: 'api.example.com:8443', 'x-forwarded-for': '192.0.2.1' })
    expect(seen[0]?.headers).toMatchObject({ host: 'api.example.com:8443', 'x-forwarded-for': '192.0.2.1, 127.0.0.1' })
  })

  it.each([
    ['another host', '/s/1/a', { host: 'api.example.com' }, 'GET'],
    ['another path', '/p/1/a', {}, 'GET'],
    ['another method', '/s/1/a', {}, 'POST'],
  ])('passes every request for %s, with its cookie and its token', async (_, path, headers, method) => {
    const secrets = { cookie: 'a=b', authorization: 'Bearer c' }
    for (let time = 0; time < 2; time++) await get(path, { ...headers, ...secrets }, method)
    expect(seen.map(({ headers }) => headers)).toMatchObject([secrets, secrets])
  })

  it('keeps one copy for all cookies, tokens, queries and spellings of the host', async () => {
    await get('/s/2/a')
    await get('/s/2/a?b=c', { cookie: 'a=b', authorization: 'Bearer c', host: 'Content.LOCALHOST' })
    expect(seen).toHaveLength(1)
  })

  it('keeps no errors', async () => {
    status = 502
    expect((await get('/s/3/a')).status).toBe(502)
    status = 200
    expect((await get('/s/3/a')).status).toBe(200)
  })

  it('fetches the other files in the slot of a purged file again', async () => {
    const paths = ['/s/4/a', '/s/260/a', '/s/5/a']
    for (const path of paths) await get(path)
    await edge.purge([4])
    for (const path of paths) await get(path)
    expect(seen.slice(3).map(({ url }) => url)).toEqual(['/s/4/a', '/s/260/a'])
  })

  it('a purge of 100,000 files drops them within its deadline', async () => {
    await get('/s/77777/a')
    await edge.purge(Array.from({ length: 100_000 }, (_, index) => index))
    await get('/s/77777/a')
    expect(seen).toHaveLength(2)
  })

  it('passes ranges of files over 256 MiB', async () => {
    size = 256 * 1024 * 1024 + 1
    await get('/s/6/a', {}, 'HEAD')
    size = 4
    await get('/s/6/a', { range: 'bytes=0-1' })
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

  it('when no server listens', async () => {
    expect(await failure(await freePort())).toBe(unreached)
  })

  it('when the answer takes longer than two seconds', async () => {
    const { port, stop } = await listen(() => undefined)
    const from = performance.now()
    expect(await failure(port)).toBe(unreached)
    expect(performance.now() - from).toBeLessThan(3_000)
    stop()
  })

  it.each([
    [200, 'the page of another server'],
    [405, ''],
  ])('when the answer is %i from a server with another VCL', async (status, text) => {
    const { port, stop } = await listen((_request, response) => response.writeHead(status).end(text))
    expect(await failure(port)).toBe(`Varnish did not confirm the purge: it answered ${String(status)}.`)
    stop()
  })

  it('needs no Varnish for no files', async () => {
    await varnishEdge({ url: 'http://127.0.0.1:9' }).purge([])
  })
})
