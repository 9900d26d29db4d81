import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { expectError } from '../../../../test/raw-http.js'
import { ownerOn, zoneClient, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'

/** Only the account that holds the zone can read and change its records, regardless of a token's scopes. */

const foreign = ['verified.example', 'contested.example', 'pending.example', 'nowhere.example']

/** Every operation on records, also with input that would be rejected in the account's own zone. */
const operations: readonly (readonly [string, (zone: ZoneClient) => Promise<Answer>])[] = [
  ['list', ({ list }) => list()],
  ['list of a type', ({ list }) => list('?type=A')],
  ['create', ({ create }) => create({ type: 'A', host: 'www', value: '192.0.2.1' })],
  ['create of an existing record', ({ create }) => create({ type: 'A', host: 'www', value: '192.0.2.7', ttl: 300 })],
  ['create with an invalid address', ({ create }) => create({ type: 'A', host: 'www', value: 'x' })],
  ['get', ({ get }) => get(1)],
  ['get of a malformed id', ({ get }) => get('abc')],
  ['update', ({ update }) => update(1, { ttl: 60 })],
  ['update to another type', ({ update }) => update(1, { type: 'TXT' })],
  ['update of a nonexistent record', ({ update }) => update(99, { value: 'x' })],
  ['delete', ({ remove }) => remove(1)],
  ['delete of a nonexistent record', ({ remove }) => remove(99)],
  ['batch', ({ batch }) => batch([{ delete: { id: 1 } }])],
  ['dry run of a batch', ({ batch }) => batch([{ delete: { id: 1 } }], { dry_run: true })],
  ['batch with a nonexistent record', ({ batch }) => batch([{ update: { id: 99, ttl: 60 } }])],
  ['batch with an invalid address', ({ batch }) => batch([{ create: { type: 'A', value: 'x' } }])],
]

/** An answer without the parts that differ between calls: the request id, the zone and the time. */
function neutral({ text, status, headers, body }: Answer): string {
  const fixed = [...headers].filter(([name]) => !['x-request-id', 'content-length', 'date'].includes(name))
  const words = text.replace(JSON.stringify(body['request_id']), 'ID').replace(JSON.stringify(body['zone']), 'ZONE')
  return JSON.stringify([status, fixed, words])
}

describe.each(databaseKinds)('records of others on %s', (kind) => {
  let site: Site
  let ada: Owner
  let bob: Owner
  let verified: ZoneClient
  let contested: ZoneClient
  beforeAll(async () => {
    site = await startSite(kind)
    ada = await ownerOn(site)
    // Every scope.
    bob = await ownerOn(site, '*')
    verified = await ada.claim('verified.example')
    // A third account contests the first zone. The caller contests the second one and has a pending claim on it.
    contested = await ada.claim('contested.example')
    await (await ownerOn(site)).claim('contested.example')
    const pending = await ada.claim('pending.example')
    await bob.claim('pending.example')
    for (const zone of [verified, contested, pending])
      await zone.add({ type: 'A', host: 'www', value: '192.0.2.7', ttl: 300 })
  })
  afterAll(() => site.stop())

  const rows = async () =>
    JSON.stringify([
      await site.sql('select * from dns_zone order by id'),
      await site.sql('select * from dns_claim order by id'),
      await site.sql('select * from dns_record order by zone_id, id'),
    ])

  it.each(operations)(
    '%s: 403 forbidden_zone, the same answer for all of these zones, and nothing changes',
    async (_, act) => {
      const before = await rows()
      const answers: Answer[] = []
      for (const zone of foreign) {
        const answer = await act(zoneClient(site, bob.call, zone))
        expectError(answer, 'forbidden_zone')
        expect(answer.body['zone']).toBe(zone)
        answers.push(answer)
      }
      expect(new Set(answers.map(neutral)).size).toBe(1)
      expect(await rows()).toBe(before)
      for (const zone of [verified, contested]) expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.7'])
    },
  )

  it('records of others are not found by their ids in a zone of the caller, and neither are those of another zone of the caller', async () => {
    const own = await bob.claim('own.example')
    const other = await bob.claim('other.example')
    for (const host of ['a', 'b', 'c']) await other.add({ type: 'A', host, value: '192.0.2.3' })
    const before = await rows()
    for (const id of [1, 3]) {
      expectError(await own.get(id), 'not_found')
      expectError(await own.update(id, { ttl: 60 }), 'not_found')
      expectError(await own.remove(id), 'not_found')
      expectError(await own.batch([{ delete: { id } }]), 'not_found')
    }
    expect((await own.list()).body['data'].records).toEqual([])
    expect(await rows()).toBe(before)
  })

  it('records are inaccessible as soon as the claim is released, and still served', async () => {
    const zone = await bob.claim('released.example')
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.8' })
    await bob.call('DELETE', '/v1/dns/zones/released.example')
    for (const [, act] of operations) expectError(await act(zone), 'forbidden_zone')
    expect(await zone.served('www', 'A')).toEqual(['3600 192.0.2.8'])

    const next = await ada.claim('released.example')
    for (const [, act] of operations) expectError(await act(zone), 'forbidden_zone')
    expect((await next.list()).body['data'].records).toEqual([])
    expect(await zone.served('www', 'A')).toEqual([])
    const before = await rows()
    expectError(await next.get(1), 'not_found')
    expectError(await next.update(1, { ttl: 60 }), 'not_found')
    expectError(await next.remove(1), 'not_found')
    expect(await rows()).toBe(before)
  })

  it('records stay separate from those of the next account, also at the same host, and are served again when their owner returns', async () => {
    const zone = await bob.claim('apart.example')
    await zone.add({ type: 'CNAME', host: 'www', value: 'elsewhere.example.net' })
    await zone.add({ type: 'TXT', host: 'text', value: 'of bob', ttl: 300 })
    await bob.call('DELETE', '/v1/dns/zones/apart.example')
    const next = await ada.claim('apart.example')
    expect(await next.add({ type: 'A', host: 'www', value: '192.0.2.9' })).toMatchObject({ id: 3 })
    await next.add({ type: 'TXT', host: 'text', value: 'of ada', ttl: 600 })
    await next.add({ type: 'TXT', host: 'text', value: 'of bob', ttl: 900 })
    expect(await next.served('text', 'TXT')).toEqual(['900 of ada', '900 of bob'])
    expect((await next.list('?type=TXT')).body['data'].records).toMatchObject([{ id: 4 }, { id: 5 }])

    await ada.call('DELETE', '/v1/dns/zones/apart.example')
    await bob.claim('apart.example')
    expect((await zone.list()).body['data'].records).toMatchObject([
      { id: 1, host: 'www', value: 'elsewhere.example.net' },
      { id: 2, host: 'text', value: 'of bob', ttl: 300 },
    ])
    expect(await zone.served('www', 'CNAME')).toEqual(['3600 elsewhere.example.net'])
    expect(await zone.served('text', 'TXT')).toEqual(['300 of bob'])
    expectError(await zone.get(3), 'not_found')
  })
})
