import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ensure } from '../../../../../../test/servers/index.js'
import { exchangeUdp, framed, queryPacket, read } from '../../../../test/dns-ask.js'
import { zones } from '../../../../test/nameserver-zones.js'
import { embeddedDns, type EmbeddedDns } from '../embedded/embedded-dns.js'
import { TsigSigner, TsigVerifier, type TsigKey } from '../wire/tsig.js'
import { findTsig } from '../wire/tsig-record.js'
import type { CheckedMessage, ProtocolHandlers, Signer } from './messages.js'

const secret = Buffer.alloc(32, 7)
const key: TsigKey = { name: '3.0011223344556677.key', algorithm: 'hmac-sha256', secret }
const large: TsigKey = { name: 'large.key', algorithm: 'hmac-sha512', secret: Buffer.alloc(64, 9) }
const caller = { scopes: [], session: null, tokenId: 3, account: { id: 1 } }
const account = { kind: 'account', caller } as unknown as Signer

let dns: EmbeddedDns
let port = 0
let works = true
const seen: CheckedMessage[] = []
let handlers: { -readonly [Name in keyof ProtocolHandlers]: ProtocolHandlers[Name] } = {}

beforeAll(async () => {
  const log = pino({ level: 'silent' })
  dns = await embeddedDns({ host: '127.0.0.1', port: 0, nameservers: ['ns1.example.test'], log, zones })
  port = dns.addresses[0]!.port
})
beforeEach(() => {
  works = true
  seen.length = 0
  handlers = {
    async transfer(message, send) {
      seen.push(message)
      for (let n = 0; n < 3; n++) await send(emptyAnswer(message.packet))
    },
    async update(message) {
      seen.push(message)
      return 10
    },
  }
  const signer = () => (works ? account : undefined)
  const keys = [key, large].map((each) => ({ ...each, signer }))
  dns.answerProtocols({ keys: { byName: async (name) => keys.find((each) => each.name === name) }, handlers })
})
afterAll(() => dns.close())

const emptyAnswer = (packet: Buffer): Buffer => {
  const header = Buffer.alloc(12)
  packet.copy(header, 0, 0, 2)
  header.writeUInt8(0x84, 2)
  return header
}
const now = () => Math.floor(Date.now() / 1000)
const signed = (packet: Buffer, by = key, time = now()) => new TsigSigner(by).sign(packet, time)
const macOf = (packet: Buffer) => findTsig(packet)!.mac
const errorOf = (packet: Buffer) => {
  const { error, mac, other } = findTsig(packet)!
  return { rcode: packet.readUInt8(3) & 15, error, isSigned: mac.length > 0, other: other.length }
}
const update = () => {
  const packet = queryPacket('example.test', 'SOA')
  packet.writeUInt8(5 << 3, 2)
  return packet
}

async function dig(...args: string[]): Promise<string> {
  const all = ['@127.0.0.1', '-p', String(port), '+tries=1', '+time=2', ...args]
  // dig exits with an error code for a failed transfer.
  const run = promisify(execFile)(ensure('dig'), all).catch((error: unknown) => error as { stdout: string })
  return (await run).stdout
}
const y = ({ name, algorithm, secret: octets }: TsigKey) => `${algorithm}:${name}:${octets.toString('base64')}`

describe('signed questions', () => {
  it.each([key, large])('dig verifies the signature of the answer: $algorithm', async (each) => {
    for (const transport of ['+notcp', '+tcp']) {
      const out = await dig('-y', y(each), transport, 'mail.example.test', 'A')
      expect(out).toContain('status: NOERROR')
      expect(out).toContain('192.0.2.2')
      expect(out).toMatch(/TSIG\s.* NOERROR 0/)
      expect(out).not.toMatch(/verify|BAD/i)
    }
  })

  it('an answer that does not fit beside its signature is truncated', async () => {
    const answer = async (by?: TsigKey) => {
      const packet = queryPacket('half.example.test', 'TXT', { edns: 900 })
      return read(await exchangeUdp(by ? signed(packet, by) : packet, port))
    }
    const plain = await answer()
    const spare = 900 - plain.bytes
    expect(plain).toMatchObject({ tc: false, answers: { length: 1 } })
    for (const by of [key, large]) {
      const whole = await answer(by)
      expect(whole.bytes).toBeLessThanOrEqual(900)
      expect(whole.tc).toBe(spare < new TsigSigner(by).size)
    }
  })
})

