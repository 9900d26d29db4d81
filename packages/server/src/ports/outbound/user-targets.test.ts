import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TargetError, type TargetRequest } from './port.js'
import { userTargets } from './user-targets.js'

/** A server that answers each request with the bytes that the test writes. It listens on one address of the loopback network. */
let server: Server
let port: number
let respond: (socket: Socket, request: string) => void
let requests: string[]
let sockets: Set<Socket>
const closed = () => expect.poll(() => sockets.size, { timeout: 10_000 }).toBe(0)

beforeEach(async () => {
  requests = []
  sockets = new Set()
  respond = (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n')
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    socket.once('data', (data) => {
      requests.push(data.toString('latin1'))
      respond(socket, data.toString('latin1'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

const request: TargetRequest = {
  method: 'POST',
  headers: [],
  body: Buffer.from('hello'),
  signal: new AbortController().signal,
}

/** The server's address is reachable, the rest of the loopback network is not. */
const options = { allowed: ['127.0.0.2/32'], deadlineMs: 5_000 }
const targets = userTargets(options)
const url = () => `http://127.0.0.2:${String(port)}/hook?a=1`

it('sends method, headers and bytes unchanged, and returns the status', async () => {
  const body = Buffer.from([0, 255, 13, 10, 128])
  const headers = ['X-Event', 'push', 'x-event', 'again', 'Accept', '*/*', 'X-Latin', 'caf\u00e9']
  expect(await targets.send(url(), { ...request, method: 'PROPFIND', headers, body })).toMatchObject({ status: 204 })
  const [head = '', rest] = requests[0]?.split('\r\n\r\n') ?? []
  expect(head.split('\r\n')).toEqual([
    'PROPFIND /hook?a=1 HTTP/1.1',
    `Host: 127.0.0.2:${String(port)}`,
    'X-Event: push',
    'x-event: again',
    'Accept: */*',
    'X-Latin: caf\u00e9',
    'Content-Length: 5',
    'Connection: close',
  ])
  expect(rest).toBe(body.toString('latin1'))
  await closed()
})

it('sends a body with GET', async () => {
  expect(await targets.send(url(), { ...request, method: 'GET' })).toMatchObject({ status: 204 })
  expect(requests[0]).toMatch(/^GET [^]*hello$/)
})

it('sends a target with a query of 10,000 characters', async () => {
  const long = `${url()}&b=${'x'.repeat(10_000)}`
  expect(await targets.send(long, request)).toMatchObject({ status: 204 })
  expect(requests[0]).toContain('x'.repeat(10_000))
})

it('returns Retry-After as it came', async () => {
  respond = (socket) => socket.write('HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n')
  expect(await targets.send(url(), request)).toEqual({ status: 429, retryAfter: '7', bodyStart: Buffer.alloc(0) })
})

it.each<[string, string[], string]>([
  ['a short body', ['a', 'b'], 'ab'],
  ['a long body', ['x'.repeat(700), 'y'.repeat(700), 'z'], 'x'.repeat(700) + 'y'.repeat(324)],
])('returns the first 1024 bytes of %s', async (_, chunks, start) => {
  const length = chunks.join('').length
  respond = (socket) => {
    socket.write(`HTTP/1.1 500 Failed\r\nContent-Length: ${String(length)}\r\n\r\n`)
    for (const chunk of chunks) socket.write(chunk)
  }
  const { bodyStart } = await targets.send(url(), request)
  expect(bodyStart.toString()).toBe(start)
})

it('follows no redirect', async () => {
  respond = (socket) => socket.write(`HTTP/1.1 307 Moved\r\nLocation: ${url()}\r\nContent-Length: 0\r\n\r\n`)
  expect(await targets.send(url(), request)).toMatchObject({ status: 307 })
  expect(requests).toHaveLength(1)
  await closed()
})

describe('the addresses of a name', () => {
  const named = (...replies: readonly (readonly string[])[]) => {
    let lookUps = 0
    const byName = userTargets({
      ...options,
      addressesOf: (name) => {
        expect(name).toBe('hooks.example.com')
        lookUps += 1
        return Promise.resolve(replies[lookUps - 1] ?? [])
      },
    })
    return { send: () => byName.send(`http://hooks.example.com:${String(port)}/`, request), lookUps: () => lookUps }
  }
  const refused = new TargetError(
    'The target must not lead to a private or special address (the operator can allow it: SVC_OUTBOUND_ALLOW).',
  )

  it('a name is connected to at the addresses that were checked', async () => {
    const { send, lookUps } = named(['127.0.0.2'], ['127.0.0.1'])
    expect(await send()).toMatchObject({ status: 204 })
    expect(lookUps()).toBe(1)
    expect(requests[0]).toContain(`Host: hooks.example.com:${String(port)}`)
    // The name leads to another address now.
    await expect(send()).rejects.toThrow(refused)
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['a private address', ['10.0.0.1']],
    ['a reachable and a private address', ['127.0.0.2', '127.0.0.1']],
    ['a private address in another form', ['::ffff:127.0.0.1']],
    ['NAT64 of a private address', ['127.0.0.2', '64:ff9b::7f00:1']],
  ])('a name is refused without a connection if it leads to %s', async (_, addresses) => {
    await expect(named(addresses).send()).rejects.toThrow(refused)
    expect(requests).toEqual([])
  })

  it('the next address of a name is used if one refuses the connection', async () => {
    const second = userTargets({
      ...options,
      allowed: ['127.0.0.2/31'],
      addressesOf: () => Promise.resolve(['127.0.0.3', '127.0.0.2']),
    })
    expect(await second.send(`http://hooks.example.com:${String(port)}/`, request)).toMatchObject({ status: 204 })
  })

  it('a name with more than sixteen addresses is refused', async () => {
    const many = Array.from({ length: 17 }, () => '127.0.0.2')
    expect(await named(many.slice(1)).send()).toMatchObject({ status: 204 })
    const tooMany = new TargetError('The name of the target has more than 16 addresses.')
    await expect(named(many).send()).rejects.toThrow(tooMany)
    expect(requests).toHaveLength(1)
  })

  it('a name without addresses is refused', async () => {
    await expect(targets.send('http://no-such-name.invalid/', request)).rejects.toThrow(TargetError)
  })
})

it.each(['http://127.0.0.1/', 'http://0x7f.1/', 'http://[::ffff:7f00:1]/', 'ftp://127.0.0.2/', 'http://127.0.0.2:25/'])(
  'sends nothing to %s',
  async (target) => {
    await expect(targets.send(target, request)).rejects.toThrow(/^The target must /)
  },
)

/** Writes the start once, and chunks until the client closes the connection. */
function flood(socket: Socket, chunk: string, everyMs: number, start = ''): void {
  socket.write(start)
  const timer = setInterval(() => socket.write(chunk), everyMs)
  socket.once('close', () => {
    clearInterval(timer)
  })
}
const head = (...fields: string[]) => ['HTTP/1.1 200 OK', ...fields, '', ''].join('\r\n')

it.each<[string, (socket: Socket) => unknown]>([
  ['no answer', () => undefined],
  ['headers that never end', (socket) => flood(socket, 'X: y\r\n', 20, 'HTTP/1.1 200 OK\r\n')],
  ['informational answers only', (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 20)],
])('fails at the deadline for %s, and closes the connection', async (_, behaviour) => {
  respond = behaviour
  const soon = userTargets({ ...options, deadlineMs: 300 })
  await expect(soon.send(url(), request)).rejects.toThrow(
    new TargetError('The target has not answered within 0.3 seconds.'),
  )
  await closed()
})

it.each<[string, (socket: Socket) => unknown]>([
  ['a body that never starts', (socket) => socket.write(head('Content-Length: 10'))],
  ['a slow body', (socket) => flood(socket, '.', 20, head('Content-Length: 1000'))],
  ['a reset in the body', (socket) => socket.write(head('Content-Length: 9') + 'x', () => socket.resetAndDestroy())],
  ['an endless body', (socket) => flood(socket, 'x'.repeat(10_000), 1, head())],
  ['a long body', (socket) => socket.write(head('Content-Length: 9000000') + 'x'.repeat(9_000_000))],
])('returns the status, and closes the connection, for %s', async (_, behaviour) => {
  respond = behaviour
  expect(await userTargets({ ...options, deadlineMs: 500 }).send(url(), request)).toMatchObject({ status: 200 })
  await closed()
})

it.each<[string, (socket: Socket) => unknown, string]>([
  ['a reset', (socket) => socket.resetAndDestroy(), 'The target closed the connection without an answer.'],
  ['an end', (socket) => socket.end(), 'The target closed the connection without an answer.'],
  ['another protocol', (socket) => socket.end('220 mail ESMTP\r\n'), 'The answer of the target is not HTTP.'],
  [
    'a switch of protocols',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    'The request to the target failed.',
  ],
  [
    'endless headers',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(10_000)}`),
    'The headers of the answer are too long.',
  ],
])('says why there is no status: %s', async (_, behaviour, reason) => {
  respond = behaviour
  await expect(targets.send(url(), request)).rejects.toThrow(new TargetError(reason))
  await closed()
})

it('says that a target is down', async () => {
  const free = port
  await new Promise((resolve) => server.close(resolve))
  await expect(targets.send(`http://127.0.0.2:${String(free)}/`, request)).rejects.toThrow(
    new TargetError('The target refused the connection.'),
  )
})

it('ends at once when the request is stopped', async () => {
  const stop = new AbortController()
  respond = () => {
    stop.abort()
  }
  await expect(targets.send(url(), { ...request, signal: stop.signal })).rejects.toThrow('The request was stopped.')
  await expect(targets.send(url(), { ...request, signal: stop.signal })).rejects.toThrow('The request was stopped.')
  expect(requests).toHaveLength(1)
  await closed()
})
