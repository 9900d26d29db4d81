import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { decode } from 'dns-packet'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findTsig } from '../wire/tsig-record.js'
import { TsigSigner, verifyRequest, type TsigKey } from '../wire/tsig.js'
import { Notifier } from './notifier.js'
import { NotifyQueue } from './notify-queue.js'
import { SecondaryNotifier, type Signing } from './secondary-notifier.js'
import type { NotifyResult } from '../transfers/options.js'

const key: TsigKey = { name: 'ns2.key', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 7) }

let server: Socket
let received: { packet: Buffer; port: number }[]
let results: NotifyResult[]
let logged: Record<string, unknown>[]
let notifier: Notifier | undefined

/** How the secondary answers; undefined for not at all. */
let reply: (packet: Buffer) => Buffer | undefined

const accept = (packet: Buffer, code = 0): Buffer => {
  const answer = Buffer.from(packet)
  answer.writeUInt16BE(0xa400 | code, 2)
  return answer
}

beforeEach(async () => {
  received = []
  results = []
  logged = []
  reply = accept
  server = createSocket('udp4')
  server.on('message', (packet, { port }) => {
    received.push({ packet, port })
    const answer = reply(packet)
    if (answer !== undefined) server.send(answer, port, '127.0.0.1')
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  await notifier?.close()
  server.close()
})

function start(keyName?: string): Notifier {
  notifier = new Notifier({
    secondaries: [{ address: '127.0.0.1', port: server.address().port, key: keyName }],
    catalog: 'catalog.invalid',
    keyOf: async (name) => (name === key.name ? { ...key, signer: () => undefined } : undefined),
    count: (result) => results.push(result),
    log: pino({ base: null }, { write: (line: string) => logged.push(JSON.parse(line) as Record<string, unknown>) }),
  })
  return notifier
}

const zonesOf = () => received.map(({ packet }) => decode(packet).questions?.[0]?.name)

describe('NOTIFY', () => {
  it('sends one message for many changes of a zone', async () => {
    const notifier = start()
    for (let n = 0; n < 50; n++) notifier.changed('example.test')
    notifier.changed('other.test')
    await vi.waitFor(() => expect(results).toEqual(['answered', 'answered']))
    expect(zonesOf()).toEqual(['example.test', 'other.test'])
    expect(decode(received[0]?.packet ?? Buffer.alloc(0))).toMatchObject({
      opcode: 'NOTIFY',
      flag_aa: true,
      questions: [{ type: 'SOA', class: 'IN' }],
    })
  })

  it('repeats a message that was lost', async () => {
    let lost = 0
    reply = (packet) => (lost++ === 0 ? undefined : accept(packet))
    start().changed('example.test')
    await vi.waitFor(() => expect(results).toEqual(['failed', 'answered']), { timeout: 10_000 })
  })

  it('takes no answer with another id, question or opcode, or one that is a request', async () => {
    const forged: ((packet: Buffer) => Buffer)[] = [
      (packet) => changed(accept(packet), 0),
      (packet) => changed(accept(packet), 13),
      (packet) => changed(accept(packet), 2),
      (packet) => packet,
      () => Buffer.alloc(1),
    ]
    reply = (packet) => forged.shift()?.(packet)
    const notifier = start()
    for (let n = 0; n < 5; n++) notifier.changed(`zone${n}.test`)
    await vi.waitFor(() => expect(received).toHaveLength(5))
    await sleep(200)
    expect(results).toEqual([])
  })

  it('signs messages to a secondary with a key, and takes only answers that are signed with it', async () => {
    reply = (packet) => {
      const tsig = findTsig(packet)
      if (tsig === undefined) return undefined
      expect(verifyRequest(packet, tsig, key, Math.floor(Date.now() / 1000))).toBe('valid')
      const unsigned = accept(packet.subarray(0, tsig.start))
      unsigned.writeUInt16BE(0, 10)
      server.send(unsigned, received[0]?.port ?? 0, '127.0.0.1')
      return received.length === 1
        ? new TsigSigner(key, tsig.mac).sign(unsigned, Math.floor(Date.now() / 1000))
        : undefined
    }
    start(key.name).changed('example.test')
    await vi.waitFor(() => expect(results).toEqual(['answered']))
  })

  it('takes the answer that is signed with the key after several that are signed with another secret', async () => {
    reply = (packet) => {
      const tsig = findTsig(packet)
      if (tsig === undefined) return undefined
      const unsigned = accept(packet.subarray(0, tsig.start))
      unsigned.writeUInt16BE(0, 10)
      const signed = (secret: Buffer) =>
        new TsigSigner({ ...key, secret }, tsig.mac).sign(unsigned, Math.floor(Date.now() / 1000))
      for (let n = 0; n < 2; n++) server.send(signed(Buffer.alloc(32, 8)), received[0]?.port ?? 0, '127.0.0.1')
      return signed(key.secret)
    }
    start(key.name).changed('example.test')
    await vi.waitFor(() => expect(results).toEqual(['answered']))
  })

  it('does not repeat a message that a secondary without the zone refuses, which it cannot sign', async () => {
    reply = (packet) => {
      const refused = accept(packet.subarray(0, findTsig(packet)?.start), 9)
      refused.writeUInt16BE(0, 10)
      return refused
    }
    start(key.name).changed('example.test')
    await vi.waitFor(() => expect(results).toEqual(['refused']))
    await sleep(1500)
    expect(received).toHaveLength(1)
  })

  it('tells about the catalog before the zones', async () => {
    const notifier = start()
    for (let n = 0; n < 30; n++) notifier.changed(`zone${n}.test`)
    notifier.changed('catalog.invalid')
    await vi.waitFor(() => expect(received).toHaveLength(31))
    expect(zonesOf()[0]).toBe('catalog.invalid')
  })

  it('sends nothing while the key of the secondary is unknown, and warns once without a stack', async () => {
    start('unknown').changed('example.test')
    await vi.waitFor(() => expect(results).toEqual(['failed', 'failed']), 3000)
    expect(received).toEqual([])
    expect(logged).toMatchObject([{ level: 40, secondary: '127.0.0.1', key: 'unknown' }])
    expect(logged[0]).not.toHaveProperty('err')
  })

  it('tells a secondary that was away within two seconds after its first signed message', async () => {
    const { port } = server.address()
    server.close()
    const notifier = start2(port, key.name)
    notifier.changed('example.test')
    // The pauses of 1 and 2 seconds are over; the next one is of 4.
    await vi.waitFor(() => expect(results).toHaveLength(3), { timeout: 10_000 })
    server = createSocket('udp4')
    let askedAt: number | undefined
    server.on('message', () => (askedAt ??= performance.now()))
    server.bind(port, '127.0.0.1')
    await once(server, 'listening')
    const heardAt = performance.now()
    notifier.heard('another.key')
    notifier.heard(key.name)
    await vi.waitFor(() => expect(askedAt).toBeDefined(), { timeout: 10_000 })
    expect((askedAt ?? 0) - heardAt).toBeLessThan(2_000)
  }, 20_000)

  it('goes on after a secondary whose port was closed', async () => {
    const { port } = server.address()
    server.close()
    const notifier = start2(port)
    notifier.changed('example.test')
    await vi.waitFor(() => expect(results).toContain('failed'))
    server = createSocket('udp4')
    server.on('message', (packet, { port: from }) => server.send(accept(packet), from, '127.0.0.1'))
    server.bind(port, '127.0.0.1')
    await vi.waitFor(() => expect(results).toContain('answered'), { timeout: 10_000 })
  })
})

function start2(port: number, keyName?: string): Notifier {
  notifier = new Notifier({
    secondaries: [{ address: '127.0.0.1', port, key: keyName }],
    catalog: 'catalog.invalid',
    keyOf: async () => ({ ...key, signer: () => undefined }),
    count: (result) => results.push(result),
    log: pino({ level: 'silent' }),
  })
  return notifier
}

function changed(packet: Buffer, at: number): Buffer {
  packet.writeUInt8(packet.readUInt8(at) ^ (at === 2 ? 0x08 : 1), at)
  return packet
}

it('forgets the zones of a secondary with a limited number of attempts, and frees their turns', async () => {
  const turns = { take: vi.fn(async () => true), release: vi.fn() }
  const told: string[] = []
  await new Promise<void>((onIdle) => {
    const limited = new SecondaryNotifier({
      open: async () => ({ send: () => undefined, close: () => undefined }),
      signing: async (zone) => (zone === 'moved.test' ? undefined : { key: undefined }),
      onResult: ({ zone }) => told.push(zone),
      limits: { window: 8, startsWithOne: true },
      timeoutMs: 10,
      attemptsMax: 1,
      turns,
      onIdle,
    })
    limited.add(['moved.test', 'first.test', 'second.test'])
  })
  expect(told).toEqual(['first.test'])
  expect(turns.take).toHaveBeenCalledTimes(2)
  expect(turns.release).toHaveBeenCalledTimes(2)
})

it('opens no socket for a message whose key arrives after the notifier was closed', async () => {
  const open = vi.fn(async () => ({ send: () => undefined, close: () => undefined }))
  let found: (signing: Signing) => void = () => undefined
  const keyOf = vi.fn(() => new Promise<Signing>((resolve) => (found = resolve)))
  const closed = new SecondaryNotifier({ open, signing: keyOf, onResult: () => undefined })
  closed.add(['example.test'])
  await vi.waitFor(() => expect(keyOf).toHaveBeenCalled())
  await closed.close()
  found({ key: undefined })
  await sleep(1)
  expect(open).not.toHaveBeenCalled()
})

describe('the zones that a secondary must be told about', () => {
  it('sends one message at a time while the secondary does not answer, and waits longer each time', () => {
    const queue = new NotifyQueue()
    for (let n = 0; n < 100; n++) queue.add(`zone${n}`)
    expect(Array.from({ length: 40 }, () => queue.take()).filter((zone) => zone !== undefined)).toHaveLength(32)
    for (let n = 0; n < 32; n++) queue.failed(`zone${n}`)
    const waits = Array.from({ length: 8 }, () => queue.backOff())
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    expect([queue.take(), queue.take()]).toEqual(['zone32', undefined])
    queue.answered('zone32')
    expect(queue.take()).toBe('zone33')
    expect(queue.take()).toBe('zone34')
  })

  it('waits a second and then longer again once the secondary was heard', () => {
    const queue = new NotifyQueue()
    queue.add('zone')
    queue.take()
    queue.failed('zone')
    expect(queue.backOff()).toBe(1000)
    expect(queue.shortenPause()).toBeUndefined()
    for (let n = 0; n < 7; n++) queue.backOff()
    expect(queue.shortenPause()).toBe(1000)
    expect(queue.shortenPause()).toBeUndefined()
    expect(queue.backOff()).toBe(2000)
  })

  it('gives up a zone after five attempts only if the secondary has answered for others', () => {
    const queue = new NotifyQueue()
    queue.add('dead')
    for (let n = 0; n < 10; n++) {
      expect(queue.take()).toBe('dead')
      queue.failed('dead')
      queue.backOff()
    }
    queue.add('alive')
    expect(queue.take()).toBe('dead')
    queue.failed('dead')
    expect(queue.take()).toBe('alive')
    queue.answered('alive')
    expect(queue.take()).toBe('dead')
    queue.failed('dead')
    expect(queue.isEmpty).toBe(true)
  })

  it('tells about a change during the message again', () => {
    const queue = new NotifyQueue()
    queue.add('zone')
    expect(queue.take()).toBe('zone')
    queue.add('zone')
    expect(queue.take()).toBeUndefined()
    queue.answered('zone')
    expect(queue.take()).toBe('zone')
  })
})