describe('refused signatures', () => {
  it('an unknown key: NOTAUTH and BADKEY, unsigned', async () => {
    const reply = await exchangeUdp(signed(update(), { ...key, name: 'unknown.key' }), port)
    expect(errorOf(reply)).toEqual({ rcode: 9, error: 17, isSigned: false, other: 0 })
    expect(await dig('-y', y({ ...key, name: 'unknown.key' }), 'mail.example.test', 'A')).toContain('BADKEY')
  })

  it('another algorithm than that of the key: BADKEY', async () => {
    expect(await dig('-y', y({ ...key, algorithm: 'hmac-sha512' }), 'mail.example.test')).toContain('BADKEY')
  })

  it('a wrong secret: BADSIG, unsigned', async () => {
    const reply = await exchangeUdp(signed(update(), { ...key, secret: Buffer.alloc(32) }), port)
    expect(errorOf(reply)).toEqual({ rcode: 9, error: 16, isSigned: false, other: 0 })
    expect(await dig('-y', y({ ...key, secret: Buffer.alloc(32) }), 'mail.example.test')).toContain('BADSIG')
  })

  it('a wrong clock: BADTIME, signed, with the time of the server', async () => {
    const packet = signed(queryPacket('mail.example.test', 'A'), key, now() - 400)
    const reply = await exchangeUdp(packet, port)
    expect(errorOf(reply)).toEqual({ rcode: 9, error: 18, isSigned: true, other: 6 })
    const { timeSigned, other } = findTsig(reply)!
    expect(timeSigned).toBe(findTsig(packet)!.timeSigned)
    expect(Math.abs(other.readUIntBE(0, 6) - now())).toBeLessThan(5)
    expect(() => new TsigVerifier(key, macOf(packet)).verify(reply, now())).toThrow('refuses the request: BADTIME')
  })

  it('a key that does not work now: BADKEY after a valid signature', async () => {
    works = false
    expect(errorOf(await exchangeUdp(signed(update()), port))).toMatchObject({ rcode: 9, error: 17 })
    expect(seen).toEqual([])
  })

  it('no answer to an invalid signature is larger than the question', async () => {
    const question = queryPacket(`${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example.test`, 'A', {
      edns: 4096,
    })
    const record = signed(question).subarray(question.length + key.name.length + 2)
    // Both names point to the long name of the question.
    const algorithm = Buffer.from([0xc0, 12])
    const rest = record.subarray(10 + 'hmac-sha256'.length + 2)
    const head = Buffer.from(record.subarray(0, 10))
    head.writeUInt16BE(algorithm.length + rest.length, 8)
    const packet = Buffer.concat([question, Buffer.from([0xc0, 12]), head, algorithm, rest])
    packet.writeUInt16BE(2, 10)
    const reply = await exchangeUdp(packet, port)
    expect(reply.readUInt8(3) & 15).toBe(9)
    expect(reply.length).toBeLessThanOrEqual(packet.length)
  })

  it('a TSIG that is not the last record: FORMERR', async () => {
    const packet = signed(queryPacket('mail.example.test', 'A'))
    const twice = new TsigSigner(key).sign(packet, now())
    expect(read(await exchangeUdp(twice, port)).rcode).toBe('FORMERR')
  })
})

