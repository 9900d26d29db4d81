import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, startApp, type Envelope, type TestApp } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import { readConfig } from '../../../config/config.js'

/** Concurrent record changes, and the limit of records in a zone. */

const recordsMax = 12
const settings = readConfig({ env: { SVC_DNS_PORT: '0', SVC_DNS_RECORDS_MAX: String(recordsMax) } }).dns

const a = (i: number, host = `host${i}`) => ({ type: 'A', host, value: `192.0.2.${i}`, ttl: 300 })
/** The expected answers of the nameserver. */
const asServed = (records: Envelope[]) => records.map(({ ttl, value }) => `${String(ttl)} ${String(value)}`).sort()
const hostsOf = async (zone: ZoneClient): Promise<string[]> =>
  (await zone.list()).body['data'].records.map(({ host }: { host: string }) => host)

describe.each(databaseKinds)('concurrent changes on %s', (kind) => {
  let app: TestApp
  let owner: Owner
  beforeAll(async () => {
    app = await startApp(kind)
    owner = await ownerOn(app)
  })
  afterAll(() => app.stop())

  const each = <R>(count: number, act: (i: number) => Promise<R>) =>
    Promise.all(Array.from({ length: count }, (_, i) => act(i)))

  it('40 new records: each has a unique id and is served, and the serial grows by 40', async () => {
    const zone = await owner.claim()
    const serial = await zone.serial()
    const created = await each(40, (i) => zone.add(a(i)))
    expect(created.map(({ id }) => id as number).sort((x, y) => x - y)).toEqual(
      Array.from({ length: 40 }, (_, i) => i + 1),
    )
    expect((await hostsOf(zone)).sort()).toEqual(created.map(({ host }) => host as string).sort())
    await each(40, async (i) => {
      expect(await zone.served(`host${i}`, 'A')).toEqual([`300 192.0.2.${i}`])
    })
    expect(await zone.serial()).toBe(serial + 40)
  })

  it('40 new records of one name: the nameserver serves all of them', async () => {
    const zone = await owner.claim()
    await each(40, (i) => zone.add({ ...a(i, 'www'), ttl: 60 + i }))
    const served = await zone.served('www', 'A')
    expect(served).toHaveLength(40)
    expect(new Set(served.map((answer) => answer.split(' ')[0])).size).toBe(1)
    const { records } = (await zone.list()).body['data']
    expect(served).toEqual(asServed(records))
  })

  it('40 equal new records: one is created', async () => {
    const zone = await owner.claim()
    const created = await each(40, () => zone.add(a(1)))
    expect(new Set(created.map(({ id }) => id))).toEqual(new Set([1]))
    expect(await hostsOf(zone)).toEqual(['host1'])
  })

  it('a CNAME and addresses at one name: exactly one of the types is created', async () => {
    const zone = await owner.claim()
    for (let round = 0; round < 5; round++) {
      const host = `round${round}`
      const answers = await each(10, (i) =>
        zone.create(i % 2 === round % 2 ? a(i, host) : { type: 'CNAME', host, value: 'target.example.net' }),
      )
      for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, 'bad_request')
      const types = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body['data'].type))
      expect(types.size).toBe(1)
      const { records } = (await zone.list()).body['data']
      const stored = new Set(
        records.filter((row: { host: string }) => row.host === host).map(({ type }: { type: string }) => type),
      )
      expect(stored).toEqual(types)
      expect(await zone.served(host, 'CNAME')).toHaveLength(types.has('CNAME') ? 1 : 0)
    }
  })

  it('updates and deletions of the same records: the database and the nameserver agree', async () => {
    const zone = await owner.claim()
    const ids = (await each(10, (i) => zone.add(a(i, 'www')))).map(({ id }) => id)
    await Promise.all(
      ids.flatMap((id, i) => [
        zone.update(id, { value: `198.51.100.${i}` }),
        i % 2 === 0 ? zone.remove(id) : zone.get(id),
      ]),
    )
    const { records } = (await zone.list()).body['data']
    expect(records).toHaveLength(5)
    const kept = asServed(records)
    expect(kept).toEqual([1, 3, 5, 7, 9].map((i) => `300 198.51.100.${i}`))
    expect(await zone.served('www', 'A')).toEqual(kept)
  })
})

describe.each(databaseKinds)(`a zone with a limit of ${recordsMax} records on %s`, (kind) => {
  let app: TestApp
  let owner: Owner
  beforeAll(async () => {
    app = await startApp(kind, { dns: settings })
    owner = await ownerOn(app)
  })
  afterAll(() => app.stop())

  const full = `The zone has ${recordsMax} records, the maximum: delete some first.`

  it('never exceeds the limit under concurrent creations', async () => {
    const zone = await owner.claim()
    for (let i = 0; i < recordsMax - 5; i++) await zone.add(a(i))
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => zone.create(a(100 + i))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toBe(full)
    }
    expect(await hostsOf(zone)).toHaveLength(recordsMax)
  })

  it('a full zone accepts changes that add no record, and a new record after a deletion', async () => {
    const zone = await owner.claim()
    for (let i = 0; i < recordsMax; i++) await zone.add(a(i))
    expect(await zone.add({ ...a(3), ttl: 60 })).toMatchObject({ id: 4, ttl: 60 })
    expect((await zone.update(4, { host: 'moved' })).status).toBe(200)
    expect((await zone.create(a(50))).body['message']).toBe(full)
    for (let i = 0; i < 3; i++) {
      await zone.remove((await zone.list()).body['data'].records[0].id)
      await zone.add(a(60 + i))
      expect((await zone.create(a(50))).body['message']).toBe(full)
    }
    expect(await hostsOf(zone)).toHaveLength(recordsMax)
    const other = await owner.claim()
    await other.add(a(1))
  })
})
