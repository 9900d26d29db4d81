import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'
import { ownerOn } from '../../../../test/zone-owner.js'
import { tokenStore } from '../../account/tokens/store.js'
import { unlimited } from '../../account/tokens/limits.js'
import type { Account } from '../../../shared/account.js'
import { claimStore } from '../claims/store.js'

type Fields = Record<string, unknown>

describe.each(databaseKinds)('the history of a zone on %s', (kind) => {
  let site: Site
  let ada: Account
  let token = ''
  let tokenId = 0
  beforeAll(async () => {
    site = await startSite(kind)
    ada = await site.account('ada@example.com')
    const made = await tokenStore(site.app.database).create(ada, 'deploy', ['dns:write'], unlimited)
    token = made.token
    tokenId = made.id
  })
  afterAll(() => site.stop())

  let zones = 0
  let zone = ''
  beforeEach(async () => {
    zone = `history-${++zones}.example`
    await call('POST', '', { zone })
  })

  const call = (method: string, path: string, body?: object, by = token): Promise<Answer> =>
    site.call(method, `/v1/dns/zones${path}`, { token: by, ...(body && { body }) })
  const data = async (answer: Promise<Answer>): Promise<Fields> => {
    const { status, body, text } = await answer
    expect(status, text).toBe(200)
    return body['data'] as Fields
  }
  const create = (host: string, value: string, fields: object = {}) =>
    data(call('POST', `/${zone}/records`, { type: 'A', host, value, ttl: 300, ...fields }))
  const history = async (query = '', by = token) =>
    (await data(call('GET', `/${zone}/history${query}`, undefined, by))) as unknown as {
      changes: { serial: number; removed: Fields[]; added: Fields[]; action?: string }[]
      next: number | null
      total: number
    }
  const revert = (body: object, by = token) => call('POST', `/${zone}/history/revert`, body, by)
  const set = (host: string, type: string, ...values: string[]) => ({ host, type, ttl: 300, values })
  const valuesOf = async (): Promise<string[]> =>
    ((await data(call('GET', `/${zone}/records`)))['records'] as Fields[]).map(
      ({ host, value }) => `${String(host)} ${String(value)}`,
    )

  it('names what each change removed and added, who made it and in which request, newest first', async () => {
    const { id } = await create('www', '192.0.2.1')
    const answer = await call('PATCH', `/${zone}/records/${String(id)}`, { value: '192.0.2.7' })
    await create('@', 'mail.example.net', { type: 'MX', priority: 10 })
    const { changes, ...rest } = await history()
    const actor = { kind: 'token', name: 'deploy', id: tokenId }
    const serial = changes.at(-1)?.serial ?? 0
    const common = { at: expect.any(String), actor, request_id: expect.stringMatching(/^req_[0-9a-f]{16}$/) }
    expect(rest).toEqual({ zone, next: null, total: 4 })
    expect(changes).toEqual([
      { serial: serial + 3, ...common, removed: [], added: [set('@', 'MX', '10 mail.example.net')] },
      {
        serial: serial + 2,
        ...common,
        request_id: answer.body['request_id'],
        removed: [set('www', 'A', '192.0.2.1')],
        added: [set('www', 'A', '192.0.2.7')],
      },
      { serial: serial + 1, ...common, removed: [], added: [set('www', 'A', '192.0.2.1')] },
      { serial, ...common, action: 'claim', removed: [], added: [] },
    ])
  })

  it('names the console for a change of a session', async () => {
    const browser = await site.browser('ada@example.com')
    const own = `own-${zone}`
    await browser.call('POST', '/dns/zones', { body: { zone: own } })
    const { body } = await browser.call('GET', `/dns/zones/${own}/history`)
    expect(body['data'].changes).toMatchObject([{ actor: { kind: 'session', name: 'console', id: null } }])
  })

  it('keeps the name of a token that was revoked', async () => {
    const { id, token: other } = await tokenStore(site.app.database).create(
      ada,
      `once ${zone}`,
      ['dns:write'],
      unlimited,
    )
    await data(call('POST', `/${zone}/records`, { type: 'A', host: 'www', value: '192.0.2.1' }, other))
    await tokenStore(site.app.database).revoke(ada, id)
    expect((await history()).changes[0]).toMatchObject({ actor: { kind: 'token', name: `once ${zone}`, id } })
  })

  it('pages and filters', async () => {
    for (const host of ['www', 'a', 'www', 'b']) await create(host, `192.0.2.${String(++zones)}`)
    await create('www', 'text', { type: 'TXT' })
    const first = await history('?limit=2')
    expect(first).toMatchObject({ total: 6, next: first.changes[1]?.serial })
    const second = await history(`?limit=4&before=${String(first.next)}`)
    expect([second.changes.length, second.next, second.total]).toEqual([4, null, 6])
    const added = async (query: string) => (await history(query)).changes.flatMap((change) => change.added)
    expect((await added('?host=www')).map(({ type }) => type)).toEqual(['TXT', 'A', 'A'])
    expect((await added('?host=WWW&type=A')).map(({ host }) => host)).toEqual(['www', 'www'])
    expect((await added('?type=TXT')).map(({ values }) => values)).toEqual([['text']])
    expect(await history('?host=none')).toMatchObject({ changes: [], next: null, total: 0 })
  })

  it('with a filter, shows only the values that it selects, of changes with others too', async () => {
    const changes = ['www', 'a'].map((host) => ({ create: { type: 'A', host, value: '192.0.2.1', ttl: 300 } }))
    await data(call('POST', `/${zone}/records/batch`, { changes }))
    expect((await history('?host=a')).changes.map(({ added }) => added)).toEqual([[set('a', 'A', '192.0.2.1')]])
  })

  it('shows the zone as it was at each serial, and 404 for one that it did not have', async () => {
    const { serial } = (await history()).changes[0] ?? { serial: 0 }
    const { id } = await create('www', '192.0.2.1')
    await create('www', '192.0.2.2', { ttl: 60 })
    await data(call('DELETE', `/${zone}/records/${String(id)}`))
    const at = (plus: number) => call('GET', `/${zone}/history/${String(serial + plus)}`)
    expect(await data(at(0))).toEqual({ zone, serial, rrsets: [] })
    expect((await data(at(1)))['rrsets']).toEqual([set('www', 'A', '192.0.2.1')])
    expect((await data(at(2)))['rrsets']).toEqual([{ ...set('www', 'A', '192.0.2.1', '192.0.2.2'), ttl: 60 }])
    expect((await data(at(3)))['rrsets']).toEqual([{ ...set('www', 'A', '192.0.2.2'), ttl: 60 }])
    for (const plus of [-1, 4]) expectError(await at(plus), 'not_found')
    expectError(await call('GET', `/${zone}/history/abc`), 'not_found')
  })

  it('shows a zone from before the first change that was kept', async () => {
    await create('www', '192.0.2.1')
    await create('a', '192.0.2.1')
    const { changes } = await history()
    await site.sql(`delete from zone_change where serial < ${String(changes[0]?.serial)}
      and zone_id = (select id from dns_zone where name = '${zone}')`)
    const serial = Number(changes[1]?.serial)
    expect((await data(call('GET', `/${zone}/history/${String(serial)}`)))['rrsets']).toEqual([
      set('www', 'A', '192.0.2.1'),
    ])
    expectError(await call('GET', `/${zone}/history/${String(serial - 1)}`), 'not_found')
  })

  it('takes back one change, with one new serial, and its revert too', async () => {
    const { id } = await create('www', '192.0.2.1')
    await create('a', '192.0.2.9')
    await data(call('PATCH', `/${zone}/records/${String(id)}`, { value: '192.0.2.7' }))
    const [{ serial } = { serial: 0 }] = (await history()).changes
    const difference = { removed: [set('www', 'A', '192.0.2.7')], added: [set('www', 'A', '192.0.2.1')] }
    expect(await data(revert({ serial, dry_run: true }))).toEqual({ zone, serial, ...difference })
    expect(await valuesOf()).toContain('www 192.0.2.7')
    expect(await data(revert({ serial }))).toEqual({ zone, serial: serial + 1, ...difference })
    expect((await valuesOf()).toSorted()).toEqual(['a 192.0.2.9', 'www 192.0.2.1'])
    await data(revert({ serial: serial + 1 }))
    expect((await valuesOf()).toSorted()).toEqual(['a 192.0.2.9', 'www 192.0.2.7'])
  })

  it('makes the whole zone what it was, also after an import that replaced it', async () => {
    await create('www', '192.0.2.1')
    await create('mail', 'mail.example.net', { type: 'MX', priority: 5 })
    const [{ serial } = { serial: 0 }] = (await history()).changes
    await data(call('POST', `/${zone}/zone-file/import`, { text: 'oops 300 IN A 192.0.2.66', replace: true }))
    expect(await valuesOf()).toEqual(['oops 192.0.2.66'])
    expect(await data(revert({ to: serial }))).toMatchObject({ serial: serial + 2 })
    expect((await valuesOf()).toSorted()).toEqual(['mail mail.example.net', 'www 192.0.2.1'])
    expect(await data(revert({ to: serial }))).toEqual({ zone, serial: serial + 2, removed: [], added: [] })
  })

  it('keeps the ids of records whose ttl it restores', async () => {
    const { id } = await create('www', '192.0.2.1')
    await data(call('PATCH', `/${zone}/records/${String(id)}`, { ttl: 60 }))
    const [{ serial } = { serial: 0 }] = (await history()).changes
    await data(revert({ serial }))
    expect(await data(call('GET', `/${zone}/records/${String(id)}`))).toMatchObject({ ttl: 300 })
  })

  it('400, and nothing changes, if a later change has replaced what it would take back', async () => {
    const { id } = await create('www', '192.0.2.1')
    const [{ serial } = { serial: 0 }] = (await history()).changes
    await data(call('PATCH', `/${zone}/records/${String(id)}`, { value: '192.0.2.7' }))
    const before = await history()
    const refused = await revert({ serial })
    expectError(refused, 'bad_request')
    expect(refused.body['message']).toBe(
      'serial names a change that cannot be taken back alone, because of a later one: www has no A record 192.0.2.1 any more.',
    )
    expect(await history()).toEqual(before)
  })

  it('400, and nothing changes, if the other records of the RRset have another ttl now', async () => {
    const { id } = await create('www', '192.0.2.1')
    await data(call('DELETE', `/${zone}/records/${String(id)}`))
    const [{ serial } = { serial: 0 }] = (await history()).changes
    await create('www', '192.0.2.2', { ttl: 60 })
    const refused = await revert({ serial })
    expectError(refused, 'bad_request')
    expect(refused.body['message']).toMatch(/: the other A records at www have the ttl 60 now, not 300\.$/)
    expect(await valuesOf()).toEqual(['www 192.0.2.2'])
  })

  it('400, and nothing changes, if a record would conflict with one of now', async () => {
    const { id } = await create('www', '192.0.2.1')
    await data(call('DELETE', `/${zone}/records/${String(id)}`))
    const [{ serial } = { serial: 0 }] = (await history()).changes
    await create('www', 'www.example.net', { type: 'CNAME' })
    const refused = await revert({ serial })
    expectError(refused, 'bad_request')
    expect(refused.body['message']).toMatch(/^serial cannot be restored: www already has a CNAME /)
    expect(await valuesOf()).toEqual(['www www.example.net'])
  })

  it('with if_serial, takes back what a dry run has shown, and nothing if the zone has changed since', async () => {
    const { id } = await create('www', '192.0.2.1')
    await data(call('PATCH', `/${zone}/records/${String(id)}`, { value: '192.0.2.7' }))
    const [{ serial } = { serial: 0 }] = (await history()).changes
    const shown = Number((await data(revert({ serial, dry_run: true })))['serial'])
    await create('other', '192.0.2.9')
    for (const of of [{ serial }, { to: serial - 1 }])
      for (const rest of [{}, { dry_run: true }]) {
        const refused = await revert({ ...of, ...rest, if_serial: shown })
        expectError(refused, 'bad_request')
        expect(refused.body).toMatchObject({
          field: 'if_serial',
          message: `if_serial must be the serial of the zone, which is ${String(shown + 1)} now, not ${String(shown)}.`,
        })
      }
    expect((await valuesOf()).toSorted()).toEqual(['other 192.0.2.9', 'www 192.0.2.7'])
    expect(await data(revert({ serial, if_serial: shown + 1 }))).toMatchObject({ serial: shown + 2 })
    expect((await valuesOf()).toSorted()).toEqual(['other 192.0.2.9', 'www 192.0.2.1'])
  })

  it('404 for a serial that is no change of records, and 400 without one serial', async () => {
    const { changes } = await history()
    for (const serial of [1, Number(changes[0]?.serial)]) expectError(await revert({ serial }), 'not_found')
    expectError(await revert({ to: 1 }), 'not_found')
    expect((await revert({})).body['message']).toBe('serial is required, or to instead of it.')
    expect((await revert({ serial: 1, to: 1 })).body['message']).toBe(
      'to cannot be combined with serial: send one of them.',
    )
  })

  it('the next holder does not see the history of the one before, who sees it again with the zone', async () => {
    await create('www', '192.0.2.1')
    const before = await history()
    const bob = await ownerOn(site)
    const claims = claimStore(site.app.database)
    await claims.assign(bob.account, zone)
    const seen = (await data(site.call('GET', `/v1/dns/zones/${zone}/history`, { token: bob.token })))['changes']
    expect(seen).toMatchObject([{ action: 'claim', actor: { kind: 'operator', name: 'svc', id: null } }])
    const path = `/v1/dns/zones/${zone}/history`
    const old = before.changes[0]?.serial
    expectError(await site.call('GET', `${path}/${String(old)}`, { token: bob.token }), 'not_found')
    expectError(await site.call('POST', `${path}/revert`, { token: bob.token, body: { serial: old } }), 'not_found')
    expectError(await call('GET', `/${zone}/history`), 'forbidden_zone')
    await claims.assign(ada, zone)
    const after = await history()
    expect(after.changes.map(({ action }) => action)).toEqual(['claim', 'lost', undefined, 'claim'])
    expect(after.changes[1]).toMatchObject({ actor: { kind: 'protocol', id: null }, request_id: null })
    expect(after.changes.slice(2)).toEqual(before.changes)
    // While it was another account's.
    expectError(await call('GET', `/${zone}/history/${String(after.changes[1]?.serial)}`), 'not_found')
    expect((await data(call('GET', `/${zone}/history/${String(old)}`)))['rrsets']).toEqual([
      set('www', 'A', '192.0.2.1'),
    ])
  })

  it('a token for some hosts sees and takes back only changes of those', async () => {
    const rules = [{ kind: 'zone', name: zone, hosts: ['www'], access: 'write' }] as const
    const made = await tokenStore(site.app.database).create(ada, `www of ${zone}`, ['dns:write'], {
      ...unlimited,
      rules,
    })
    await create('secret', '192.0.2.1')
    await create('www', '192.0.2.2')
    const changes = ['www', 'secret'].map((host) => ({ create: { type: 'A', host, value: '192.0.2.3', ttl: 300 } }))
    await data(call('POST', `/${zone}/records/batch`, { changes }))
    const [both, own, secret] = (await history()).changes.map(({ serial }) => serial)
    const seen = await history('', made.token)
    expect(seen).toMatchObject({ total: 2, next: null })
    expect(seen.changes.map(({ serial, added }) => [serial, added])).toEqual([
      [both, [set('www', 'A', '192.0.2.3')]],
      [own, [set('www', 'A', '192.0.2.2')]],
    ])
    expect((await history('?limit=1', made.token)).next).toBe(both)
    expect((await history(`?limit=1&before=${String(both)}`, made.token)).changes).toEqual(seen.changes.slice(1))
    expect((await history('?host=secret', made.token)).total).toBe(0)
    const at = await data(call('GET', `/${zone}/history/${String(both)}`, undefined, made.token))
    expect(at['rrsets']).toEqual([set('www', 'A', '192.0.2.2', '192.0.2.3')])
    for (const body of [{ serial: both }, { serial: secret }, { to: secret }])
      expectError(await revert(body, made.token), 'forbidden_zone')
    expect(await valuesOf()).toHaveLength(4)
    await data(revert({ serial: own }, made.token))
    expect(await valuesOf()).toHaveLength(3)
  })

  it('a token without dns:write cannot take back a change', async () => {
    const read = await site.token(ada, 'dns:read')
    expect((await history('', read)).total).toBe(1)
    expectError(await revert({ to: 1 }, read), 'forbidden_scope')
  })

  it('writes one row for each of many changes at once', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => create(`h${String(i)}`, '192.0.2.1')))
    const { changes } = await history()
    expect(changes.map(({ serial }) => serial)).toEqual(
      Array.from({ length: 21 }, (_, i) => Number(changes[0]?.serial) - i),
    )
    expect(new Set(changes.flatMap(({ added }) => added.map(({ host }) => host))).size).toBe(20)
    const [row] = await site.sql(`select dns_zone.history_end - min(zone_change.history_end) as bytes, count(*) as rows
      from zone_change join dns_zone on dns_zone.id = zone_id where name = '${zone}' group by dns_zone.id, dns_zone.history_end`)
    expect(Number(row?.['bytes'])).toBeGreaterThan(20 * 100)
    expect(Number(row?.['bytes'])).toBeLessThan(20 * 200)
  })
})
