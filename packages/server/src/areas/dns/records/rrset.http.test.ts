import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, startApp, type Answer, type Envelope, type TestApp } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'

/** Records of one name beside each other: copies, one ttl for all of a type, aliases that stand alone. */

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
  const refuse = (answer: Answer, message: string | RegExp) => {
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(message)
  }

  it('answers the record that stands where an equal one is created, its ttl updated', async () => {
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

  it('gives all records of a host and type the ttl of the latest write, and no others', async () => {
    const [one, two] = [await zone.add(a('ttl', 1, 300)), await zone.add(a('ttl', 2, 300))]
    const text = await zone.add({ type: 'TXT', host: 'ttl', value: 'stays', ttl: 300 })
    const elsewhere = await zone.add(a('ttl2', 1, 300))
    await sleep(5)
    const three = await zone.add(a('ttl', 3, 900))
    const standing = async () => (await records()).filter(({ host }) => host.startsWith('ttl'))
    const retimed = { ttl: 900, updated_at: three['updated_at'] }
    expect(await standing()).toEqual([{ ...one, ...retimed }, { ...two, ...retimed }, text, elsewhere, three])
    expect(await zone.served('ttl', 'A')).toEqual(['900 192.0.2.1', '900 192.0.2.2', '900 192.0.2.3'])

    await sleep(5)
    const { data: changed } = (await zone.update(two['id'], { ttl: 60 })).body
    const last = { ttl: 60, updated_at: changed.updated_at }
    expect(changed).toEqual({ ...two, ...last })
    expect(await standing()).toEqual([{ ...one, ...last }, changed, text, elsewhere, { ...three, ...last }])
    expect(await zone.served('ttl', 'A')).toEqual(['60 192.0.2.1', '60 192.0.2.2', '60 192.0.2.3'])
    expect(await zone.served('ttl', 'TXT')).toEqual(['300 stays'])

    await sleep(5)
    await zone.add(a('ttl', 1, 120))
    expect(
      new Set((await standing()).filter(({ type, host }) => type === 'A' && host === 'ttl').map(({ ttl }) => ttl)),
    ).toEqual(new Set([120]))
  })

  it('leaves the others as they are where the ttl is the same', async () => {
    const one = await zone.add(a('kept', 1, 300))
    await sleep(5)
    await zone.add(a('kept', 2, 300))
    expect((await zone.get(one['id'])).body['data']).toEqual(one)
  })

  it('lets a CNAME stand alone only, whichever comes first', async () => {
    const alias = await zone.add(cname('alias'))
    refuse(await zone.create(a('alias', 1)), 'host alias has a CNAME record already')
    refuse(
      await zone.create({ ...cname('alias'), value: 'other.example.net' }),
      'host alias has a CNAME record already',
    )
    expect(await zone.add(cname('alias'))).toEqual(alias)
    const address = await zone.add(a('plain', 1))
    refuse(await zone.create(cname('plain')), /host plain has records already \(A\)/)
    refuse(await zone.update(alias['id'], { host: 'plain' }), 'host plain has records already')
    refuse(await zone.update(address['id'], { host: 'alias' }), 'host alias has a CNAME record already')
    expect(await zone.served('alias', 'CNAME')).toEqual(['3600 target.example.net'])
    expect(await zone.served('plain', 'A')).toEqual(['3600 192.0.2.1'])

    await zone.remove(address['id'])
    expect((await zone.update(alias['id'], { host: 'plain' })).body['data']).toMatchObject({ host: 'plain' })
    expect(await zone.served('plain', 'A')).toEqual(['3600 target.example.net'])
    expect(await zone.served('alias', 'CNAME')).toEqual([])
  })

  it('400 for what would no longer fit into one answer', async () => {
    const text = (i: number) => ({ type: 'TXT', host: 'full', value: `${i}`.padEnd(20_000, 'x') })
    for (const i of [1, 2, 3]) await zone.add(text(i))
    refuse(await zone.create(text(4)), /would bring the TXT records at host full to \d+ bytes/)
    expect(await zone.served('full', 'TXT')).toEqual([1, 2, 3].map((i) => `3600 ${text(i).value}`))
  })
})
