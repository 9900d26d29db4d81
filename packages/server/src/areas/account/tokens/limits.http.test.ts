import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import { expectError, send } from '../../../../test/raw-http.js'
import { tokenStore } from './store.js'

/** When and from where a token works, how it is changed, and how it gets a new value. */

interface Key extends Envelope {
  readonly id: number
  readonly token: string
}

describe.each(databaseKinds)('limits of keys on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    // Tests choose the address of a client with X-Forwarded-For.
    site = await startSite(kind, { trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => site.stop())

  let ada: Browser
  let count = 0
  beforeEach(async () => {
    const email = `ada${String(++count)}@example.com`
    await site.account(email)
    ada = await site.browser(email)
  })

  const post = (path: string, body: object) => ada.call('POST', path, { body })
  const make = async (fields: object = {}) =>
    (await post('/keys', { name: 'ci', scopes: ['dns:read'], ...fields })).body['data'] as Key
  const change = async (id: number, fields: object) =>
    (await post('/keys/update', { id, ...fields })).body['data'] as Envelope
  const statusFrom = async (token: string, ip = '192.0.2.1') =>
    (
      await send(site.url, 'GET', '/v1/account/me', {
        headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': ip },
      })
    ).status
  const listed = async () => (await ada.call('GET', '/keys')).body['data'].keys as Envelope[]
  const hours = (number: number) => new Date(Date.now() + number * 3_600_000).toISOString()
  const age = (id: number, column: string, days: number) =>
    site.sql(`update token set ${column} = ${String(Date.now() - days * 86_400_000)} where id = ${String(id)}`)

  it('a token works until its end, and 401 for it is that of an unknown token', async () => {
    const key = await make({ expires_at: hours(1) })
    expect(key).toMatchObject({ status: 'active', expires_at: expect.stringMatching(/Z$/) })
    expect(await statusFrom(key.token)).toBe(200)
    await age(key.id, 'expires_at', 1)
    const [ended, unknown] = await Promise.all(
      [key.token, `svc_${'0'.repeat(32)}`].map((token) => site.call('GET', '/v1/account/me', { token })),
    )
    expectError(ended!, 'unauthorized')
    expect(ended!.body['message']).toBe(unknown!.body['message'])
    expect(await listed()).toMatchObject([{ id: key.id, status: 'expired' }])
    expect(await change(key.id, { expires_at: null })).toMatchObject({ status: 'active', expires_at: null })
    expect(await statusFrom(key.token)).toBe(200)
  })

  it('a token ends after days without a use, counted from its creation or its last use', async () => {
    const key = await make({ unused_days: 30 })
    await age(key.id, 'created_at', 31)
    expect(await statusFrom(key.token)).toBe(401)
    expect(await listed()).toMatchObject([{ status: 'unused' }])
    await age(key.id, 'last_used_at', 29)
    expect(await statusFrom(key.token)).toBe(200)
    await age(key.id, 'last_used_at', 31)
    const other = await site.another()
    expect((await other.call('GET', '/v1/account/me', key)).status).toBe(401)
    // It saves the uses when it stops: a refused one is none.
    await other.stop()
    expect(await listed()).toMatchObject([{ status: 'unused' }])
  })

  it('a token works from its networks only', async () => {
    const key = await make({ networks: ['192.0.2.77/24', '2001:db8::/32', '127.0.0.0/8'] })
    expect(key).toMatchObject({ networks: ['192.0.2.0/24', '2001:db8::/32', '127.0.0.0/8'] })
    for (const [ip, status] of [
      ['192.0.2.200', 200],
      ['192.0.3.1', 401],
      ['2001:db8:5::1', 200],
      ['2001:db9::1', 401],
      ['192.0.2.1', 200],
      // Not an address: that of the proxy does not stand for it.
      ['192.0.2.1:4711', 401],
      ['unknown', 401],
      // IPv4-mapped addresses are those of IPv4.
      ['::ffff:192.0.2.7', 200],
      ['::ffff:c000:207', 200],
      ['::ffff:192.0.3.7', 401],
      ['::192.0.2.7', 401],
      // The proxy has added the last one: the others are the client's own words.
      ['198.51.100.1, 192.0.2.1', 200],
      ['192.0.2.1, 198.51.100.1', 401],
    ] as const)
      expect(await statusFrom(key.token, ip), ip).toBe(status)
    expect(await change(key.id, { networks: ['::ffff:198.51.100.0/120'] })).toMatchObject({
      networks: ['198.51.100.0/24'],
    })
    for (const ip of ['198.51.100.1', '::ffff:198.51.100.1']) expect(await statusFrom(key.token, ip)).toBe(200)
    await change(key.id, { networks: ['::/0'] })
    expect(await statusFrom(key.token, '::ffff:198.51.100.1')).toBe(401)
    await change(key.id, { networks: [] })
    expect(await statusFrom(key.token, '198.51.100.1')).toBe(200)
  })

  it('a paused token does not work until it is resumed, from the next request on', async () => {
    const key = await make()
    expect(await statusFrom(key.token)).toBe(200)
    expect(await change(key.id, { paused: true })).toMatchObject({ status: 'paused' })
    expect(await statusFrom(key.token)).toBe(401)
    expect(await change(key.id, { paused: false })).toMatchObject({ status: 'active' })
    expect(await statusFrom(key.token)).toBe(200)
  })

  it('an update changes the given fields and no others', async () => {
    const { token, update_key, ...key } = await make({ unused_days: 7, networks: ['192.0.2.1'] })
    expect(update_key).toBeNull()
    expect(await change(key.id, { name: 'deploy', scopes: ['account:read'] })).toEqual({
      ...key,
      name: 'deploy',
      scopes: ['account:read'],
    })
    expect(await statusFrom(token)).toBe(200)
    expect(await listed()).toMatchObject([{ name: 'deploy', unused_days: 7, networks: ['192.0.2.1/32'] }])
  })

  it('an update without an effect changes nothing', async () => {
    const { id } = await make()
    const before = await listed()
    await change(id, { name: 'ci' })
    await change(id, {})
    expect(await listed()).toEqual(before)
  })

  it('400 for the name of another token, and nothing is changed', async () => {
    await make({ name: 'other' })
    const { id } = await make()
    const answer = await post('/keys/update', { id, name: 'other', paused: true })
    expectError(answer, 'bad_request')
    expect(answer.body).toMatchObject({ field: 'name', message: expect.stringContaining('is taken by another token') })
    expect(await listed()).toMatchObject([{ name: 'ci', status: 'active' }, { name: 'other' }])
  })

  it.each([
    [{ expires_at: '2020-01-01T00:00:00Z' }, /^expires_at must be in the future, not 2020-01-01T00:00:00Z: /],
    [{ expires_at: 'tomorrow' }, /^expires_at must be a time such as /],
    [{ expires_at: '9999-12-31T23:59:59-12:00' }, /^expires_at must be a time such as /],
    [{ expires_at: '2027-02-31T00:00:00Z' }, /^expires_at must be a time such as /],
    [{ unused_days: 0 }, /^unused_days must be /],
    [{ unused_days: 1.5 }, /^unused_days must be /],
    [{ networks: ['10'] }, /^networks must list addresses and networks such as /],
    [{ networks: Array.from({ length: 51 }, (_, n) => `192.0.2.${String(n)}`) }, /^networks must /],
  ])('400 for a new token and a change with %j', async (fields, message) => {
    const { id } = await make()
    for (const answer of [
      await post('/keys', { name: 'new', ...fields }),
      await post('/keys/update', { id, ...fields }),
    ]) {
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toMatch(message)
    }
    expect(await listed()).toHaveLength(1)
  })

  it('a rotation gives a new value under the same id; the old value ends at once', async () => {
    const { token, ...key } = await make({ networks: ['192.0.2.0/24'] })
    const { token: next, prefix, ...rotated } = (await post('/keys/rotate', { id: key.id })).body['data'] as Key
    expect({ ...rotated, prefix: key['prefix'] }).toEqual(key)
    expect([next, prefix]).toEqual([expect.stringMatching(/^svc_[0-9a-f]{32}$/), next.slice(0, 10)])
    expect([await statusFrom(token), await statusFrom(next)]).toEqual([401, 200])
    expect(await statusFrom(next, '198.51.100.1')).toBe(401)
  })

  it('a rotation keeps the old value for some hours, and only the last one', async () => {
    const first = await make()
    const rotate = async (keep: number) =>
      ((await post('/keys/rotate', { id: first.id, keep })).body['data'] as Key).token
    const second = await rotate(24)
    expect([await statusFrom(first.token), await statusFrom(second)]).toEqual([200, 200])
    const third = await rotate(1)
    expect([await statusFrom(first.token), await statusFrom(second), await statusFrom(third)]).toEqual([401, 200, 200])
    await age(first.id, 'former_until', 1)
    expect([await statusFrom(second), await statusFrom(third)]).toEqual([401, 200])
  })

  it('pause, end and revocation end the old value too', async () => {
    const { id, token } = await make()
    const next = ((await post('/keys/rotate', { id, keep: 24 })).body['data'] as Key).token
    await change(id, { paused: true })
    expect([await statusFrom(token), await statusFrom(next)]).toEqual([401, 401])
    await change(id, { paused: false })
    expect([await statusFrom(token), await statusFrom(next)]).toEqual([200, 200])
    await post('/keys/revoke', { id })
    expect([await statusFrom(token), await statusFrom(next)]).toEqual([401, 401])
  })

  it('a revocation at the same time as rotations and changes: the others answer 200 or 404', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await make()
      const answers = await Promise.all([
        ...[1, 2, 3].flatMap(() => [post('/keys/rotate', { id }), post('/keys/update', { id, paused: true })]),
        post('/keys/revoke', { id }),
      ])
      expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual([])
      expect(await listed()).toEqual([])
    }
  })

  it('400 for a change to no scope', async () => {
    const { id } = await make()
    expectError(await post('/keys/update', { id, scopes: [] }), 'bad_request')
    expect(await listed()).toMatchObject([{ scopes: ['dns:read'] }])
  })

  it('a rotation that is undone restores the value before, unless another one has followed', async () => {
    const account = await site.account(`eve${String(count)}@example.com`)
    const tokens = tokenStore(site.app.database)
    const { id, token } = await tokens.create(account, 'ci', ['account:read'])
    const rotated = await tokens.rotate(account, id, 0)
    await rotated.undo()
    expect([await statusFrom(token), await statusFrom(rotated.token)]).toEqual([200, 401])
    const [second, third] = [await tokens.rotate(account, id, 0), await tokens.rotate(account, id, 0)]
    await second.undo()
    expect([await statusFrom(token), await statusFrom(second.token), await statusFrom(third.token)]).toEqual([
      401, 401, 200,
    ])
  })

  it('of ten rotations at the same time, one value works', async () => {
    const { id, token } = await make()
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('/keys/rotate', { id })))
    const values = answers.map((answer) => (answer.body['data'] as Key).token)
    const works = await Promise.all([token, ...values].map((value) => statusFrom(value)))
    expect(works.filter((status) => status === 200)).toHaveLength(1)
  })

  it('the network of the last use is stored with it, without the address', async () => {
    const { token } = await make()
    const other = await site.another()
    await send(other.url, 'GET', '/v1/account/me', {
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': '192.0.2.200' },
    })
    // It saves the uses when it stops.
    await other.stop()
    expect(await listed()).toMatchObject([{ last_used_network: '192.0.2.0/24', last_used_at: expect.any(String) }])
  })
})
