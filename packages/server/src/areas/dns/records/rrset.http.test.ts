import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, startApp, type Answer, type Envelope, type TestApp } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { ownerOn, written, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'

/** Several records at one name: duplicates, one ttl for each RRset, and CNAMEs, which exclude other records. */

const a = (host: string, last: number, ttl = 3600) => ({ type: 'A', host, value: `192.0.2.${last}`, ttl })
const cname = (host: string) => ({ type: 'CNAME', host, value: 'target.example.net' })

describe.each(databaseKinds)('records of one name on %s', (kind) => {
  let app: TestApp
  let owner: Owner
  let zone: ZoneClient
  beforeAll(async () => {
    app = await startApp(kind)
    owner = await ownerOn(app)
    zone = await owner.claim()
  })
  afterAll(() => app.stop())

  const records = async (): Promise<Envelope[]> => (await zone.list()).body['data'].records
  const expectBadRequest = (answer: Answer, message: string | RegExp) => {
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(message)
  }

  it('answers the existing record when a duplicate is created, with its ttl updated', async () => {
    const first = await zone.add({ type: 'MX', host: 'same', value: 'mail.example.net', priority: 10, ttl: 300 })
    await sleep(5)
    const unchanged = await zone.add({ type: 'MX', host: 'SAME', value: 'Mail.Example.Net.', priority: 10, ttl: 300 })
    expect(unchanged).toEqual(first)
    const again = await zone.add({ type: 'MX', host: 'same', value: 'mail.example.net', priority: 10, ttl: 600 })
    expect(again).toEqual({ ...first, ttl: 600, updated_at: again['updated_at'] })
    expect(again['updated_at'] > first['updated_at']).toBe(true)
    expect(await zone.served('same', 'MX')).toEqual(['600 10 mail.example.net'])
    const other = await zone.add({ type: 'MX', host: 'same', value: 'mail.example.net', priority: 20, ttl: 600 })
    expect(other['id']).not.toBe(first['id'])
    expect(await zone.served('same', 'MX')).toEqual(['600 10 mail.example.net', '600 20 mail.example.net'])
  })

  it('gives all records of a host and type the ttl of the latest write, and no other records', async () => {
    const [one, two] = [await zone.add(a('ttl', 1, 300)), await zone.add(a('ttl', 2, 300))]
    const text = await zone.add({ type: 'TXT', host: 'ttl', value: 'stays', ttl: 300 })
    const elsewhere = await zone.add(a('ttl2', 1, 300))
    await sleep(5)
    const { ttl_changed, ...three } = await zone.add(a('ttl', 3, 900))
    expect(ttl_changed).toEqual([one['id'], two['id']])
    const stored = async () => (await records()).filter(({ host }) => host.startsWith('ttl'))
    const newTtl = { ttl: 900, updated_at: three['updated_at'] }
    expect(await stored()).toEqual([{ ...one, ...newTtl }, { ...two, ...newTtl }, text, elsewhere, three])
    expect(await zone.served('ttl', 'A')).toEqual(['900 192.0.2.1', '900 192.0.2.2', '900 192.0.2.3'])

    await sleep(5)
    const { ttl_changed: alsoChanged, ...changed } = written(await zone.update(two['id'], { ttl: 60 }))
    expect(alsoChanged).toEqual([one['id'], three['id']])
    const last = { ttl: 60, updated_at: changed['updated_at'] }
    expect(changed).toEqual({ ...two, ...last })
    expect(await stored()).toEqual([{ ...one, ...last }, changed, text, elsewhere, { ...three, ...last }])
    expect(await zone.served('ttl', 'A')).toEqual(['60 192.0.2.1', '60 192.0.2.2', '60 192.0.2.3'])
    expect(await zone.served('ttl', 'TXT')).toEqual(['300 stays'])

    await sleep(5)
    expect((await zone.add(a('ttl', 1, 120)))['ttl_changed']).toEqual([two['id'], three['id']])
    expect(
      new Set((await stored()).filter(({ type, host }) => type === 'A' && host === 'ttl').map(({ ttl }) => ttl)),
    ).toEqual(new Set([120]))
  })

  it('leaves the other records unchanged if the ttl is the same', async () => {
    const one = await zone.add(a('kept', 1, 300))
    await sleep(5)
    await zone.add(a('kept', 2, 300))
    expect((await zone.get(one['id'])).body['data']).toEqual(one)
  })

  it('400 for a CNAME beside other records, in either order of creation', async () => {
    const alias = await zone.add(cname('alias'))
    expectBadRequest(await zone.create(a('alias', 1)), 'alias already has a CNAME (id ')
    expectBadRequest(
      await zone.create({ ...cname('alias'), value: 'other.example.net' }),
      'alias already has a CNAME (id ',
    )
    expect(await zone.add(cname('alias'))).toEqual(alias)
    const address = await zone.add(a('plain', 1))
    expectBadRequest(await zone.create(cname('plain')), /plain already has records \(A\)/)
    expectBadRequest(await zone.update(alias['id'], { host: 'plain' }), 'plain already has records')
    expectBadRequest(await zone.update(address['id'], { host: 'alias' }), 'alias already has a CNAME (id ')
    expect(await zone.served('alias', 'CNAME')).toEqual(['3600 target.example.net'])
    expect(await zone.served('plain', 'A')).toEqual(['3600 192.0.2.1'])

    await zone.remove(address['id'])
    expect((await zone.update(alias['id'], { host: 'plain' })).body['data']).toMatchObject({ host: 'plain' })
    expect(await zone.served('plain', 'A')).toEqual(['3600 target.example.net'])
    expect(await zone.served('alias', 'CNAME')).toEqual([])
  })

  it('400 for a record that would make the RRset larger than one DNS answer', async () => {
    const text = (i: number) => ({ type: 'TXT', host: 'full', value: `${i}`.padEnd(20_000, 'x') })
    for (const i of [1, 2, 3]) await zone.add(text(i))
    expectBadRequest(await zone.create(text(4)), /would bring the TXT records at host full to \d+ bytes/)
    expect(await zone.served('full', 'TXT')).toEqual([1, 2, 3].map((i) => `3600 ${text(i).value}`))
  })
})
