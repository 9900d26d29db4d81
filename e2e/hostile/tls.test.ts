import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, type Place } from '../../packages/cli/test/svc.js'
import { readToEnd } from '../../packages/server/test/raw-http.js'
import { tlsClient, type TlsClient } from '../../packages/server/test/tls-client.js'
import { clientHello } from '../../test/servers/client-hello.js'
import { guardLoop, gapMaxMs, type LoopGuard } from './loop-guard.js'
import { isLong, random } from './random.js'
import { serveTls, type TlsServing } from './tls-server.js'

/** Clients that misuse the handshake neither stop nor delay the server. */

let place: Place & AsyncDisposable
let server: TlsServing & AsyncDisposable
let client: TlsClient
let guard: LoopGuard
let port: number
let hello: Buffer
beforeAll(async () => {
  place = await emptyPlace()
  // Connections of one test may still be open in the next one.
  server = await serveTls(place, '--connections-max', '10000')
  port = Number(new URL(server.tlsUrl).port)
  client = tlsClient(port, server.ca)
  guard = await guardLoop(server.url, server.child.pid)
  hello = await clientHello()
})
afterAll(async () => {
  await guard[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

async function dial(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function expectAlive(): Promise<void> {
  expect((await client.get('localhost', '/readyz')).status).toBe(200)
  expect(server.child.exitCode).toBe(null)
}

describe('a client that resets its connection', () => {
  it('at any point of the first message and after it does not stop the server', async () => {
    const { integer } = random('reset of a handshake')
    for (let round = 0; round < (isLong ? 2_000 : 200); round++) {
      const socket = await dial()
      socket.write(hello.subarray(0, integer(0, hello.length + 200)))
      if (round % 2 === 0) await sleep(integer(0, 4))
      socket.resetAndDestroy()
    }
    await expectAlive()
  })

  it('at any point of the second message does not stop the server', async () => {
    const { integer } = random('reset of a second message')
    for (let round = 0; round < (isLong ? 500 : 50); round++) {
      const socket = await dial()
      const secure = connectTls({ socket, servername: 'localhost', rejectUnauthorized: false })
      secure.on('error', () => secure.destroy())
      await sleep(integer(0, 8))
      socket.resetAndDestroy()
    }
    await expectAlive()
  })
})

describe('a client that sends', () => {
  it.each<[string, () => Buffer]>([
    ['random bytes', () => Buffer.from(Array.from({ length: 1_000 }, (_, at) => (at * 7) % 256))],
    ['garbage before its first message', () => Buffer.concat([Buffer.from('garbage'), hello])],
    ['a record that announces 64 kB', () => Buffer.from([22, 3, 1, 0xff, 0xff])],
    [
      'a first message of 100 kB',
      () => Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0, 1, 1, 0x86, 0xa0]), Buffer.alloc(16_380)]),
    ],
    [
      'a record for each byte',
      () => Buffer.concat([...hello.subarray(5)].map((byte) => Buffer.from([22, 3, 1, 0, 1, byte]))),
    ],
    ['garbage after its first message', () => Buffer.concat([hello, Buffer.alloc(50_000, 'x')])],
    ['two first messages', () => Buffer.concat([hello, hello])],
  ])('%s is closed at once, and the server goes on', async (_, bytes) => {
    const socket = await dial()
    socket.write(bytes())
    const from = performance.now()
    await readToEnd(socket)
    expect(performance.now() - from).toBeLessThan(5_000)
    await expectAlive()
  })

  it('garbage after the handshake is closed, and the server goes on', async () => {
    const socket = await dial()
    const secure = connectTls({ socket, servername: 'localhost', rejectUnauthorized: false })
    secure.on('error', () => secure.destroy())
    await once(secure, 'secureConnect')
    // Below TLS. Not documented.
    const { _handle: below } = socket as Socket & { _handle: { writeLatin1String: (...args: unknown[]) => number } }
    below.writeLatin1String({}, 'x'.repeat(1_000))
    await new Promise<void>((resolve) => secure.resume().once('close', () => resolve()))
    await expectAlive()
  })
})

it('refuses a renegotiation of TLS 1.2, and the connection ends or goes on', async () => {
  const secure = await client.open('localhost', { maxVersion: 'TLSv1.2' })
  const refused = new Promise<unknown>((resolve) => {
    secure.once('error', resolve)
    secure.renegotiate({}, resolve)
    setTimeout(() => resolve('ignored'), 3_000)
  })
  expect(await refused).not.toBe(null)
  secure.destroy()
  await expectAlive()
})

it('closes a connection whose client stops in the handshake after ten seconds', async () => {
  const sockets = await Promise.all([dial(), dial(), dial()])
  const [, part, whole] = sockets
  part.write(hello.subarray(0, 100))
  whole.write(hello)
  const from = performance.now()
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
  expect(performance.now() - from).toBeGreaterThan(9_000)
  expect(performance.now() - from).toBeLessThan(15_000)
})

const residentBytes = async () =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${String(server.child.pid)}/status`, 'utf8'))?.[1]) * 1_024

it('a thousand idle connections take less than 100 MB, and hold up no request', async () => {
  const before = await residentBytes()
  const idle: TLSSocket[] = []
  for (let count = 0; count < 1_000; count += 50)
    idle.push(...(await Promise.all(Array.from({ length: 50 }, () => client.open('localhost')))))
  expect((await residentBytes()) - before).toBeLessThan(100e6)
  expect((await client.get('localhost')).status).toBe(200)
  for (const socket of idle) socket.destroy()
})

describe('2,000 handshakes at once from one network', () => {
  /** Begins handshakes that end with the server's answer. @returns how many it has answered so far, and the end of all */
  async function flood(count: number) {
    const sockets = await Promise.all(Array.from({ length: count }, () => dial()))
    let answered = 0
    const ended = sockets.map(async (socket) => {
      socket.write(hello)
      await once(socket, 'data')
      answered++
      socket.destroy()
    })
    return { answered: () => answered, ended: Promise.all(ended) }
  }

  it('do not block the event loop', async () => {
    expect(await guard.longestGap(async () => (await flood(2_000)).ended)).toBeLessThan(gapMaxMs)
  })

  it('do not hold up a handshake of another network, which is over before most of them', async () => {
    const { answered, ended } = await flood(2_000)
    const socket = await client.open('localhost', { socket: await dial('127.0.7.1') })
    const before = answered()
    socket.destroy()
    await ended
    expect(before).toBeLessThan(1_000)
  })
})

it('stops within seconds with connections in every state', async () => {
  await using own = await emptyPlace()
  await using stopping = await serveTls(own)
  const to = Number(new URL(stopping.tlsUrl).port)
  const silent = connect(to, '127.0.0.1')
  const started = connect(to, '127.0.0.1')
  for (const socket of [silent, started]) socket.on('error', () => socket.destroy())
  started.write(hello.subarray(0, 200))
  const another = tlsClient(to, stopping.ca)
  const unused = await another.open('localhost')
  const used = await another.open('localhost')
  used.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(used, 'data')
  const from = performance.now()
  expect(await stopping.stop()).toBe(0)
  expect(performance.now() - from).toBeLessThan(8_000)
  expect(stopping.log.at(-1)).toMatchObject({ msg: 'stopped' })
  for (const socket of [silent, started, unused, used]) socket.destroy()
})
