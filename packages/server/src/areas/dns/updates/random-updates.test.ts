import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { change, prereq, updatePacket, type WireRecord } from '../../../../test/dns-update.js'
import {
  changeCases,
  nameservers,
  prerequisiteCases,
  recordsBefore,
  serialBefore,
} from '../../../../test/update-cases.js'
import { operatorActor } from '../../../shared/actor.js'
import { runAtOnce } from '../../../shared/time-slices.js'
import type { PlannedZone } from '../records/plan.js'
import type { StoredRecord } from '../records/record.js'
import { planUpdate, type UpdatePlan } from './plan-update.js'
import { rcode } from '../../../ports/dns/embedded/codes.js'
import { readUpdate } from './read-update.js'

/** Random and damaged messages. SVC_TEST_LONG=1 takes a hundred times as many, from SVC_TEST_SEED. */

const isLong = process.env['SVC_TEST_LONG'] === '1'
const seed = Number(process.env['SVC_TEST_SEED'] ?? 1)
const runs = (few: number) => ({ numRuns: isLong ? 100 * few : few, seed })
const timeout = isLong ? 900_000 : 30_000

const zone = 'zone.example'
const apex = { nameservers, hostmaster: undefined }
const now = '2026-11-22T00:00:00.000Z'
const before = '2026-11-01T00:00:00.000Z'
const cap = { recordsMax: 12, zoneBytesMax: 10_000 }

const stored = (records: readonly Omit<StoredRecord, 'id' | 'created_at' | 'updated_at'>[]): StoredRecord[] =>
  records.map((record, index) => ({ ...record, id: index + 1, created_at: before, updated_at: before }))

function planOf(packet: Buffer, rows: readonly StoredRecord[]): UpdatePlan | number {
  const read = readUpdate(packet, apex)
  if (typeof read === 'number') return read
  const planned: PlannedZone = {
    ...{ id: 5, accountId: 1, zone, rules: undefined, actor: operatorActor('test') },
    ...{ serial: serialBefore, last_record_id: rows.length, content_bytes: 500 },
  }
  try {
    return runAtOnce(planUpdate(planned, rows.length, rows, read.update, cap, now))
  } catch (error) {
    if (error instanceof ApiError) return rcode.refused
    throw error
  }
}

const textOf = ({ host, type, value, ttl }: Omit<StoredRecord, 'id' | 'priority' | 'created_at' | 'updated_at'>) =>
  `${host} ${type} ${value} ${ttl}`

/** The records after a plan. */
function applied(rows: readonly StoredRecord[], { removed, added }: UpdatePlan): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const { id } of removed) expect(byId.delete(id), 'removes a record that exists').toBe(true)
  for (const record of added) {
    expect(byId.has(record.id), 'creates no id twice').toBe(false)
    byId.set(record.id, record)
  }
  return Array.from(byId.values(), textOf).sort()
}

const damage = fc.oneof(
  fc.record({ at: fc.nat(400), octet: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ cut: fc.nat(400) }),
  fc.record({ append: fc.uint8Array({ maxLength: 20 }) }),
  fc.record({ copy: fc.tuple(fc.nat(400), fc.nat(400), fc.nat(40)) }),
)

it(
  'damaged messages get a code, and never leave an alias beside other records',
  () => {
    const rows = stored(recordsBefore)
    const whole = [...prerequisiteCases, ...changeCases].map(({ when = [], then = [] }) =>
      updatePacket({ zone, prerequisites: when, updates: then }),
    )
    const codes = new Set<number>()
    fc.assert(
      fc.property(fc.constantFrom(...whole), fc.array(damage, { minLength: 1, maxLength: 4 }), (message, damages) => {
        let packet = Buffer.from(message)
        for (const one of damages) {
          if ('cut' in one) packet = packet.subarray(0, Math.max(12, packet.length - one.cut))
          else if ('append' in one) packet = Buffer.concat([packet, one.append])
          else if ('copy' in one) packet.copyWithin(one.copy[0], one.copy[1], one.copy[1] + one.copy[2])
          else if (one.at < packet.length) packet[one.at] = one.octet
        }
        const plan = planOf(packet, rows)
        codes.add(typeof plan === 'number' ? plan : plan.rcode)
        if (typeof plan === 'number') return
        if (plan.rcode !== rcode.noError) expect([plan.step, plan.removed, plan.added]).toEqual(['none', [], []])
        const after = applied(rows, plan).map((line) => line.split(' ') as [string, string])
        for (const [host, type] of after)
          if (type === 'CNAME') expect(after.filter(([other]) => other === host)).toHaveLength(1)
      }),
      runs(5_000),
    )
    expect(codes.size).toBeGreaterThan(7)
  },
  timeout,
)

const hosts = ['a', 'b', 'a.b'] as const
const kinds = ['A', 'TXT', 'CNAME'] as const
const values = { A: ['192.0.2.1', '192.0.2.2'], TXT: ['x', 'y'], CNAME: ['x.example', 'y.example'] } as const
type Kind = (typeof kinds)[number]