describe('messages for handlers', () => {
  it('an UPDATE reaches its handler without its TSIG, and the RCODE is signed', async () => {
    const packet = signed(update())
    packet.writeUInt16BE(9, 0)
    const reply = await exchangeUdp(packet, port)
    expect(errorOf(reply)).toEqual({ rcode: 10, error: 0, isSigned: true, other: 0 })
    expect(reply.readUInt16BE(0)).toBe(9)
    new TsigVerifier(key, macOf(packet)).verify(reply, now())
    expect(seen).toMatchObject([{ client: { address: '127.0.0.1', transport: 'udp' }, signer: account }])
    expect(seen[0]!.mac.equals(macOf(packet))).toBe(true)
    expect(findTsig(seen[0]!.packet)).toBeUndefined()
  })

  it('updates of one account over UDP that take long leave room for those of another one', async () => {
    const other = { ...key, name: '4.0011223344556677.key' }
    const signerOf = (id: number) => ({ kind: 'account', caller: { ...caller, account: { id } } }) as unknown as Signer
    const keys = [key, other].map((each, n) => ({ ...each, signer: () => signerOf(1 + n) }))
    let end = (): void => undefined
    const ended = new Promise<number>((resolve) => (end = () => resolve(0)))
    let running = 0
    handlers.update = async ({ signer }) => {
      if (signer.kind === 'account' && signer.caller.account.id === 2) return 0
      running++
      return ended
    }
    dns.answerProtocols({ keys: { byName: async (name) => keys.find((each) => each.name === name) }, handlers })
    const socket = createSocket('udp4')
    for (let n = 0; n < 300; n++) socket.send(signed(update()), port, '127.0.0.1')
    await expect.poll(() => running).toBeGreaterThanOrEqual(64)
    expect((await exchangeUdp(signed(update(), other), port)).readUInt8(3) & 15).toBe(0)
    expect((await exchangeUdp(signed(update()), port)).readUInt8(3) & 15).toBe(2)
    expect(running).toBe(64)
    end()
    socket.close()
  })

  it('nsupdate sends a signed UPDATE over UDP and TCP, and verifies the answer', async () => {
    handlers.update = async (message) => {
      seen.push(message)
      return seen.length === 3 ? 5 : 0
    }
    const text = `server 127.0.0.1 ${String(port)}\nzone example.test\nupdate add www.example.test 60 A 192.0.2.1\nsend\n`
    const nsupdate = async (...args: string[]) => {
      const run = promisify(execFile)(ensure('nsupdate'), ['-y', y(key), ...args])
      run.child.stdin?.end(text)
      return run.catch((error: unknown) => error as { stderr: string })
    }
    expect((await nsupdate()).stderr).toBe('')
    expect((await nsupdate('-v')).stderr).toBe('')
    expect(seen.map(({ client }) => client.transport)).toEqual(['udp', 'tcp'])
    expect((await nsupdate()).stderr).toContain('update failed: REFUSED')
    expect((await nsupdate('-y', y({ ...key, secret: Buffer.alloc(32) }))).stderr).toContain('BADSIG')
  })

  it('an UPDATE without a key is refused, also from loopback', async () => {
    expect((await exchangeUdp(update(), port)).readUInt8(3) & 15).toBe(5)
    expect(seen).toEqual([])
  })

  it('a transfer of several messages: dig verifies each, and loopback needs no key', async () => {
    await dig('-y', y(key), 'example.test', 'AXFR')
    await dig('example.test', 'AXFR')
    expect(seen.map(({ signer }) => signer.kind)).toEqual(['account', 'loopback'])
  })

  it('a nameserver that closes does not wait for a client that does not read its transfer', async () => {
    const log = pino({ level: 'silent' })
    const closing = await embeddedDns({ host: '127.0.0.1', port: 0, nameservers: ['ns1.example.test'], log, zones })
    let sent = 0
    const transfer: ProtocolHandlers['transfer'] = async (message, send) => {
      while (!message.signal.aborted) {
        await send(Buffer.alloc(60_000))
        sent++
      }
    }
    closing.answerProtocols({ keys: { byName: async () => undefined }, handlers: { transfer } })
    const socket = connect({ port: closing.addresses[0]!.port, host: '127.0.0.1' })
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(framed(queryPacket('example.test', 'AXFR')))
    // The client has taken all that it takes when no further message is sent for a while.
    for (let before = -1; before !== sent || sent === 0;) {
      before = sent
      await sleep(200)
    }
    const start = performance.now()
    await closing.close()
    expect(performance.now() - start).toBeLessThan(3_000)
    socket.destroy()
  })

  it('a handler that throws: SERVFAIL, unless a part of the answer was sent', async () => {
    handlers = {}
    dns.answerProtocols({
      keys: { byName: async () => ({ ...key, signer: () => account }) },
      handlers: {
        update: async () => {
          throw new Error('made by the test')
        },
      },
    })
    expect((await exchangeUdp(signed(update()), port)).readUInt8(3) & 15).toBe(2)
  })

  it('a kind of message without a handler: NOTIMP for UPDATE and NOTIFY, REFUSED for transfers', async () => {
    dns.answerProtocols({ keys: { byName: async () => undefined }, handlers: {} })
    const notify = update()
    notify.writeUInt8(4 << 3, 2)
    for (const packet of [update(), notify]) {
      const reply = await exchangeUdp(packet, port)
      expect([reply.length, reply.readUInt8(3)]).toEqual([12, 4])
    }
    expect(await dig('example.test', 'AXFR')).toContain('Transfer failed')
  })

  it('SERVFAIL for signed messages, updates and transfers until the server has connected its parts', async () => {
    const log = pino({ level: 'silent' })
    const starting = await embeddedDns({ host: '127.0.0.1', port: 0, nameservers: ['ns1.example.test'], log, zones })
    const rcodeFor = async (packet: Buffer) =>
      (await exchangeUdp(packet, starting.addresses[0]!.port)).readUInt8(3) & 15
    const signedQuestion = signed(queryPacket('mail.example.test', 'A'))
    for (const packet of [signedQuestion, signed(update()), update(), queryPacket('example.test', 'AXFR')])
      expect(await rcodeFor(packet)).toBe(2)
    expect(await rcodeFor(queryPacket('mail.example.test', 'A'))).toBe(0)
    starting.answerProtocols({ keys: { byName: async () => undefined }, handlers })
    expect(await rcodeFor(signedQuestion)).toBe(9)
    await starting.close()
  })

  it('messages of one TCP connection are answered in their order, also behind a slow one', async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    const [slow, fast] = [signed(update()), queryPacket('mail.example.test', 'A')]
    socket.write(Buffer.concat([framed(slow), framed(fast)]))
    let got = Buffer.alloc(0)
    while (got.length < 200 && !hasTwo(got)) got = Buffer.concat([got, (await once(socket, 'data'))[0] as Buffer])
    socket.destroy()
    const second = 2 + got.readUInt16BE(0)
    expect(got.readUInt16BE(2)).toBe(slow.readUInt16BE(0))
    expect(got.readUInt16BE(second + 2)).toBe(fast.readUInt16BE(0))
  })
})

const hasTwo = (got: Buffer): boolean => {
  if (got.length < 2) return false
  const second = 2 + got.readUInt16BE(0)
  return got.length >= second + 2 && got.length >= second + 2 + got.readUInt16BE(second)
}
