import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask, framed, queryPacket } from '../../packages/server/test/dns-ask.js'
import { freePort } from '../../test/servers/index.js'
import { guardedServer, recordsPath, zone } from './guarded-server.js'
import { gapMaxMs, guardLoop, type LoopGuard } from './loop-guard.js'
import { isLong, random } from './random.js'

/** Floods the nameserver of a real process over UDP and TCP. */

/** The rate limit exempts loopback addresses, but not this one. Undefined if the machine has no other. */
const external = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address
const sockets = new Set<Socket>()
const port = await freePort()
const hosts = ['127.0.0.1', ...(external === undefined ? [] : [external])].join()
const { serving, guard, post } = guardedServer('sqlite', '--dns-host', hosts, '--dns-port', String(port))
const disposables: AsyncDisposable[] = []
/** Monitors an idle server. The floods occupy the whole machine: the delay that they cause here is not svc's fault. */
let control: LoopGuard

beforeAll(async () => {
  const create = async (record: object) => expect((await post(recordsPath, record))?.status).toBe(200)
  await create({ type: 'A', host: 'www', value: '192.0.2.1' })
  await create({ type: 'TXT', host: 'big', value: 'x'.repeat(60_000) })
  for (let n = 0; n < 12; n++) await create({ type: 'CNAME', host: `c${n}`, value: `c${n + 1}.${zone}` })
  for (let n = 0; n < 60; n++) await create({ type: 'MX', host: 'mx', value: `h${n}.${zone}`, priority: 1 })
  const idle = await idleServer()
  control = await guardLoop(idle.url, idle.pid)
})