const steps = fc.array(
  fc.record({
    act: fc.constantFrom('add', 'add', 'remove', 'removeRRset', 'removeName'),
    host: fc.constantFrom(...hosts),
    type: fc.constantFrom(...kinds),
    value: fc.nat(1),
    ttl: fc.constantFrom(60, 300),
  }),
  { maxLength: 8 },
)

type Model = Map<string, { ttl: number; values: Set<string> }>

/** RFC 2136, section 3.4.2, in its plainest form; undefined if svc refuses the update. */
function model(rows: Model, wanted: readonly StepValue[]): Model | undefined {
  const sets: Model = new Map(Array.from(rows, ([key, set]) => [key, { ttl: set.ttl, values: new Set(set.values) }]))
  const typesAt = (host: string) => [...sets].filter(([key, set]) => key.startsWith(`${host} `) && set.values.size > 0)
  for (const { act, host, type, value: index, ttl } of wanted) {
    const key = `${host} ${type}`
    const value = values[type][index as 0 | 1]
    if (act === 'removeName') for (const [there] of typesAt(host)) sets.delete(there)
    if (act === 'removeRRset') sets.delete(key)
    if (act === 'remove') sets.get(key)?.values.delete(value)
    if (act !== 'add') continue
    const others = typesAt(host).filter(([there]) => there !== key)
    const isBesideAlias = others.some(([there]) => type === 'CNAME' || there.endsWith(' CNAME'))
    if (isBesideAlias) return undefined
    const set = sets.get(key)?.values
    sets.set(key, { ttl, values: new Set(type === 'CNAME' ? [value] : [...(set ?? []), value]) })
    const count = [...sets.values()].reduce((sum, one) => sum + one.values.size, 0)
    if (count > cap.recordsMax) return undefined
  }
  return sets
}

interface StepValue {
  readonly act: string
  readonly host: string
  readonly type: Kind
  readonly value: number
  readonly ttl: number
}

function recordOf({ act, host, type, value: index, ttl }: StepValue): WireRecord {
  const value = values[type][index as 0 | 1]
  if (act === 'add') return change.add(host, ttl, type, value)
  if (act === 'remove') return change.remove(host, type, value)
  return act === 'removeRRset' ? change.removeRRset(host, type) : change.removeName(host)
}

const rowsOf = (sets: Model): StoredRecord[] =>
  stored(
    Array.from(sets).flatMap(([key, set]) => {
      const [host, type] = key.split(' ') as [string, Kind]
      return Array.from(set.values, (value) => ({ host, type, value, ttl: set.ttl, priority: null }))
    }),
  )

it(
  'any sequence of changes has the result of RFC 2136, section 3.4.2, and no effect if that is the zone as it was',
  () => {
    const empty: Model = new Map()
    let refused = 0
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const start = model(empty, first) ?? empty
        const rows = rowsOf(start)
        const wanted = model(start, second)
        const plan = planOf(updatePacket({ zone, updates: second.map(recordOf) }), rows)
        if (wanted === undefined) {
          refused++
          expect(plan).toBe(rcode.refused)
          return
        }
        if (typeof plan === 'number') expect.fail(`refused with ${plan}`)
        const after = rowsOf(wanted).map(textOf).sort()
        expect(applied(rows, plan)).toEqual(after)
        expect(plan.step === 'none').toBe(after.join() === rows.map(textOf).sort().join())
      }),
      runs(2_000),
    )
    expect(refused).toBeGreaterThan(10)
  },
  timeout,
)

it('the largest messages are read in a few milliseconds, whatever pointers their names have', () => {
  const header = updatePacket({ zone, prerequisites: [], updates: [] })
  // A chain of pointers, each to the one before it, in the data of a record; then names that begin at its end.
  const chainAt = header.length + 1 + 10
  const chain = Buffer.alloc(2 * 7_000)
  chain.writeUInt16BE(0xc00c, 0)
  for (let i = 1; i < 7_000; i++) chain.writeUInt16BE(0xc000 | (chainAt + 2 * (i - 1)), 2 * i)
  const first = Buffer.concat([
    Buffer.from([0, 0, 99, 0, 255, 0, 0, 0, 0]),
    Buffer.from([chain.length >> 8, chain.length & 255]),
    chain,
  ])
  const pointing = Buffer.alloc(12)
  pointing.writeUInt16BE(0xc000 | (chainAt + 2 * 6_999), 0)
  pointing.writeUInt16BE(1, 2)
  pointing.writeUInt16BE(254, 4)
  const packet = Buffer.concat([header, first, ...Array.from({ length: 499 }, () => pointing)])
  packet.writeUInt16BE(500, 6)
  const since = performance.now()
  expect(readUpdate(packet, apex)).toBe(rcode.formErr)
  const long = 'abcdefgh.'.repeat(26)
  const names = Array.from({ length: 500 }, (_, i) => prereq.nxdomain(`${long}${i}`))
  expect(readUpdate(updatePacket({ zone, prerequisites: names }), apex)).toMatchObject({ zone })
  expect(performance.now() - since).toBeLessThan(500)
})

it('refuses more records than a batch of the API has changes, before it reads them', () => {
  const packet = updatePacket({ zone })
  packet.writeUInt16BE(501, 8)
  expect(readUpdate(packet, apex)).toBe(rcode.refused)
})
