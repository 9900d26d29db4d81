import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, startApp, type Answer, type Envelope, type TestApp } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import { readConfig } from '../../../config/config.js'

/** `PUT /rrsets/{host}/{type}` replaces all values of a name at once. */

const recordsMax = 30
const settings = readConfig({ env: { SVC_DNS_PORT: '0', SVC_DNS_RECORDS_MAX: String(recordsMax) } }).dns

describe.each(databaseKinds)('replacing an RRset on %s', (kind) => {
  let app: TestApp
  let owner: Owner
  let zone: ZoneClient
  beforeAll(async () => {
    app = await startApp(kind, { dns: settings })
    owner = await ownerOn(app)
    zone = await owner.claim()
  })
  afterAll(() => app.stop())

  const put = (host: string, type: string, body: unknown, of = zone): Promise<Answer> =>
    owner.call('PUT', `/v1/dns/zones/${of.zone}/rrsets/${encodeURIComponent(host)}/${type}`, body)
  const records = async (host: string): Promise<Envelope[]> =>
    (await zone.list(`?host=${encodeURIComponent(host)}`)).body['data'].records
  const expectBadRequest = (answer: Answer, message: string) => {
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toContain(message)
  }

  it('points a name somewhere else in one step of the serial, and DNS answers the new address alone', async () => {
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.2', ttl: 300 })
    const text = await zone.add({ type: 'TXT', host: 'www', value: 'stays', ttl: 300 })
    const serial = await zone.serial()
    const answer = await put('WWW', 'A', { values: ['192.0.2.7'] })
    expect(answer.body['data']).toEqual({
      zone: zone.zone,
      rrset: { type: 'A', host: 'www', name: `www.${zone.zone}`, ttl: 3600, priority: null, values: ['192.0.2.7'] },
      warnings: [],
    })
    expect(await zone.served('www', 'A')).toEqual(['3600 192.0.2.7'])
    expect(await zone.serial()).toBe(serial + 1)
    expect(await records('www')).toEqual([text, expect.objectContaining({ type: 'A', value: '192.0.2.7', ttl: 3600 })])
  })

  it('records whose values stay keep their ids and times, and a repeated call changes nothing', async () => {
    const first = await zone.add({ type: 'MX', host: '@', value: 'a.example.net', priority: 10, ttl: 600 })
    const second = await zone.add({ type: 'MX', host: '@', value: 'b.example.net', priority: 20, ttl: 600 })
    await sleep(5)
    const body = { values: ['c.example.net', 'A.example.net.'], priority: 10, ttl: 600 }
    expect((await put('@', 'MX', body)).body['data'].rrset).toMatchObject({
      priority: 10,
      values: ['c.example.net', 'a.example.net'],
    })
    const stored = await records('@')
    expect(stored).toEqual([first, expect.objectContaining({ value: 'c.example.net', priority: 10 })])
    expect(stored[1]?.['id']).toBeGreaterThan(second['id'] as number)
    const serial = await zone.serial()
    await put('@', 'MX', body)
    expect([await records('@'), await zone.serial()]).toEqual([stored, serial])

    await put('@', 'MX', { ...body, priority: 30 })
    expect(await records('@')).toEqual(
      stored.map((record) => ({ ...record, priority: 30, updated_at: expect.any(String) })),
    )
    expect(await zone.served('@', 'MX')).toEqual(['600 30 a.example.net', '600 30 c.example.net'])
    expect((await records('@'))[0]?.['created_at']).toBe(first['created_at'])
  })

  it('creates a wildcard, and the answer to a new record lists the values of the PUT too', async () => {
    expect((await put('*', 'TXT', { values: ['one', 'two'], ttl: 60 })).status).toBe(200)
    expect(await zone.served('anything', 'TXT')).toEqual(['60 one', '60 two'])
    const { body } = await zone.create({ type: 'TXT', host: '*', value: 'three', ttl: 60 })
    expect(body['data'].rrset).toEqual({
      type: 'TXT',
      host: '*',
      name: `*.${zone.zone}`,
      ttl: 60,
      priority: null,
      values: ['one', 'two', 'three'],
    })
  })

  it.each([
    ['no value', 'A', { values: [] }, 'values must '],
    ['501 values', 'A', { values: Array.from({ length: 501 }, (_, i) => `10.0.${i >> 8}.${i & 255}`) }, 'values must '],
    ['a name', 'A', { values: ['192.0.2.1', 'www.example.net'] }, 'values[1] must be an IPv4 address'],
    ['one value twice', 'AAAA', { values: ['2001:db8::1', '2001:DB8:0::1'] }, 'values[1] is the same as values[0]'],
    ['a short ttl', 'A', { values: ['192.0.2.1'], ttl: 5 }, 'ttl must '],
    ['the field of a new record', 'A', { value: '192.0.2.1' }, 'value'],
    ['no priority', 'MX', { values: ['mail.example.net'] }, 'priority is required for MX records'],
    [
      'the null MX and another',
      'MX',
      { values: ['.', 'mail.example.net'], priority: 0 },
      'values has ".", the null MX',
    ],
    ['two aliases', 'CNAME', { values: ['a.example.net', 'b.example.net'] }, 'values must be one name'],
    [
      'too many bytes',
      'TXT',
      { values: ['x', 'y', 'z', 'w'].map((letter) => letter.repeat(20_000)) },
      'values would bring the TXT records',
    ],
    ['a type of the platform', 'SOA', { values: ['x'] }, 'type must be '],
  ])('400 for %s, and nothing changes', async (_, type, body, message) => {
    const host = type === 'CNAME' ? 'free' : 'refused'
    await put('refused', 'A', { values: ['192.0.2.9'] })
    const before = [await records(host), await zone.serial()]
    expectBadRequest(await put(host, type, body), message)
    expect([await records(host), await zone.serial()]).toEqual(before)
  })

  it('400 for a CNAME beside other records, and for others beside a CNAME', async () => {
    await zone.add({ type: 'CNAME', host: 'alias', value: 'target.example.net' })
    expectBadRequest(await put('alias', 'A', { values: ['192.0.2.1'] }), 'alias already has a CNAME')
    expectBadRequest(await put('www', 'CNAME', { values: ['a.example.net'] }), 'www already has records (A, TXT)')
    expect((await put('alias', 'CNAME', { values: ['other.example.net'] })).status).toBe(200)
    expect(await zone.served('alias', 'CNAME')).toEqual(['3600 other.example.net'])
    expectBadRequest(await put('@', 'CNAME', { values: ['a.example.net'] }), 'host @ is the zone itself')
    expectBadRequest(await put('a b', 'A', { values: ['192.0.2.1'] }), 'host must be ')
  })

  it('403 for a zone of another account, also for invalid values', async () => {
    const other = await ownerOn(app)
    const theirs = await other.claim()
    expectError(await put('www', 'A', { values: ['192.0.2.1'] }, theirs), 'forbidden_zone')
    expectError(await put('www', 'A', { values: ['x'] }, theirs), 'forbidden_zone')
    expectError(
      await put('www', 'A', { values: ['192.0.2.1'] }, { ...theirs, zone: 'nobody.example' }),
      'forbidden_zone',
    )
  })

  it('parallel calls leave the values of one of them, never a mix, and the nameserver serves these', async () => {
    const sets = Array.from({ length: 12 }, (_, i) => [`192.0.2.${i}`, `198.51.100.${i}`])
    const answers = await Promise.all(sets.map((values) => put('race', 'A', { values, ttl: 60 })))
    expect(answers.map(({ status }) => status)).toEqual(sets.map(() => 200))
    const stored = (await records('race')).map(({ value }) => value as string)
    expect(sets).toContainEqual(stored)
    expect(await zone.served('race', 'A')).toEqual(stored.map((value) => `60 ${value}`))
  })

  it('400 when the zone would have too many records, while a smaller set still replaces a larger one', async () => {
    const full = await owner.claim()
    const addresses = (from: number, count: number) => Array.from({ length: count }, (_, i) => `192.0.2.${from + i}`)
    expect((await put('a', 'A', { values: addresses(0, recordsMax) }, full)).status).toBe(200)
    expectBadRequest(
      await put('b', 'A', { values: addresses(0, 2) }, full),
      `The zone has ${recordsMax} records, and at most`,
    )
    expect((await put('a', 'A', { values: addresses(50, recordsMax - 1) }, full)).status).toBe(200)
    expect((await put('b', 'A', { values: addresses(0, 1) }, full)).status).toBe(200)
    expect((await full.list()).body['data'].records).toHaveLength(recordsMax)
  })
})
