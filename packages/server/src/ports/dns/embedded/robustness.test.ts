import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { ask, exchangeUdp, queryPacket, read } from '../../../../test/dns-ask.js'
import { Answerer, tcpMax } from './answer.js'
import { ApexRecords } from './apex-records.js'
import { embeddedDns } from './embedded-dns.js'
import { dispatched } from './query.js'
import { udpMax } from './reply.js'
import { SafeAnswers } from './safe-answers.js'
import { ZoneMap } from './zone-map.js'
import { Zones } from './zones.js'

const plain = (value: string) => ({ value, priority: null })
const zone = {
  zone: 'fuzz.test',
  serial: 1,
  rrsets: [
    { name: 'fuzz.test', type: 'MX', ttl: 300, records: [{ value: 'www.fuzz.test', priority: 1 }] },
    { name: 'www.fuzz.test', type: 'A', ttl: 300, records: [plain('192.0.2.1')] },
    { name: '*.w.fuzz.test', type: 'CNAME', ttl: 300, records: [plain('x.y.w.fuzz.test')] },
    { name: 'sub.fuzz.test', type: 'NS', ttl: 300, records: [plain('ns.sub.fuzz.test')] },
    { name: 'ns.sub.fuzz.test', type: 'A', ttl: 300, records: [plain('192.0.2.2')] },
    { name: 'big.fuzz.test', type: 'TXT', ttl: 300, records: [plain('x'.repeat(900)), plain('y'.repeat(900))] },
  ],
} as const

/** A seeded random generator, so that a failure can be reproduced. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const names = [
  'fuzz.test',
  'www.fuzz.test',
  'a.w.fuzz.test',
  'x.sub.fuzz.test',
  'big.fuzz.test',
  'nope.fuzz.test',
  'no.test',
  '.',
]
const types = ['A', 'MX', 'TXT', 'ANY', 'SOA', 'NS', 'DS', 'CNAME', 'AXFR']

function* packets(count: number): Generator<Buffer> {
  const below = randomNumbers(7)
  for (let n = 0; n < count; n++) {
    if (n % 4 === 0) {
      yield Buffer.from(Array.from({ length: below(80) }, () => below(256)))
      continue
    }
    const edns = below(2) === 0 ? {} : { edns: below(65_536) }
    const packet = queryPacket(names[below(names.length)]!, types[below(types.length)]!, edns)
    for (let changes = below(4); changes > 0; changes--) packet[below(packet.length)] = below(256)
    yield below(8) === 0 ? packet.subarray(0, below(packet.length + 1)) : packet
  }
}

describe('100,000 random and mutated packets', () => {
  const zones = new Zones()
  zones.set(ZoneMap.of(zone))
  const answerer = new Answerer(zones, new ApexRecords({ nameservers: ['ns.fuzz.test'] }))
  const all = [...packets(100_000)]

  it('random packets are answered within the size limit or dropped, in microseconds each', () => {
    const out = Buffer.alloc(tcpMax)
    const seen = new Map<string, number>()
    const started = process.cpuUsage()
    for (const packet of all) {
      const length = answerer.answer(packet, out, 0, udpMax)
      if (length > udpMax) throw new Error(`${length} octets for ${packet.toString('hex')}`)
      const kind = length === dispatched ? 'dispatched' : length === 0 ? 'dropped' : String(out.readUInt8(3) & 15)
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
    }
    // Ten times the usual duration, because other tests run at the same time.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000)
    expect([...seen.keys()].sort()).toEqual(['0', '1', '3', '4', '5', 'dispatched', 'dropped'])
  })

  it('random packets get answers that another decoder can read', () => {
    const out = Buffer.alloc(tcpMax)
    for (const packet of all.slice(0, 20_000)) {
      const length = answerer.answer(packet, out, 0, udpMax)
      if (length <= 0) continue
      const answer = Buffer.from(out.subarray(0, length))
      expect(answer.readUInt16BE(0)).toBe(packet.readUInt16BE(0))
      expect(() => read(answer)).not.toThrow()
    }
  })

  it('random packets do not stop the nameserver', async () => {
    const dns = await embeddedDns({
      host: '127.0.0.1',
      port: 0,
      nameservers: ['ns.fuzz.test'],
      log: pino({ level: 'silent' }),
      zones: [zone],
    })
    const { port } = dns.addresses[0]!
    // Do not wait for their answers: the query after them shows that the nameserver still works.
    for (const packet of all.slice(0, 2000)) void exchangeUdp(packet, port, '127.0.0.1', 1).catch(() => undefined)
    // The system drops packets for which the socket has no room, this query too.
    const answered = async () => expect((await ask(port, 'www.fuzz.test', 'A')).answers).toHaveLength(1)
    await vi.waitFor(answered, { timeout: 20_000 })
    await dns.close()
  })
})

describe('an exception in the Answerer', () => {
  it('SERVFAIL for a query that throws in the Answerer, and a log line', () => {
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => lines.push(line) })
    const zones = new Zones()
    zones.find = () => {
      throw new Error('made by the test')
    }
    const answers = new SafeAnswers(new Answerer(zones, new ApexRecords({ nameservers: ['ns.fuzz.test'] })), log)
    const out = Buffer.alloc(udpMax)
    const length = answers.answer(queryPacket('www.fuzz.test', 'A', { edns: 1232 }), out, 0, udpMax)
    expect(read(out.subarray(0, length))).toMatchObject({ rcode: 'SERVFAIL', aa: false, question: 'www.fuzz.test A' })
    expect(lines.join()).toContain('made by the test')
  })
})
