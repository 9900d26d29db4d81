import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createGzip, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { boundedFetch, type BoundedRequest } from './bounded-fetch.js'

/** A server that answers each request with the bytes that the test writes. */
let server: Server
let url: string
let respond: (socket: Socket, request: string) => void
let requests: string[]
let sockets: Socket[]

beforeEach(async () => {
  requests = []
  sockets = []
  server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      requests.push(data.toString())
      respond(socket, data.toString())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

const limits: BoundedRequest = { deadlineMs: 5000, maxBytes: 1000, redirects: 'error' }
const head = (...fields: string[]) => ['HTTP/1.1 200 OK', ...fields, '', ''].join('\r\n')
const connectionClosed = () =>
  new Promise<void>((resolve) => {
    sockets[0]?.once('close', () => {
      resolve()
    })
    if (sockets[0]?.closed) resolve()
  })

/** Writes chunks until the client closes the connection. */
function flood(socket: Socket, chunk: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(chunk), everyMs)
  socket.once('close', () => {
    clearInterval(timer)
  })
}

it('returns status and text of an answer as long as the limit, and sends the request unchanged', async () => {
  respond = (socket) => socket.end(`HTTP/1.1 422 No\r\nContent-Length: 1000\r\n\r\n${'é'.repeat(500)}`)
  const answer = await boundedFetch(url, { ...limits, method: 'PATCH', headers: { 'x-api-key': 'k' }, body: '{"a":1}' })
  expect(answer).toEqual({ status: 422, text: 'é'.repeat(500) })
  expect(requests[0]).toMatch(/^PATCH \/ HTTP\/1\.1\r\n[^]*x-api-key: k\r\n[^]*\{"a":1\}$/i)
})

it('returns an empty text for an answer without a body', async () => {
  respond = (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n')
  expect(await boundedFetch(url, limits)).toEqual({ status: 204, text: '' })
})

it.each<[string, (socket: Socket) => unknown]>([
  ['no answer', () => undefined],
  [
    'headers that never end',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      flood(socket, 'X: y\r\n', 20)
    },
  ],
  ['a body that never starts', (socket) => socket.write(head('Content-Length: 10'))],
  [
    'a slow body',
    (socket) => {
      socket.write(head('Content-Length: 1000'))
      flood(socket, '.', 20)
    },
  ],
])('rejects at the deadline for %s, and closes the connection', async (_, behaviour) => {
  respond = behaviour
  const start = performance.now()
  await expect(boundedFetch(url, { ...limits, deadlineMs: 200.5 })).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(performance.now() - start).toBeLessThan(2000)
  await connectionClosed()
})

it.each<[string, (socket: Socket) => unknown]>([
  ['with an honest Content-Length', (socket) => socket.end(head('Content-Length: 1001') + 'x'.repeat(1001))],
  ['chunked', (socket) => socket.end(`${head('Transfer-Encoding: chunked')}3e9\r\n${'x'.repeat(1001)}\r\n0\r\n\r\n`)],
  ['ended by the end of the connection', (socket) => socket.end(head('Connection: close') + 'x'.repeat(1001))],
  ['compressed to a small gzip', (socket) => socket.end(Buffer.concat([packed('gzip'), gzipSync(Buffer.alloc(1001))]))],
  [
    'compressed twice',
    (socket) => socket.end(Buffer.concat([packed('gzip, gzip'), gzipSync(gzipSync(Buffer.alloc(1e6)))])),
  ],
])('rejects a body that is too long: %s', async (_, behaviour) => {
  respond = behaviour
  await expect(boundedFetch(url, limits)).rejects.toThrow(new RangeError('The answer is longer than 1000 bytes.'))
})

const packed = (encoding: string) => Buffer.from(head('Connection: close', `Content-Encoding: ${encoding}`))

it('closes the connection of an endless body at the limit', async () => {
  respond = (socket) => {
    socket.write(head('Connection: close'))
    flood(socket, 'x'.repeat(100), 1)
  }
  await expect(boundedFetch(url, limits)).rejects.toThrow(RangeError)
  await connectionClosed()
  expect(sockets[0]?.bytesWritten).toBeLessThan(100_000)
})

it('stops decompressing an endless gzip at the limit', async () => {
  respond = (socket) => {
    socket.write(packed('gzip'))
    const bomb = createGzip({ level: 1 })
    bomb.pipe(socket)
    const write = () => {
      while (!socket.destroyed && bomb.write(Buffer.alloc(65_536)));
    }
    bomb.on('drain', write)
    write()
  }
  await expect(boundedFetch(url, limits)).rejects.toThrow(RangeError)
  await connectionClosed()
})

it.each<[string, (socket: Socket) => unknown]>([
  ['a reset before the answer', (socket) => socket.resetAndDestroy()],
  [
    'a reset in the middle of the body',
    (socket) => {
      socket.write(head('Content-Length: 10') + 'half')
      setTimeout(() => socket.resetAndDestroy(), 50)
    },
  ],
  ['a body shorter than its Content-Length', (socket) => socket.end(head('Content-Length: 10') + 'half')],
  ['chunks without the last one', (socket) => socket.end(`${head('Transfer-Encoding: chunked')}4\r\nhalf\r\n`)],
  [
    'a gzip shorter than its Content-Length',
    (socket) => {
      const whole = gzipSync('whole')
      const fields = head('Content-Encoding: gzip', `Content-Length: ${whole.length}`)
      socket.end(Buffer.concat([Buffer.from(fields), whole.subarray(0, -10)]))
    },
  ],
  ['bytes that are not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n')],
])('rejects %s', async (_, behaviour) => {
  respond = behaviour
  await expect(boundedFetch(url, limits)).rejects.toThrow(TypeError)
})

it('ignores bytes after the end that a too small Content-Length declares', async () => {
  respond = (socket) => socket.end(`${head('Content-Length: 4', 'Connection: close')}half of it`)
  expect(await boundedFetch(url, limits)).toEqual({ status: 200, text: 'half' })
})

const redirect = (location: string) =>
  `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`

it('rejects a redirect, and sends nothing to its target', async () => {
  respond = (socket) => socket.end(redirect(`${url}/target`))
  await expect(boundedFetch(url, limits)).rejects.toMatchObject({ cause: { message: 'unexpected redirect' } })
  expect(requests).toHaveLength(1)
})

it('follows a redirect if that is allowed', async () => {
  respond = (socket, request) =>
    socket.end(request.startsWith('GET /target') ? `${head('Content-Length: 2')}ok` : redirect('/target'))
  expect(await boundedFetch(url, { ...limits, redirects: 'follow' })).toEqual({ status: 200, text: 'ok' })
})

it('rejects a loop of redirects, and applies one deadline to all of them', async () => {
  respond = (socket) => socket.end(redirect('/loop'))
  await expect(boundedFetch(url, { ...limits, redirects: 'follow' })).rejects.toThrow(TypeError)
  expect(requests).toHaveLength(21)
  respond = (socket) => setTimeout(() => socket.end(redirect('/loop')), 100)
  const slow = boundedFetch(url, { ...limits, redirects: 'follow', deadlineMs: 350 })
  await expect(slow).rejects.toMatchObject({ name: 'TimeoutError' })
})
