import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { framed, queryPacket, read, type Reply } from '../../../../test/dns-ask.js'
import { embeddedDns, type EmbeddedDns, type EmbeddedDnsOptions } from './embedded-dns.js'

const text = (value: string) => [{ value, priority: null }]
const zone = {
  zone: 'tcp.test',
  serial: 1,
  rrsets: [
    { name: 'a.tcp.test', type: 'A', ttl: 60, records: text('192.0.2.1') },
    { name: 'big.tcp.test', type: 'TXT', ttl: 60, records: text('x'.repeat(60_000)) },
  ],
} as const

let dns: EmbeddedDns
const sockets: Socket[] = []

async function open(tcp: EmbeddedDnsOptions['tcp'] = {}): Promise<Socket> {
  const log = pino({ level: 'silent' })
  dns = await embeddedDns({ host: '127.0.0.1', port: 0, nameservers: ['ns.tcp.test'], log, zones: [zone], tcp })
  return client()
}

function client(allowHalfOpen = true, localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port: dns.addresses[0]!.port, host: '127.0.0.1', allowHalfOpen, localAddress })
  // Some of these tests expect the nameserver to close the connection during a write.
  socket.on('error', () => socket.destroy())
  sockets.push(socket)
  return socket
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await dns.close()
})

const query = (name: string, id: number) => {
  const packet = queryPacket(name, name.startsWith('big') ? 'TXT' : 'A')
  packet.writeUInt16BE(id, 0)
  return framed(packet)
}

/** Reads `count` answers, with their ids. */
async function answers(socket: Socket, count: number): Promise<(Reply & { id: number })[]> {
  const all: (Reply & { id: number })[] = []
  let got = Buffer.alloc(0)
  while (all.length < count) {
    const [chunk] = (await once(socket, 'data', { signal: AbortSignal.timeout(5000) })) as [Buffer]
    got = Buffer.concat([got, chunk])
    while (got.length >= 2 && got.length >= 2 + got.readUInt16BE(0)) {
      const message = got.subarray(2, 2 + got.readUInt16BE(0))
      all.push({ ...read(message), id: message.readUInt16BE(0) })
      got = got.subarray(2 + message.length)
    }
  }
  return all
}

/** Waits until the nameserver has closed the connection. */
const closed = async (socket: Socket) => {
  socket.resume()
  if (socket.closed || socket.readableEnded) return
  await new Promise<void>((resolve, reject) => {
    setTimeout(reject, 5000, new Error('The connection is still open.')).unref()
    // Without `once` of node:events: it rejects when a write meets the closed connection.
    for (const event of ['close', 'end']) socket.once(event, () => resolve())
  })
}

describe('TCP', () => {
  it('answers many queries of one connection in their order', async () => {
    const socket = await open()
    socket.write(Buffer.concat(Array.from({ length: 500 }, (_, n) => query('a.tcp.test', n))))
    const all = await answers(socket, 500)
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, n) => n))
    expect(all.every((reply) => reply.answers.length === 1)).toBe(true)
    socket.write(query('a.tcp.test', 9))
    expect(await answers(socket, 1)).toMatchObject([{ id: 9 }])
  })

  it('answers a query that arrives in single octets', async () => {
    const socket = await open()
    socket.setNoDelay(true)
    const answered = answers(socket, 1)
    for (const octet of query('a.tcp.test', 3)) {
      socket.write(Buffer.from([octet]))
      await sleep(1)
    }
    expect(await answered).toMatchObject([{ id: 3, answers: [{ value: '192.0.2.1' }] }])
  })

  it('answers a client that has closed its side of the connection', async () => {
    const socket = await open()
    socket.end(Buffer.concat([query('a.tcp.test', 1), query('big.tcp.test', 2)]))
    expect((await answers(socket, 2)).map(({ id }) => id)).toEqual([1, 2])
    await closed(socket)
  })

  it('waits for a client that does not read, without buffering its answers', async () => {
    const socket = await open()
    socket.pause()
    const before = process.memoryUsage()
    // 120 MB of answers.
    socket.write(Buffer.concat(Array.from({ length: 2000 }, (_, n) => query('big.tcp.test', n))))
    await sleep(300)
    const after = process.memoryUsage()
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(20_000_000)
    socket.resume()
    expect((await answers(socket, 2000)).at(-1)).toMatchObject({ id: 1999 })
  })

  it('closes a connection without a whole query in time, also if octets keep arriving', async () => {
    const socket = await open({ idleMs: 300 })
    const started = performance.now()
    const dribble = setInterval(() => socket.write(Buffer.from([0])), 50)
    // The length is at least 65280: the query never becomes complete.
    socket.write(Buffer.from([0xff]))
    await closed(socket)
    clearInterval(dribble)
    expect(performance.now() - started).toBeLessThan(2000)
  })

  it('closes a client that never reads its answers', async () => {
    const socket = await open({ idleMs: 300 })
    socket.pause()
    socket.write(Buffer.concat(Array.from({ length: 2000 }, (_, n) => query('big.tcp.test', n))))
    await sleep(800)
    await closed(socket)
  })

  it('keeps a connection that continues to send queries', async () => {
    const socket = await open({ idleMs: 300 })
    for (let n = 0; n < 5; n++) {
      await sleep(120)
      socket.write(query('a.tcp.test', n))
      expect(await answers(socket, 1)).toMatchObject([{ id: n }])
    }
  })

  it('closes the connection after a message that is not a query', async () => {
    const socket = await open()
    socket.write(framed(Buffer.from('GET / HTTP/1.1')).fill(0xff, 4))
    await closed(socket)
  })

  it('closes the longest idle connection of a network at its limit', async () => {
    const first = await open({ connections: 4, perNetwork: 2 })
    first.write(query('a.tcp.test', 1))
    await answers(first, 1)
    const second = client()
    second.write(query('a.tcp.test', 2))
    expect(await answers(second, 1)).toMatchObject([{ id: 2 }])
    first.write(query('a.tcp.test', 3))
    await answers(first, 1)
    // Now the second connection is the longest idle one.
    const third = client()
    third.write(query('a.tcp.test', 4))
    expect(await answers(third, 1)).toMatchObject([{ id: 4 }])
    await closed(second)
    first.write(query('a.tcp.test', 5))
    expect(await answers(first, 1)).toMatchObject([{ id: 5 }])
  })

  it('accepts a connection of a new network when other networks hold all connections', async () => {
    const first = await open({ connections: 8, perNetwork: 4 })
    const others = Array.from({ length: 40 }, (_, n) => client(true, `127.0.${n >> 2}.${n & 3}`))
    await Promise.all(others.map((socket) => once(socket, 'connect')))
    const next = client(true, '127.9.9.9')
    next.write(query('a.tcp.test', 1))
    expect(await answers(next, 1)).toMatchObject([{ id: 1 }])
    await closed(first)
  })
})