async function idleServer(): Promise<{ readonly url: string; readonly pid: number | undefined }> {
  const script = `
    const server = require('node:http').createServer((_, answer) => answer.end())
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  disposables.push({
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await once(child, 'close')
    },
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: line.toString().trim(), pid: child.pid }
}

async function expectNoGap(work: () => Promise<void>): Promise<void> {
  const gaps: number[] = []
  const lost = await control.longestGap(async () => void gaps.push(await guard().longestGap(work)))
  expect(Math.min(...gaps)).toBeLessThan(gapMaxMs + lost)
}
afterEach(() => {
  for (const socket of sockets) socket.destroy()
})
afterAll(async () => {
  for (const disposable of [control, ...disposables]) await disposable[Symbol.asyncDispose]()
})

function open(localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
  sockets.add(socket)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => sockets.delete(socket))
  return socket
}

const query = (host: string, type: string) => framed(queryPacket(`${host}.${zone}`, type))

/** Opens connections in waves of 100. Linux completes handshakes beyond the backlog, and then drops them silently. */
async function openAll(addresses: readonly string[]): Promise<void> {
  for (let at = 0; at < addresses.length; at += 100) {
    const wave = addresses.slice(at, at + 100).map((address) => open(address))
    await Promise.all(wave.map((socket) => once(socket, 'connect')))
  }
}

async function expectServed(): Promise<void> {
  for (const tcp of [false, true])
    expect((await ask(port, `www.${zone}`, 'A', { tcp })).answers).toMatchObject([{ value: '192.0.2.1' }])
}

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${serving().child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

describe('connections', () => {
  it('connections of nine addresses in one network hold 128 of 1,024 slots, and other clients are served', async () => {
    await openAll(Array.from({ length: 9 * 128 }, (_, n) => `127.0.0.${1 + Math.floor(n / 128)}`))
    await vi.waitFor(() => expect(sockets.size).toBeLessThanOrEqual(128), { timeout: 5000, interval: 20 })
    expect(sockets.size).toBeGreaterThan(100)
    await expectServed()
  })

  it('connections of forty networks hold 1,024 slots at most, and each new client is served', async () => {
    await openAll(Array.from({ length: 1200 }, (_, n) => `127.${1 + (n % 40)}.0.1`))
    for (let n = 0; n < 5; n++) await expectServed()
    await vi.waitFor(() => expect(sockets.size).toBeLessThanOrEqual(1024), { timeout: 5000, interval: 20 })
    expect(sockets.size).toBeGreaterThan(900)
  })
})

describe('unread, unfinished, fragmented and malformed TCP streams', () => {
  const numbers = random('nameserver streams')
  // Few enough to leave processor time for the server, whose event loop is measured.
  const clients = 12
  const attackMs = 400
  const sending = async (socket: Socket, chunks: Iterable<Buffer>) => {
    const until = performance.now() + attackMs
    for (const chunk of chunks) {
      if (socket.destroyed || performance.now() > until) break
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => undefined), sleep(attackMs)])
    }
  }
  const repeated = (message: Buffer, count: number) => [Buffer.concat(Array<Buffer>(count).fill(message))]
  const octets = (message: Buffer) => Array.from(message, (octet) => Buffer.from([octet]))
  const rounds = isLong ? 20 : 1

  it.each<[string, (socket: Socket) => Promise<void>]>([
    ['10,000 queries, no answer read', (socket) => sending(socket.pause(), repeated(query('www', 'A'), 10_000))],
    ['10,000 queries for 60 kB each, no answer read', (s) => sending(s.pause(), repeated(query('big', 'TXT'), 10_000))],
    ['1,000 queries for 60 kB each, all read', (s) => sending(s.resume(), repeated(query('big', 'TXT'), 1000))],
    ['10,000 queries that follow twelve aliases', (s) => sending(s.resume(), repeated(query('c0', 'A'), 10_000))],
    ['10,000 queries with 60 hosts in the answer', (s) => sending(s.resume(), repeated(query('mx', 'MX'), 10_000))],
    ['the longest message, in single octets', (s) => sending(s, octets(Buffer.alloc(3000, 0xff)))],
    ['lengths and nothing else', (s) => sending(s, [Buffer.from([0xff, 0xff])])],
    ['almost all of the longest message', (s) => sending(s, [Buffer.alloc(65_536, 0xff)])],
    ['empty messages', (s) => sending(s, [Buffer.alloc(60_000)])],
    ['noise', (s) => sending(s, [numbers.bytes(20_000)])],
    ['half a query, then the end', async (s) => void s.end(query('www', 'A').subarray(0, 9))],
    ['a query, then a reset', async (s) => void s.write(query('www', 'A'), () => s.resetAndDestroy())],
  ])('%s: other clients are served, and the event loop is not blocked', async (_, attack) => {
    const before = await residentBytes()
    await expectNoGap(async () => {
      for (let round = 0; round < rounds; round++) {
        const attackers = Array.from({ length: clients }, (_, n) => open(`127.${2 + (n % 10)}.0.1`))
        await Promise.all([sleep(attackMs), ...attackers.map(attack)])
        await expectServed()
        for (const socket of attackers) socket.destroy()
      }
    })
    expect((await residentBytes()) - before).toBeLessThan(150_000_000)
    expect(serving().child.exitCode).toBeNull()
  })
})

describe('UDP', () => {
  it('malformed packets do not stop the server or block its event loop', async () => {
    const numbers = random('nameserver packets')
    const socket = createSocket('udp4')
    await expectNoGap(async () => {
      for (let n = 0; n < (isLong ? 500_000 : 5000); n++) {
        const packet =
          n % 2 === 0 ? numbers.bytes(numbers.integer(0, 300)) : queryPacket(`www.${zone}`, 'A', { edns: 0 })
        if (n % 2 === 1) packet[numbers.integer(0, packet.length - 1)] = numbers.integer(0, 255)
        socket.send(packet, port, '127.0.0.1')
        if (n % 100 === 0) await sleep(1)
      }
    })
    socket.close()
    await expectServed()
  })

  const expectLimited = async (address: string) => {
    const socket = createSocket('udp4')
    const counts = { full: 0, truncated: 0 }
    socket.on('message', (message) => counts[(message.readUInt8(2) & 2) === 0 ? 'full' : 'truncated']++)
    const packet = queryPacket(`www.${zone}`, 'A')
    const started = performance.now()
    for (let n = 0; n < 2000; n++) {
      socket.send(packet, port, address)
      if (n % 50 === 0) await sleep(1)
    }
    await sleep(200)
    const seconds = (performance.now() - started) / 1000
    socket.close()
    expect(counts.full).toBeGreaterThanOrEqual(200)
    expect(counts.full).toBeLessThanOrEqual(200 * (1 + seconds) + 1)
    expect(counts.truncated).toBeGreaterThan(100)
    expect((await ask(port, `www.${zone}`, 'A', { host: address, tcp: true })).answers).toHaveLength(1)
  }

  // The rate limit exempts loopback addresses, and a machine may have no others.
  if (external !== undefined)
    it('one network gets 200 full answers per second, then truncated ones (retry over TCP)', () =>
      expectLimited(external))
})

it('exits with code 0 within 8 seconds of SIGTERM, with 500 connections open', async () => {
  const held = Array.from({ length: 500 }, (_, n) => open(`127.${1 + (n % 40)}.0.1`))
  await Promise.all(held.map((socket) => once(socket, 'connect')))
  await guard()[Symbol.asyncDispose]()
  const started = performance.now()
  expect(await serving().stop()).toBe(0)
  expect(performance.now() - started).toBeLessThan(8000)
  expect(serving().log.filter(({ level }) => Number(level) >= 50)).toEqual([])
})
