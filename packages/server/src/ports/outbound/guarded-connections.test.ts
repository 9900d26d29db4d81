import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boundedFetch, type BoundedRequest } from '../bounded-fetch.js'
import { guardedConnections, type GuardOptions } from './guarded-connections.js'

let server: Server
let port: string
let requests: string[]
beforeAll(async () => {
  requests = []
  server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const [, to] = /^\/to\/(.*)$/.exec(request.url ?? '') ?? []
    const [, hops] = /^\/hops\/(\d)$/.exec(request.url ?? '') ?? []
    if (to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) }).end('moved')
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
  guardedConnections({
    ...{ allowed: [], deadlineMs: 5000, addressesOf: () => Promise.resolve(['127.0.0.1']), ...options },
  })

const fetchGuarded = (url: string, options: Partial<GuardOptions> = {}, request: Partial<BoundedRequest> = {}) =>
  boundedFetch(url.replace('PORT', port), {
    ...{ deadlineMs: 5000, maxBytes: 1000, redirects: 'follow', addresses: guarded(options).connector, ...request },
  })

const loopback = { allowed: ['127.0.0.1/32'] }
const trusted = () => ({ trusted: [`127.0.0.1:${port}`] })
const isRefused = { cause: { name: 'TargetError' } }

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

  it('each redirect is checked', async () => {
    const to = encodeURIComponent(`http://registry.example:${port}/`)
    await expect(fetchGuarded(`http://127.0.0.1:PORT/to/${to}`, trusted())).rejects.toMatchObject(isRefused)
    expect(await fetchGuarded(`http://127.0.0.1:PORT/to/${to}`, loopback)).toMatchObject({ text: 'hello' })
  })

  it('follows three redirects', async () => {
    expect(await fetchGuarded('http://127.0.0.1:PORT/hops/3', loopback)).toMatchObject({ text: 'hello' })
    await expect(fetchGuarded('http://127.0.0.1:PORT/hops/4', loopback)).rejects.toThrow('redirects too often')
    await expect(fetchGuarded('http://127.0.0.1:PORT/hops/1', loopback, { redirects: 'error' })).rejects.toThrow(
      'redirects too often',
    )
  })

  it.each(['file:///etc/passwd', 'data:,hello', 'ftp://127.0.0.1/'])('a redirect to %s is an error', async (to) => {
    await expect(fetchGuarded(`http://127.0.0.1:PORT/to/${encodeURIComponent(to)}`, loopback)).rejects.toThrow(
      'redirects to another protocol',
    )
  })

  it('limits size and time', async () => {
    await expect(fetchGuarded('http://127.0.0.1:PORT/', loopback, { maxBytes: 4 })).rejects.toThrow(RangeError)
    const slow = { ...loopback, addressesOf: () => new Promise<never>(() => undefined) }
    await expect(fetchGuarded('http://slow.example/', slow, { deadlineMs: 50 })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })

  it('can be stopped', async () => {
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
