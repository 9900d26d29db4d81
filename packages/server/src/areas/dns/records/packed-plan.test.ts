import { expect, it } from 'vitest'
import type { RRset } from '../../../ports/dns/port.js'
import { packPlan, unpackPlan } from './packed-plan.js'
import type { RecordsPlan } from './plan.js'
import type { StoredRecord } from './record.js'

const at = '2026-11-27T09:00:00.000Z'
const record = (id: number): StoredRecord => ({
  ...{ id, type: 'TXT', host: `h${String(id)}`, value: `"${'x'.repeat(id % 300)} \\" , [ü🦉`, ttl: 60, priority: null },
  ...{ created_at: at, updated_at: at },
})
const records = (count: number) => Array.from({ length: count }, (_, i) => record(i + 1))
const rrset = (count: number): RRset => ({
  name: 'h.example',
  type: 'TXT',
  ttl: 60,
  records: records(count).map(({ value, priority }) => ({ value, priority })),
})
const plan = (count: number): RecordsPlan => ({
  ...{ zoneId: 1, accountId: 2, zone: 'example', serial: 3, growth: -4, step: 'replace', created: 5 },
  ...{ removed: records(count), added: records(count + 1), before: [rrset(count), rrset(0)], after: [] },
})

it('a large plan is packed into short texts, and unpacked as it was', async () => {
  const given = plan(5_000)
  const packed = packPlan(given)
  if (!('texts' in packed)) throw new Error('The plan is not packed.')
  expect(packed.texts.added.length).toBeGreaterThan(5)
  expect(Math.max(...packed.texts.added.map(({ length }) => length))).toBeLessThan(70_000)
  expect(await unpackPlan(structuredClone(packed))).toEqual(given)
})

it('lets other work run while it unpacks a plan', async () => {
  const packed = packPlan(plan(20_000))
  let turns = 0
  const count = () => {
    turns++
    pending = setImmediate(count)
  }
  let pending = setImmediate(count)
  await unpackPlan(packed)
  clearImmediate(pending)
  expect(turns).toBeGreaterThan(0)
})

it('a small plan is not packed', async () => {
  const given = plan(400)
  expect(packPlan(given)).toBe(given)
  expect(await unpackPlan(given)).toBe(given)
})
