import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordTypes } from '@svc/contract'
import { databaseKinds, startApp, type TestApp } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'

/** One record of each type. `kept` is the stored value, where it differs from the sent one. */
const ofEachType = [
  { type: 'A', value: '192.0.2.1' },
  { type: 'AAAA', value: '2001:DB8:0:0::1', kept: '2001:db8::1' },
  { type: 'CNAME', value: 'Target.Example.NET.', kept: 'target.example.net' },
  { type: 'MX', value: 'mail.example.net', priority: 10 },
  { type: 'TXT', value: 'v=1; "quoted" and back\\slash, grüße 🦉' },
  { type: 'NS', value: 'ns1.example.net' },
  { type: 'SRV', value: '5 443 target.example.net', priority: 0 },
  { type: 'CAA', value: '0 issue "ca.example.net"' },
  { type: 'PTR', value: 'host.example.net' },
  { type: 'SPF', value: '"v=spf1 " "-all"', kept: 'v=spf1 -all' },
] as const

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const a = { type: 'A', value: '192.0.2.1' }
const rejected = (body: object, message: string) => [JSON.stringify(body), body, message] as const

describe.each(databaseKinds)('creating records on %s', (kind) => {
  let app: TestApp
  let owner: Owner
  let zone: ZoneClient
  beforeAll(async () => {
    app = await startApp(kind)
    owner = await ownerOn(app)
    zone = await owner.claim()
  })
  afterAll(() => app.stop())

  it('the creation of records is tested with every record type', () => {
    expect(ofEachType.map(({ type }) => type)).toEqual(recordTypes)
  })

  it.each(ofEachType)('$type: answers the whole record, and the nameserver serves it at once', async (sent) => {
    const { type, value } = sent
    const { priority = null, kept = value } = sent as { priority?: number; kept?: string }
    const host = `of-${type.toLowerCase()}`
    const record = await zone.add({ type, host, value, ttl: 300, ...(priority === null ? {} : { priority }) })
    expect(record).toEqual({
      id: expect.any(Number),
      zone: zone.zone,
      type,
      host,
      name: `${host}.${zone.zone}`,
      value: kept,
      ttl: 300,
      priority,
      created_at: time,
      updated_at: record['created_at'],
    })
    expect(Math.abs(Date.parse(record['created_at']) - Date.now())).toBeLessThan(10_000)
    expect((await zone.get(record['id'])).body['data']).toEqual(record)
    expect(await zone.served(host, type)).toEqual([[300, priority, kept].filter((part) => part !== null).join(' ')])
  })

  it('a record without host and ttl is at the apex, with a ttl of one hour', async () => {
    const { zone: name, create, served } = await owner.claim()
    for (const host of [undefined, '', '@']) {
      const { body } = await create({ ...a, host })
      expect(body['data']).toMatchObject({ id: 1, host: '@', name, ttl: 3600, priority: null })
    }
    expect(await served('@', 'A')).toEqual(['3600 192.0.2.1'])
  })

  it.each([
    ['Www', 'www', 'www'],
    ['a.b.c', 'a.b.c', 'a.b.c'],
    ['_sip._tcp', '_sip._tcp', '_sip._tcp'],
    ['bücher', 'xn--bcher-kva', 'xn--bcher-kva'],
    ['*.wild', '*.wild', 'anything.wild'],
  ])('accepts the host %s', async (host, kept, queried) => {
    const record = await zone.add({ type: 'TXT', host, value: 'here' })
    expect(record).toMatchObject({ host: kept, name: `${kept}.${zone.zone}` })
    expect(await zone.served(queried, 'TXT')).toEqual(['3600 here'])
  })

  it.each([
    rejected(
      { type: 'CNAME', host: '@', value: 'x.example.net' },
      'host @ is the zone itself, which cannot be a CNAME',
    ),
    rejected({ type: 'NS', host: '', value: 'ns.example.net' }, 'host @ cannot have NS records'),
    rejected({ ...a, host: 'a b' }, 'host must be a name relative to the zone'),
    rejected({ ...a, host: 'www.*' }, 'host must be a name relative to the zone'),
    rejected({ ...a, host: 'www.' }, 'host must be relative to the zone, without a dot at its end'),
    rejected({ type: 'MX', host: 'x', value: 'mail.example.net' }, 'priority is required for MX records'),
    rejected({ type: 'SRV', host: 'x', value: '0 1 x.example.net' }, 'priority is required for SRV records'),
    rejected({ type: 'MX', host: 'x', value: 'mail.example.net', priority: 65536 }, 'priority must be a whole number'),
    rejected({ type: 'MX', host: 'x', value: 'mail.example.net', priority: -1 }, 'priority must be a whole number'),
    rejected({ type: 'A', host: 'x', value: '2001:db8::1' }, 'value must be'),
    rejected({ type: 'A', host: 'x', value: '' }, 'value must'),
    rejected({ type: 'A', host: 'x' }, 'value is required'),
    rejected({ value: '192.0.2.1' }, 'type is required'),
    rejected({ type: 'DS', value: 'x' }, 'type must be'),
    rejected({ ...a, host: null }, 'host must be'),
    rejected({ ...a, ttl: 59 }, 'ttl must be'),
    rejected({ ...a, ttl: 2592001 }, 'ttl must be'),
    rejected({ ...a, ttl: 60.5 }, 'ttl must be'),
    rejected({ ...a, ttl: '60' }, 'ttl must be'),
    rejected({ ...a, ttl: null }, 'ttl must be'),
    rejected({ ...a, name: 'www' }, 'name is not known'),
  ])('400 for %s, and nothing changes', async (_, body, message) => {
    const [serial, before] = [await zone.serial(), await zone.list()]
    const answer = await zone.create(body)
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toContain(message)
    expect(await zone.serial()).toBe(serial)
    expect((await zone.list()).body['data']).toEqual(before.body['data'])
  })

  it('400 for a host that ends in the name of the zone, and suggests the relative one', async () => {
    const answer = await zone.create({ ...a, host: `www.${zone.zone}` })
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toContain(`without ${zone.zone} at its end: www, not`)
  })

  it.each([60, 2592000])('accepts a ttl of %d seconds, and the nameserver serves it', async (ttl) => {
    const host = `ttl${ttl}`
    expect(await zone.add({ ...a, host, ttl })).toMatchObject({ ttl })
    expect(await zone.served(host, 'A')).toEqual([`${ttl} 192.0.2.1`])
  })

  it.each([0, 65535])('accepts a priority of %d', async (priority) => {
    const record = await zone.add({ type: 'MX', host: `p${priority}`, value: 'mail.example.net', priority })
    expect(record).toMatchObject({ priority })
    expect(await zone.served(`p${priority}`, 'MX')).toEqual([`3600 ${priority} mail.example.net`])
  })

  it('ignores the priority of other types, valid or not', async () => {
    for (const priority of [0, 10, -1, 70_000])
      expect(await zone.add({ ...a, host: 'ignored', priority })).toMatchObject({ priority: null })
    expect(await zone.served('ignored', 'A')).toEqual(['3600 192.0.2.1'])
  })

  it('increments the serial with every change, and only then', async () => {
    const { add, create, serial } = await owner.claim()
    const first = await serial()
    await add({ ...a, ttl: 300 })
    expect(await serial()).toBe(first + 1)
    await add({ ...a, ttl: 300 })
    expect(await serial()).toBe(first + 1)
    await add({ ...a, ttl: 301 })
    expect(await serial()).toBe(first + 2)
    await create({ type: 'CNAME', host: '@', value: 'x.example.net' })
    expect(await serial()).toBe(first + 2)
  })
})
