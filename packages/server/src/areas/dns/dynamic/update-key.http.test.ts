import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { dyndns, startDyndnsSite, updateByKey } from '../../../../test/dyndns-client.js'
import { expectError, send } from '../../../../test/raw-http.js'
import type { Browser, Site } from '../../../../test/site.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import { updatesMax } from './update-limit.js'

/** Update keys: a router that knows no more than a URL sets the address of one host. */

interface Key extends Envelope {
  readonly id: number
  readonly token: string
  readonly update_key: string
}

describe.each(databaseKinds)('update keys on %s', (kind) => {
  let site: Site
  let owner: Owner
  let zone: ZoneClient
  let browser: Browser
  beforeAll(async () => {
    site = await startDyndnsSite(kind)
  })
  afterAll(() => site.stop())
  beforeEach(async () => {
    owner = await ownerOn(site)
    zone = await owner.claim()
    browser = await site.browser(owner.account.email)
  })

  const post = (path: string, body: object) => browser.call('POST', path, { body })
  const rule = (more: object = {}) => ({ kind: 'zone', name: zone.zone, hosts: ['home'], access: 'write', ...more })
  const create = (more: object = {}) =>
    post('/keys', { name: 'router', scopes: ['dns:write'], rules: [rule()], update_key: true, ...more })
  const make = async (more: object = {}) => (await create(more)).body['data'] as Key
  const get = async (key: string, query = '', from = '198.51.100.7') => {
    const { status, text } = await updateByKey(site, key, query, { from })
    return `${String(status)} ${text.trim()}`
  }

  it('is shown once, and sets the addresses of the host of its rule', async () => {
    const made = await make()
    expect(made).toMatchObject({ has_update_key: true, update_key: expect.stringMatching(/^[0-9a-f]{32}$/) })
    const serial = await zone.serial()
    expect(await get(made.update_key)).toBe('200 good 198.51.100.7')
    expect(await get(made.update_key)).toBe('200 nochg 198.51.100.7')
    expect(await get(made.update_key, 'myip=198.51.100.7&hostname=other.example')).toBe('200 nochg 198.51.100.7')
    expect(await get(made.update_key, 'ip=192.0.2.1&ipv6=2001:db8::1')).toBe('200 good 192.0.2.1,2001:db8::1')
    expect(await zone.serial()).toBe(serial + 2)
    expect([await zone.served('home', 'A'), await zone.served('home', 'AAAA')]).toEqual([
      ['60 192.0.2.1'],
      ['60 2001:db8::1'],
    ])
    const { keys } = (await browser.call('GET', '/keys')).body['data']
    expect(keys).toContainEqual(expect.objectContaining({ id: made.id, has_update_key: true }))
    expect(JSON.stringify(keys)).not.toContain(made.update_key)
  })

  it('is null for a token that was created without one', async () => {
    const made = await make({ update_key: false })
    expect(made).toMatchObject({ has_update_key: false, update_key: null })
    expect((await post('/keys/rotate', { id: made.id })).body['data']).toMatchObject({ update_key: null })
  })

  it.each<[string, () => object]>([
    ['no rules', () => ({ rules: null })],
    ['all hosts', () => ({ rules: [rule({ hosts: undefined })] })],
    ['two hosts', () => ({ rules: [rule({ hosts: ['home', 'work'] })] })],
    ['a pattern', () => ({ rules: [rule({ hosts: ['*.home'] })] })],
    ['a pattern at its end', () => ({ rules: [rule({ hosts: ['home.**'] })] })],
    ['two rules of zones', () => ({ rules: [rule(), rule({ types: ['TXT'] })] })],
    ['no right to write', () => ({ rules: [rule({ access: 'read' })] })],
    ['a rule of another kind only', () => ({ rules: [{ kind: 'site', name: 'docs', access: 'write' }] })],
    ['no scope for records', () => ({ scopes: ['dns:read'] })],
  ])('400 for a new token with one and %s', async (_name, more) => {
    const answer = await create(more())
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(/^update_key needs (one rule of a zone|the scope dns:write)/)
  })

  it('400 for a change of its token after which it would have no host; other changes work', async () => {
    const { id, update_key: key } = await make()
    for (const change of [{ rules: null }, { rules: [rule({ hosts: ['a', 'b'] })] }, { scopes: ['dns:read'] }])
      expect((await post('/keys/update', { id, ...change })).body['message']).toMatch(/the update key of the token/)
    expect((await post('/keys/update', { id, rules: [rule({ hosts: ['Work'], types: ['A'] })] })).status).toBe(200)
    expect(await get(key)).toBe('200 good 198.51.100.7')
    expect(await zone.served('work', 'A')).toEqual(['60 198.51.100.7'])
    expect(await get(key, 'ip=2001:db8::1')).toBe('403 nohost')
  })

  it('follows its token: pause, networks, revocation, in this process and in another', async () => {
    const other = await site.another()
    const { id, update_key: key } = await make()
    const both = async () => [await get(key), (await updateByKey(other, key, '', { from: '198.51.100.7' })).text.trim()]
    await both()
    const unusable = ['404 badauth', 'badauth']
    const usable = ['200 nochg 198.51.100.7', 'nochg 198.51.100.7']
    expect(await both()).toEqual(usable)
    await post('/keys/update', { id, paused: true })
    expect(await both()).toEqual(unusable)
    await post('/keys/update', { id, paused: false, networks: ['192.0.2.0/24'] })
    expect(await both()).toEqual(unusable)
    await post('/keys/update', { id, networks: [] })
    expect(await both()).toEqual(usable)
    await post('/keys/revoke', { id })
    expect(await both()).toEqual(unusable)
    await other.stop()
  })

  it('changes with a rotation, and works for some more hours if the value is kept', async () => {
    const first = await make()
    const second = (await post('/keys/rotate', { id: first.id, keep: 1 })).body['data'] as Key
    expect(second.update_key).not.toBe(first.update_key)
    for (const { update_key: key, token } of [first, second]) {
      expect(await get(key)).toMatch(/^200 /)
      expect((await dyndns(site, token, `hostname=home.${zone.zone}&myip=198.51.100.7`)).text).toMatch(/^nochg /)
    }
    await site.sql(`update token set former_until = ${String(Date.now() - 1)} where id = ${String(first.id)}`)
    expect([await get(first.update_key), await get(second.update_key)]).toEqual([
      '404 badauth',
      '200 nochg 198.51.100.7',
    ])
    const third = (await post('/keys/rotate', { id: first.id })).body['data'] as Key
    expect([await get(second.update_key), await get(third.update_key)]).toEqual([
      '404 badauth',
      '200 nochg 198.51.100.7',
    ])
  })

  it.each<[string, (made: Key) => string]>([
    ['an unknown key', () => '0'.repeat(32)],
    ['the token', ({ token }) => token],
    ['the digits of the token', ({ token }) => token.slice(4)],
    ['upper case', ({ update_key: key }) => key.toUpperCase().replace(/^\d+$/, 'A')],
    ['a digit too many', ({ update_key: key }) => `${key}0`],
    ['other characters', () => '%00%2f..'],
  ])('404 badauth for %s', async (_name, keyOf) => {
    const answer = await updateByKey(site, keyOf(await make()))
    expect([answer.status, answer.text]).toEqual([404, 'badauth\n'])
  })

  it('does not authenticate as a token', async () => {
    const { update_key: key } = await make()
    for (const value of [key, `svc_${key}`]) {
      expectError(await site.call('GET', '/v1/account/me', { token: value }), 'unauthorized')
      expect((await dyndns(site, value, `hostname=home.${zone.zone}`)).text).toBe('badauth\n')
    }
  })

  it('400, 403 and 429 tell a router what is wrong', async () => {
    const { update_key: key } = await make()
    expect(await get(key, 'ip=home')).toBe('400 badip')
    expect(await get(key, '', 'unknown')).toBe('400 badip')
    for (let i = 0; i < updatesMax; i++) expect(await get(key, `ip=192.0.2.${String(i)}`)).toMatch(/^200 good/)
    expect(await get(key, 'ip=192.0.2.250')).toBe('429 abuse')
    await zone.remove(((await zone.list()).body['data'].records as Envelope[])[0]?.['id'])
    await owner.call('DELETE', `/v1/dns/zones/${zone.zone}`)
    expect(await get(key, 'ip=192.0.2.250')).toBe('403 nohost')
    // The rules were written by an older version, or by hand.
    await site.sql(`update token set rules = null where update_hash is not null`)
    expect(await get(key)).toBe('403 nohost')
  })

  it('404 on the other hosts, and for paths beside it; 405 for other methods', async () => {
    const { update_key: key } = await make()
    for (const host of ['content.localhost', 'blog.localhost'])
      expect((await updateByKey(site, key, '', { headers: { host } })).status).toBe(404)
    for (const path of ['/u', '/u/', `/u/${key}/x`]) expect((await send(site.url, 'GET', path)).status).toBe(404)
    for (const method of ['HEAD', 'POST']) expect((await send(site.url, method, `/u/${key}`)).status).toBe(405)
    expect(await zone.served('home', 'A')).toEqual([])
  })

  it('neither the log, the events nor the database have it', async () => {
    const { update_key: key } = await make()
    expect(await get(key)).toBe('200 good 198.51.100.7')
    expect((await updateByKey(site, `${key}x`)).status).toBe(404)
    await send(site.url, 'GET', `/u/${key}/%e0%a4`)
    await send(site.url, 'HEAD', `/u/${key}`)
    const kept = site.log.join('\n') + (await site.everythingKept())
    expect(kept).toContain('dns.update-key')
    expect(kept).not.toContain(key)
    const events = await owner.call('GET', '/v1/account/events')
    expect(events.text).not.toContain(key)
  })
})
