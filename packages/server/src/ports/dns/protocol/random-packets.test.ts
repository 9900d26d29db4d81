import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { queryPacket } from '../../../../test/dns-ask.js'
import { Answerer } from '../embedded/answer.js'
import { ApexRecords } from '../embedded/apex-records.js'
import { SafeAnswers } from '../embedded/safe-answers.js'
import { Zones } from '../embedded/zones.js'
import { TsigSigner, type TsigKey } from '../wire/tsig.js'
import { findTsig } from '../wire/tsig-record.js'
import { Dispatcher } from './dispatcher.js'

/** Random and mutated messages for the dispatcher. `npm run test:long` sends a million of them. */

const count = process.env['SVC_TEST_LONG'] === undefined ? 20_000 : 1_000_000
const seed = Number(process.env['SVC_TEST_SEED'] ?? 5)

function randomNumbers(start: number): (below: number) => number {
  let state = start >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const key: TsigKey = { name: 'ns2.example.net', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 3) }
const types = ['A', 'SOA', 'AXFR', 'IXFR', 'ANY']

/** One in four is signed and unchanged, the others have random octets or are random altogether. */
function packetOf(below: (limit: number) => number, now: number): { packet: Buffer; isIntact: boolean } {
  const kind = below(8)
  if (kind === 0) return { packet: Buffer.from(Array.from({ length: below(200) }, () => below(256))), isIntact: false }
  const packet = queryPacket('example.test', types[below(types.length)]!, below(2) === 0 ? {} : { edns: 1232 })
  packet.writeUInt8([0, 4 << 3, 5 << 3][below(3)]!, 2)
  const signed = new TsigSigner(key).sign(packet, now)
  if (kind < 3) return { packet: signed, isIntact: true }
  for (let changes = 1 + below(4); changes > 0; changes--) signed[below(signed.length)] = below(256)
  return { packet: below(4) === 0 ? signed.subarray(0, 12 + below(signed.length - 12)) : signed, isIntact: false }
}

it(`${String(count)} random and mutated messages: none is accepted without a valid signature, and each gets one small answer`, async () => {
  const log = pino({ level: 'silent' })
  const failures: unknown[] = []
  const answers = new SafeAnswers(new Answerer(new Zones(), new ApexRecords({ nameservers: ['ns.test'] })), log)
  const dispatcher = new Dispatcher(
    answers,
    Object.assign(log, { error: (details: unknown) => failures.push(details) }),
  )
  let accepted = 0
  const signer = () => {
    accepted++
    return { kind: 'operator', name: key.name } as const
  }
  dispatcher.protocols = {
    keys: { byName: async (name) => (name === key.name ? { ...key, signer } : undefined) },
    handlers: {
      transfer: async ({ packet }, send) => send(Buffer.from(packet.subarray(0, 12))),
      update: async () => 0,
      notify: async () => 0,
    },
  }
  const below = randomNumbers(seed)
  const now = Math.floor(Date.now() / 1000)
  let intact = 0
  /** CPU time, which other processes on the machine do not make longer. */
  let longestMs = 0
  for (let n = 0; n < count; n++) {
    const { packet, isIntact } = packetOf(below, now)
    const before = { accepted, octets: Buffer.from(packet) }
    const replies: Buffer[] = []
    const started = process.cpuUsage()
    // The nameserver gives only queries to the dispatcher: with a header, and not answers.
    const isQuery = packet.length >= 12 && (packet.readUInt8(2) & 0x80) === 0
    if (isQuery)
      await dispatcher.receive({
        packet,
        client: { address: '192.0.2.1', port: 53, transport: 'udp' },
        send: async (reply) => void replies.push(reply),
        closed: undefined,
        end: () => undefined,
      })
    const { user, system } = process.cpuUsage(started)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    if (isIntact) intact++
    const isAccepted = accepted > before.accepted
    if (isIntact !== isAccepted && (isIntact || !isUnchanged(packet, now)))
      throw new Error(`Seed ${String(seed)}, message ${String(n)}: ${packet.toString('hex')}`)
    if (replies.length > 1 || replies.some((reply) => !isAccepted && reply.length > Math.max(packet.length + 11, 12)))
      throw new Error(`Seed ${String(seed)}, message ${String(n)}: a large answer to ${packet.toString('hex')}`)
    expect(packet.equals(before.octets)).toBe(true)
    if (n % 500 === 0) await nextTurn()
  }
  expect(failures).toEqual([])
  expect(accepted).toBeGreaterThanOrEqual(intact)
  expect(longestMs).toBeLessThan(100)
}, 600_000)

/** Whether the changes have left the signed part as it was: a random octet may be the one that was there, or be in the id. */
function isUnchanged(packet: Buffer, now: number): boolean {
  const tsig = findTsig(packet)!
  const message = Buffer.from(packet.subarray(0, tsig.start))
  message.writeUInt16BE(tsig.originalId, 0)
  message.writeUInt16BE(message.readUInt16BE(10) - 1, 10)
  return findTsig(new TsigSigner(key).sign(message, now))!.mac.equals(tsig.mac)
}
