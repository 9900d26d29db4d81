import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeDns } from '../../../../test/fake-dns.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { OutcomeUnknown, type RRset } from '../../../ports/dns/port.js'
import type { RecordChange } from '../records/record.js'
import type { WantedChange } from '../records/wanted-changes.js'
import { selectPublisher } from './select.js'
import { dnsStores } from '../stores.js'
import { requestZoneLock } from './zone-lock.js'

let site: TwoProcesses
beforeAll(async () => {
  site = await twoProcesses('sqlite')
})
afterAll(() => site.stop())

it('a provider gets every RRset that a deletion touched if another process moved the record without the lock', async () => {
  const zone = 'moved.example'
  const ada = site.people[0]!
  const now = '2026-11-22T00:00:00.000Z'
  const stores = dnsStores(site.db, { recordsMax: 10, zoneBytesMax: 10_000, zonesMax: 10 })
  const { records } = stores
  await stores.claims.claim(ada, zone)
  const creation: RecordChange = {
    kind: 'create',
    record: { type: 'A', host: 'www', value: '192.0.2.1', ttl: 60, priority: null },
  }
  const { id } = (await records.apply(ada, zone, creation, now)).record

  const provider = new FakeDns(true)
  const published: RRset[][] = []
  provider.publish = async ({ rrsets }) => {
    published.push([...rrsets])
  }
  const afterMove: typeof records.applyAlone = async (...args) => {
    await records.apply(ada, zone, { kind: 'update', id, changes: { host: 'elsewhere' } }, now)
    return records.applyAlone(...args)
  }
  const failed: string[] = []
  const publisher = selectPublisher(provider, {
    stores: { ...stores, records: { ...records, applyAlone: afterMove } },
    withZoneLock: requestZoneLock(site.db.withLock),
    notePublished: undefined,
    reportRestoreFailed: (name) => failed.push(name),
  })

  await publisher.applyChange(ada, zone, { kind: 'delete', id })
  expect(published.at(-1)).toMatchObject([
    { name: `www.${zone}`, type: 'A', records: [] },
    { name: `elsewhere.${zone}`, type: 'A', records: [] },
  ])
  expect(failed).toEqual([])
})

it('a provider gets a replaced RRset before the commit, nothing for the same values again, and keeps it if the commit was lost', async () => {
  const zone = 'replaced.example'
  const ada = site.people[0]!
  const stores = dnsStores(site.db, { recordsMax: 10, zoneBytesMax: 10_000, zonesMax: 10 })
  const { records } = stores
  await stores.claims.claim(ada, zone)

  const provider = new FakeDns(true)
  const published: string[][] = []
  provider.publish = async ({ rrsets }) => {
    published.push(rrsets.flatMap((rrset) => rrset.records.map(({ value }) => value)))
  }
  let isLost = false
  const connectionBreaks: typeof records.replaceRRset = async (...args) => {
    const committed = await records.replaceRRset(...args)
    if (isLost) throw new Error('the connection broke')
    return committed
  }
  const publisher = selectPublisher(provider, {
    stores: { ...stores, records: { ...records, replaceRRset: connectionBreaks } },
    withZoneLock: requestZoneLock(site.db.withLock),
    notePublished: undefined,
    reportRestoreFailed: () => undefined,
  })

  const wanted = { type: 'A', host: 'www', ttl: 60, priority: null, values: ['192.0.2.1', '192.0.2.2'] } as const
  await publisher.replaceRRset(ada, zone, wanted)
  expect(published).toEqual([wanted.values])
  const { serial } = await stores.zones.contents(zone)
  await publisher.replaceRRset(ada, zone, wanted)
  expect(published).toHaveLength(1)

  isLost = true
  const moved = { ...wanted, values: ['192.0.2.1', '192.0.2.7'] }
  const { after } = await publisher.replaceRRset(ada, zone, moved)
  expect(after[0]?.records.map(({ value }) => value)).toEqual(moved.values)
  expect((await stores.zones.contents(zone)).serial).toBe(serial + 1)
  expect(published.slice(1)).toEqual([moved.values])
})

