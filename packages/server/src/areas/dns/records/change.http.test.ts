import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, startApp, type Envelope, type TestApp } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { ownerOn, written, type ZoneClient } from '../../../../test/zone-owner.js'

const a = (host: string, value = '192.0.2.1', ttl = 300) => ({ type: 'A', host, value, ttl })
const mx = (host: string) => ({ type: 'MX', host, value: 'mail.example.net', priority: 10, ttl: 300 })

describe.each(databaseKinds)('changing records on %s', (kind) => {
  let app: TestApp
  let zone: ZoneClient
  beforeAll(async () => {
    app = await startApp(kind)
    zone = await (await ownerOn(app)).claim()
  })
  afterAll(() => app.stop())

  let hosts = 0
  const freshHost = () => `host${++hosts}`

  /** Asserts that a call changes neither the record nor the serial. */
  async function unchanged(record: Envelope, call: () => Promise<unknown>): Promise<void> {
    const serial = await zone.serial()
    await call()
    expect((await zone.get(record['id'])).body['data']).toEqual(record)
    expect(await zone.serial()).toBe(serial)
  }

  it.each([
    ['value', { value: 'Other.example.net.' }, { value: 'other.example.net' }, '300 10 other.example.net'],
    ['ttl', { ttl: 600 }, { ttl: 600 }, '600 10 mail.example.net'],
    ['priority', { priority: 0 }, { priority: 0 }, '300 0 mail.example.net'],
    ['its own type', { type: 'MX', ttl: 60 }, { ttl: 60 }, '60 10 mail.example.net'],
    [
      'all of them',
      { value: 'x.example.net', ttl: 900, priority: 5 },
      { value: 'x.example.net', ttl: 900, priority: 5 },
      '900 5 x.example.net',
    ],
  ])('changes %s and keeps the rest', async (_, changes, changed, served) => {
    const host = freshHost()
    const record = await zone.add(mx(host))
    const serial = await zone.serial()
    await sleep(5)
    const answer = await zone.update(record['id'], changes)
    expect(answer.status).toBe(200)
    const after = written(answer)
    const { updated_at } = after
    expect(after).toEqual({ ...record, ...changed, updated_at })
    expect(updated_at > record['updated_at']).toBe(true)
    expect((await zone.get(record['id'])).body['data']).toEqual(after)
    expect(await zone.served(host, 'MX')).toEqual([served])
    expect(await zone.serial()).toBe(serial + 1)
  })

  it('moves a record to another host: the RRsets at both hosts are served correctly', async () => {
    const [from, to] = [freshHost(), freshHost()]
    const moved = await zone.add(a(from, '192.0.2.1', 300))
    await zone.add(a(from, '192.0.2.2', 300))
    const joined = await zone.add(a(to, '192.0.2.3', 600))
    const data = written(await zone.update(moved['id'], { host: to.toUpperCase() }))
    expect(data).toEqual({
      ...moved,
      host: to,
      name: `${to}.${zone.zone}`,
      ttl_changed: [joined['id']],
      updated_at: data['updated_at'],
    })
    expect(await zone.served(from, 'A')).toEqual(['300 192.0.2.2'])
    expect(await zone.served(to, 'A')).toEqual(['300 192.0.2.1', '300 192.0.2.3'])
    expect((await zone.get(joined['id'])).body['data']).toMatchObject({ ttl: 300, updated_at: data['updated_at'] })
  })

  it('moves a record to the apex and back: no record is left at the old name', async () => {
    const host = freshHost()
    const { id } = await zone.add(a(host))
    expect((await zone.update(id, { host: '@' })).body['data']).toMatchObject({ host: '@', name: zone.zone })
    expect(await zone.served('@', 'A')).toEqual(['300 192.0.2.1'])
    expect(await zone.served(host, 'A')).toEqual([])
    await zone.update(id, { host })
    expect(await zone.served('@', 'A')).toEqual([])
    expect(await zone.served(host, 'A')).toEqual(['300 192.0.2.1'])
  })

  it.each([
    ['an empty body', {}],
    ['the current values', { host: 'asis', value: '192.0.2.1', ttl: 300, type: 'A' }],
    ['another spelling of the host', { host: 'ASIS', priority: 7 }],
  ])('200 for %s, and nothing changes', async (_, changes) => {
    const record = await zone.add(a('asis'))
    await sleep(5)
    await unchanged(record, async () => {
      const answer = await zone.update(record['id'], changes)
      expect(answer.status).toBe(200)
      expect(written(answer)).toEqual(record)
    })
  })

  it.each([
    [{ type: 'TXT' }, 'type cannot be changed from MX to TXT: delete the record and create another.'],
    [{ type: 'nothing' }, 'type must be'],
    [{ value: '' }, 'value must'],
    [{ value: 'not a name' }, 'value must be'],
    [{ value: '.' }, 'priority must be 0 for the null MX'],
    [{ ttl: 59 }, 'ttl must be'],
    [{ ttl: 2592001 }, 'ttl must be'],
    [{ priority: 65536 }, 'priority must be a whole number'],
    [{ host: '-' }, 'host must be a name relative to the zone'],
    [{ type: null }, 'type must be'],
    [{ host: null }, 'host must be'],
    [{ value: null }, 'value must be'],
    [{ ttl: null }, 'ttl must be'],
    [{ priority: null }, 'priority must be'],
    [{ id: 5 }, 'id is not known'],
    [{ ttl: 600, tll: 600 }, 'tll is not known'],
  ])('400 for %o, and nothing changes', async (changes, message) => {
    const record = await zone.add(mx('refuses'))
    await unchanged(record, async () => {
      const answer = await zone.update(record['id'], changes)
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toContain(message)
    })
  })

  it('400 for a change that would duplicate another record, and names that record', async () => {
    const host = freshHost()
    const one = await zone.add(a(host, '192.0.2.1'))
    const two = await zone.add(a(host, '192.0.2.2'))
    const elsewhere = await zone.add(a(freshHost(), '192.0.2.1'))
    for (const [record, changes] of [
      [two, { value: '192.0.2.1', ttl: 60 }],
      [elsewhere, { host }],
    ] as const)
      await unchanged(record, async () => {
        const answer = await zone.update(record['id'], changes)
        expectError(answer, 'bad_request')
        expect(answer.body['message']).toBe(
          `value would make this record a duplicate of record ${one['id']}: delete one of them.`,
        )
      })
    expect(await zone.served(host, 'A')).toEqual(['300 192.0.2.1', '300 192.0.2.2'])
  })

  it('deletes a record at once everywhere: the other records at its name stay, its id is not reused', async () => {
    const host = freshHost()
    const [one, two] = [await zone.add(a(host, '192.0.2.1')), await zone.add(a(host, '192.0.2.2'))]
    const serial = await zone.serial()
    const answer = await zone.remove(two['id'])
    expect(answer.status).toBe(200)
    expect(answer.body['data']).toEqual({ id: two['id'], deleted: true })
    expect(await zone.served(host, 'A')).toEqual(['300 192.0.2.1'])
    expect(await zone.serial()).toBe(serial + 1)
    for (const again of [zone.get(two['id']), zone.update(two['id'], { ttl: 60 }), zone.remove(two['id'])])
      expectError(await again, 'not_found')
    expect(await zone.serial()).toBe(serial + 1)
    await zone.remove(one['id'])
    expect(await zone.served(host, 'A')).toEqual([])
    expect((await zone.add(a(host, '192.0.2.2')))['id']).toBeGreaterThan(two['id'])
  })

  it.each([
    '0',
    '00',
    '01',
    '1.0',
    '-1',
    '+1',
    '1e3',
    '0x1',
    '%201',
    'abc',
    '@',
    '9223372036854775808',
    '1'.repeat(900),
  ])('404 not_found for the nonexistent id %s', async (id) => {
    const record = await zone.add(a('first'))
    await unchanged(record, async () => {
      for (const answer of [await zone.get(id), await zone.update(id, { ttl: 60 }), await zone.remove(id)]) {
        expectError(answer, 'not_found')
        expect(answer.body['message']).toBe('There is no such record in this zone.')
      }
    })
  })
})
