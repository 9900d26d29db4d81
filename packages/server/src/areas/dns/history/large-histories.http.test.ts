import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'

/** Changes of many records, and histories of many changes. e2e/hostile/history-event-loop.test.ts measures them. */

interface Page {
  readonly changes: readonly { readonly serial: number; readonly added: readonly { readonly host: string }[] }[]
  readonly next: number | null
  readonly total: number
}

describe.each(databaseKinds)('the history of a zone on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let ada: Owner
  let zone: ZoneClient
  beforeEach(async () => {
    ada = await ownerOn(site)
    zone = await ada.claim()
  })

  const call = async (method: string, path: string, body?: object) => {
    const answer = await ada.call(method, `/v1/dns/zones/${zone.zone}${path}`, body)
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data']
  }
  const list = async (query = ''): Promise<Page> => call('GET', `/history${query}`)
  const recordsOf = (sets: readonly { values: readonly string[] }[]) => sets.flatMap(({ values }) => values).length

  it('takes back and restores a change of 2,500 records, alone and with all others', async () => {
    const hosts = Array.from({ length: 2500 }, (_, i) => `h${i}`)
    await zone.add({ type: 'A', host: 'other', value: '192.0.2.9', ttl: 300 })
    await call('POST', '/zone-file/import', { text: hosts.map((host) => `${host} 300 IN A 192.0.2.1`).join('\n') })
    const [{ serial } = { serial: 0 }] = (await list('?limit=1')).changes
    const planned = await call('POST', '/history/revert', { serial, dry_run: true })
    expect([recordsOf(planned.removed), planned.added]).toEqual([2500, []])
    const taken = await call('POST', '/history/revert', { serial })
    expect(taken).toEqual({ ...planned, serial: serial + 1 })
    expect(await zone.served('h2499', 'A')).toEqual([])
    expect(await zone.served('other', 'A')).toEqual(['300 192.0.2.9'])
    expect(recordsOf((await call('POST', '/history/revert', { to: serial })).added)).toBe(2500)
    expect(await zone.served('h2499', 'A')).toEqual(['300 192.0.2.1'])
    expect(await zone.serial()).toBe(serial + 2)
    expect(recordsOf((await call('GET', `/history/${String(serial + 1)}`)).rrsets)).toBe(1)
    expect(recordsOf((await call('GET', `/history/${String(serial)}`)).rrsets)).toBe(2501)
  })

  it('counts, pages and filters 10,500 changes', async () => {
    const rows = 10_500
    const [{ serial } = { serial: 0 }] = (await list()).changes
    const named = `name = '${zone.zone}'`
    await site.sql(
      `with recursive n(i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${String(rows)})
        insert into zone_change (zone_id, account_id, serial, history_end, at, actor_kind, actor_name, removed, added)
        select (select id from dns_zone where ${named}), ${ada.account.id}, ${serial} + i, i, i, 'operator', 'test', '',
          '[["h' || i || '",["A",300,"192.0.2.1"]]]' from n`,
    )
    await site.sql(`update dns_zone set serial = serial + ${String(rows)} where ${named}`)
    expect(await list('?limit=2')).toMatchObject({ next: serial + rows - 1, total: rows + 1 })
    const second = await list(`?limit=2&type=A&before=${String(serial + rows - 1)}`)
    expect(second).toMatchObject({ next: serial + rows - 3, total: rows })
    expect(second.changes.map(({ added }) => added[0]?.host)).toEqual([`h${rows - 2}`, `h${rows - 3}`])
    expect(await list('?host=h1')).toMatchObject({ changes: [{ serial: serial + 1 }], next: null, total: 1 })
    expect(await list('?type=MX')).toEqual({ zone: zone.zone, changes: [], next: null, total: 0 })
  })
})
