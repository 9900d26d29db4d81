import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardedFetch, type GuardedFetch } from '../bounded-fetch.js'
import { guardedConnections, type GuardOptions } from './guarded-connections.js'

const bodies: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync('hello'),
  deflate: deflateSync('hello'),
  br: brotliCompressSync('hello'),
}

let server: Server
let port: string
let requests: string[]
beforeAll(async () => {
  requests = []
  server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const [, to] = /^\/to\/(.*)$/.exec(request.url ?? '') ?? []
    const [, hops] = /^\/hops\/(\d)$/.exec(request.url ?? '') ?? []
    const [, encoding = '', part] = /^\/in\/(\w+)\/(\w+)$/.exec(request.url ?? '') ?? []
    const body = bodies[encoding]
    if (body !== undefined && part !== 'empty')
      response.writeHead(200, { 'content-encoding': encoding }).end(body.subarray(0, part === 'half' ? -5 : undefined))
    else if (encoding !== '') response.writeHead(404, { 'content-encoding': encoding }).end()
    else if (to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) }).end('moved')
    else if (hops !== undefined && hops !== '0')
      response.writeHead(307, { location: `/hops/${String(Number(hops) - 1)}` }).end()
    else response.end('hello')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = String((server.address() as AddressInfo).port)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const guarded = (options: Partial<GuardOptions> = {}) =>
  guardedConnections({ allowed: [], addressesOf: () => Promise.resolve(['127.0.0.1']), ...options })

const fetchGuarded = (url: string, options: Partial<GuardOptions> = {}, request: Partial<GuardedFetch> = {}) =>
  guardedFetch(url.replace('PORT', port), {
    deadlineMs: 5000,
    maxBytes: 1000,
    accept: '*/*',
    connections: guarded(options),
    ...request,
  })

const loopback = { allowed: ['127.0.0.1/32'] }
const trusted = (path = '') => ({ trustedUrl: `http://127.0.0.1:${port}/${path}` })
const isRefused = { name: 'TargetError' }

describe('guarded requests', () => {
  it.each(['http://127.0.0.1:PORT/', 'http://localhost:PORT/', 'http://registry.example:PORT/', 'http://[::1]:PORT/'])(
    '%s is refused before a connection',
    async (url) => {
      await expect(fetchGuarded(url)).rejects.toMatchObject(isRefused)
      expect(requests).toEqual([])
    },
  )

  it('a network that the operator allows can be reached', async () => {
    expect(await fetchGuarded('http://registry.example:PORT/', loopback)).toEqual({ status: 200, text: 'hello' })
  })

  it('a server that the operator has named can be reached, but not another port or name of it', async () => {
    expect(await fetchGuarded('http://127.0.0.1:PORT/', trusted())).toMatchObject({ text: 'hello' })
    await expect(fetchGuarded('http://127.0.0.1:9999/', trusted())).rejects.toMatchObject(isRefused)
    await expect(fetchGuarded('http://registry.example:PORT/', trusted())).rejects.toMatchObject(isRefused)
  })

  it('other paths of a server that the operator has named cannot be reached', async () => {
    expect(await fetchGuarded('http://127.0.0.1:PORT/rdap/domain', trusted('rdap/'))).toMatchObject({ text: 'hello' })
    for (const path of ['', 'rdapx', 'admin/', 'rdap/../admin', 'rdap/%2e%2e/admin'])
      await expect(fetchGuarded(`http://127.0.0.1:PORT/${path}`, trusted('rdap/')), path).rejects.toMatchObject(
        isRefused,
      )
  })

  it('each redirect is checked', async () => {
    const to = encodeURIComponent(`http://registry.example:${port}/`)
    await expect(fetchGuarded(`http://127.0.0.1:PORT/to/${to}`, trusted())).rejects.toMatchObject(isRefused)
    expect(await fetchGuarded(`http://127.0.0.1:PORT/to/${to}`, loopback)).toMatchObject({ text: 'hello' })
  })

  it('follows three redirects', async () => {
    expect(await fetchGuarded('http://127.0.0.1:PORT/hops/3', loopback)).toMatchObject({ text: 'hello' })
    await expect(fetchGuarded('http://127.0.0.1:PORT/hops/4', loopback)).rejects.toThrow('redirects too often')
  })

  it.each(['file:///etc/passwd', 'data:,hello', 'ftp://127.0.0.1/'])('a redirect to %s is an error', async (to) => {
    await expect(fetchGuarded(`http://127.0.0.1:PORT/to/${encodeURIComponent(to)}`, loopback)).rejects.toThrow(
      /^Protocol ".*" not supported/,
    )
  })

  it.each(Object.keys(bodies))('decompresses %s up to the limit', async (encoding) => {
    const path = `http://127.0.0.1:PORT/in/${encoding}`
    expect(await fetchGuarded(`${path}/whole`, loopback)).toEqual({ status: 200, text: 'hello' })
    await expect(fetchGuarded(`${path}/whole`, loopback, { maxBytes: 4 })).rejects.toThrow(RangeError)
    await expect(fetchGuarded(`${path}/half`, loopback)).rejects.toThrow('unexpected end of file')
  })

  it('accepts an error with a Content-Encoding and no body', async () => {
    const answer = await fetchGuarded('http://127.0.0.1:PORT/in/gzip/empty', loopback)
    expect(answer).toEqual({ status: 404, text: '' })
  })

  it('limits size and time', async () => {
    await expect(fetchGuarded('http://127.0.0.1:PORT/', loopback, { maxBytes: 4 })).rejects.toThrow(RangeError)
    const slow = { ...loopback, addressesOf: () => new Promise<never>(() => undefined) }
    await expect(fetchGuarded('http://slow.example/', slow, { deadlineMs: 50 })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })

  it('guarded requests can be stopped', async () => {
    const stop = AbortSignal.abort(new Error('stopped'))
    await expect(fetchGuarded('http://127.0.0.1:PORT/', loopback, { stop })).rejects.toThrow('stopped')
  })
})

describe('the look-up for node:net', () => {
  const connected = (options: Partial<GuardOptions>) =>
    new Promise<void>((resolve, reject) => {
      const { lookup } = guarded(options)
      const socket = connect({ host: 'registry.example', port: Number(port), lookup, autoSelectFamily: true })
      socket.on('error', reject)
      socket.on('connect', () => {
        socket.destroy()
        resolve()
      })
    })

  it('connects to addresses that can be reached', async () => {
    await expect(connected(loopback)).resolves.toBeUndefined()
  })

  it.each([
    ['a private address', ['127.0.0.1']],
    ['a private address among others', ['8.8.8.8', '10.0.0.1']],
    ['too many addresses', Array.from({ length: 17 }, (_, n) => `8.8.8.${String(n)}`)],
  ])('refuses %s', async (_, addresses) => {
    await expect(connected({ addressesOf: () => Promise.resolve(addresses) })).rejects.toMatchObject({
      name: 'TargetError',
    })
  })
})