it('a provider gets a batch in one call before the commit, the former RRsets if its answer is lost, and keeps it if that of the commit is', async () => {
  const zone = 'batch.example'
  const ada = site.people[0]!
  const stores = dnsStores(site.db, { recordsMax: 10, zoneBytesMax: 10_000, zonesMax: 10 })
  const { records } = stores
  await stores.claims.claim(ada, zone)

  const provider = new FakeDns(true)
  const published: string[][] = []
  let answer = () => Promise.resolve()
  provider.publish = async ({ rrsets }) => {
    published.push(rrsets.map(({ name, records: { length } }) => `${name.split('.')[0]} ${length}`).sort())
    await answer()
  }
  const connectionBreaks: typeof records.applyChanges = async (...args) => {
    await records.applyChanges(...args)
    throw new Error('the connection broke')
  }
  const publisherWith = (applyChanges: typeof records.applyChanges) =>
    selectPublisher(provider, {
      stores: { ...stores, records: { ...records, applyChanges } },
      withZoneLock: requestZoneLock(site.db.withLock),
      notePublished: undefined,
      reportRestoreFailed: (_, error) => {
        throw error
      },
    })
  const create = (host: string): WantedChange => ({
    kind: 'create',
    record: { type: 'A', host, value: '192.0.2.1', ttl: 60, priority: null },
  })
  const publisher = publisherWith(records.applyChanges)

  await publisher.applyChanges(ada, zone, [create('a'), create('b')])
  expect(published).toEqual([['a 1', 'b 1']])
  await publisher.applyChanges(ada, zone, [create('a'), create('x'), { kind: 'delete', id: 3 }])
  expect(published).toHaveLength(1)

  const changes: WantedChange[] = [{ kind: 'delete', id: 1 }, create('c')]
  answer = () => {
    answer = () => Promise.resolve()
    return Promise.reject(new OutcomeUnknown('it did not answer', zone))
  }
  await expect(publisher.applyChanges(ada, zone, changes)).rejects.toThrow('it did not answer')
  expect(published.slice(1)).toEqual([
    ['a 0', 'c 1'],
    ['a 1', 'c 0'],
  ])
  const { serial } = await stores.zones.contents(zone)

  const { removed, added } = await publisherWith(connectionBreaks).applyChanges(ada, zone, changes)
  expect([removed, added]).toMatchObject([[{ id: 1 }], [{ id: 3, host: 'c' }]])
  expect((await stores.zones.contents(zone)).serial).toBe(serial + 1)
  expect(published.slice(3)).toEqual([['a 0', 'c 1']])
})

it('a provider gets what a revert restores before the commit, and nothing of a refused one', async () => {
  const zone = 'reverted.example'
  const ada = site.people[0]!
  const now = '2026-11-22T00:00:00.000Z'
  const stores = dnsStores(site.db, { recordsMax: 10, zoneBytesMax: 10_000, zonesMax: 10 })
  const { records, reverts } = stores
  await stores.claims.claim(ada, zone)
  const record = { type: 'A', host: 'www', value: '192.0.2.1', ttl: 60, priority: null } as const
  const { record: made } = await records.apply(ada, zone, { kind: 'create', record }, now)
  const { serial } = await records.apply(
    ada,
    zone,
    { kind: 'update', id: made.id, changes: { value: '192.0.2.2' } },
    now,
  )

  const provider = new FakeDns(true)
  const published: (readonly [number, string[]])[] = []
  provider.publish = async ({ serial: of, rrsets }) => {
    published.push([of, rrsets.flatMap((rrset) => rrset.records.map(({ value }) => value))])
  }
  let isLost = false
  const connectionBreaks: typeof reverts.apply = async (...args) => {
    const committed = await reverts.apply(...args)
    if (isLost) throw new Error('the connection broke')
    return committed
  }
  const publisher = selectPublisher(provider, {
    stores: { ...stores, reverts: { ...reverts, apply: connectionBreaks } },
    withZoneLock: requestZoneLock(site.db.withLock),
    notePublished: undefined,
    reportRestoreFailed: () => undefined,
  })
  await publisher.revert(ada, zone, { serial })
  await expect(publisher.revert(ada, zone, { serial })).rejects.toThrow(/cannot be taken back alone/)
  expect(published).toEqual([[serial + 1, ['192.0.2.1']]])
  isLost = true
  await publisher.revert(ada, zone, { to: serial })
  expect(published.at(-1)).toEqual([serial + 2, ['192.0.2.2']])
})
