import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import type { RecordPlan } from '../records/plan.js'
import type { RecordChange } from '../records/record.js'
import { dnsStores, type DnsStores } from '../stores.js'

describe.each(databaseKinds)('the outcome of a change on %s', (kind) => {
  const zone = 'outcome.example'
  const now = '2026-11-22T00:00:00.000Z'
  let site: TwoProcesses
  let stores: DnsStores
  beforeAll(async () => {
    site = await twoProcesses(kind)
    stores = dnsStores(site.db, { recordsMax: 10, zoneBytesMax: 10_000, zonesMax: 10 })
    await stores.claims.claim(site.people[0]!, zone)
  })
  afterAll(() => site.stop())

  const creation: RecordChange = {
    kind: 'create',
    record: { type: 'A', host: 'www', value: '192.0.2.1', ttl: 300, priority: null },
  }
  const plan = (change: RecordChange) => stores.records.plan(site.people[0]!, zone, change, now)
  const apply = (change: RecordChange) => stores.records.apply(site.people[0]!, zone, change, now)
  const written = ({ zoneId, serial, record }: RecordPlan) => ({ zone, zoneId, serial, written: [record], deleted: [] })

  it('a change is committed if the rows are as written', async () => {
    const planned = await plan(creation)
    expect(await stores.outcomes.wasCommitted(written(planned))).toBe(false)
    await apply(creation)
    expect(await stores.outcomes.wasCommitted(written(planned))).toBe(true)
  })

  it('a change is not committed if another change has written other rows', async () => {
    const { record } = await apply(creation)
    const planned = await plan({ kind: 'update', id: record.id, changes: { value: '192.0.2.2' } })
    await apply({ kind: 'update', id: record.id, changes: { value: '192.0.2.3' } })
    expect(await stores.outcomes.wasCommitted(written(planned))).toBe(false)
  })

  it('a change is committed if the rows are deleted', async () => {
    const { record } = await apply({ ...creation, record: { ...creation.record, host: 'gone' } })
    const { zoneId, serial } = await plan({ kind: 'delete', id: record.id })
    const expected = { zone, zoneId, serial, written: [], deleted: [record.id] }
    expect(await stores.outcomes.wasCommitted(expected)).toBe(false)
    await apply({ kind: 'delete', id: record.id })
    expect(await stores.outcomes.wasCommitted(expected)).toBe(true)
  })

  it('a change is not committed in a nonexistent zone', async () => {
    expect(await stores.outcomes.wasCommitted({ zone, zoneId: 987, serial: 1, written: [], deleted: [] })).toBe(false)
  })
})
