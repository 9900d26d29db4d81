import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import type { Zone } from '../../../ports/dns/port.js'
import { zoneStore, type ZoneStore } from './zone-store.js'

describe.each(databaseKinds)('the zone store on %s', (kind) => {
  let site: Site
  let zones: ZoneStore
  beforeAll(async () => {
    site = await startSite(kind)
    zones = zoneStore(site.app.database)
  })
  afterAll(() => site.stop())

  const all = async () => {
    const list: Zone[] = []
    for await (const zone of zones.all()) list.push(zone)
    return list
  }

  it('has no zones at first, and returns an unknown zone with serial 1 and without RRsets', async () => {
    expect(await all()).toEqual([])
    expect(await zones.contents('nowhere.example')).toEqual({
      zone: 'nowhere.example',
      serial: 1,
      holder: null,
      rrsets: [],
    })
  })

  it('lists each zone once with all of its RRsets, across pages and for zones larger than a page', async () => {
    // Every 50th zone has assigned so many ids that it is a page by itself.
    await site.sql(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 450)
      insert into dns_zone (name, serial, version, last_record_id)
      select 'z' || i || '.example', 1000 + i, i, case when i % 50 = 0 then 60000 else 2 end from n`)
    await site.sql(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 3)
      insert into dns_record (zone_id, id, type, host, value, ttl, priority, created_at, updated_at)
      select zone.id, i, case i when 3 then 'MX' else 'A' end, case i when 2 then '@' else 'www' end, 'value ' || i,
        60 * i, case i when 3 then 10 end, '', ''
      from n, dns_zone zone where zone.serial % 10 = 0`)
    const list = await all()
    expect(list.map(({ zone }) => zone)).toEqual(Array.from({ length: 450 }, (_, i) => `z${i + 1}.example`))
    const rrsets = (zone: string) => [
      { name: `www.${zone}`, type: 'A', ttl: 60, records: [{ value: 'value 1', priority: null }] },
      { name: zone, type: 'A', ttl: 120, records: [{ value: 'value 2', priority: null }] },
      { name: `www.${zone}`, type: 'MX', ttl: 180, records: [{ value: 'value 3', priority: 10 }] },
    ]
    for (const { zone, serial, rrsets: sets } of list) expect(sets).toEqual(serial % 10 === 0 ? rrsets(zone) : [])
    expect(await zones.contents('z50.example')).toEqual({
      zone: 'z50.example',
      serial: 1050,
      holder: null,
      owner: null,
      rrsets: rrsets('z50.example'),
    })
  })

  it('lists the zones with a verified claim, on all pages', async () => {
    await site.account('ada@example.com')
    for (const [zone, status] of [
      ['z1.example', 'pending'],
      ['z2.example', 'verified'],
      ['z449.example', 'verified'],
    ])
      await site.sql(`insert into dns_claim (account_id, zone, status, method, created_at)
        select max(id), '${zone}', '${status}', 'auto', 0 from account`)
    const names: string[] = []
    for await (const name of zones.verifiedNames()) names.push(name)
    expect(names).toEqual(['z2.example', 'z449.example'])
    await site.sql('delete from dns_claim')
  })

  const nextVersion =
    kind === 'sqlite' ? '(select max(version) + 1 from dns_zone)' : 'pg_current_xact_id()::text::bigint'
  const change = (name: string, serial: number) =>
    site.sql(`update dns_zone set serial = ${serial}, version = ${nextVersion} where name = '${name}'`)

  it('lists the zones that changed since a position, and the next position', async () => {
    const start = await zones.position()
    expect((await zones.changedSince(start)).zones).toEqual([])
    await change('z3.example', 7)
    const { zones: changed, position } = await zones.changedSince(start)
    expect(changed).toEqual([{ name: 'z3.example', serial: 7 }])
    expect((await zones.changedSince(position)).zones).toEqual([])
    await change('z4.example', 8)
    expect((await zones.changedSince(position)).zones).toEqual([{ name: 'z4.example', serial: 8 }])
    expect(new Set((await zones.changedSince(start)).zones.map(({ name }) => name))).toEqual(
      new Set(['z3.example', 'z4.example']),
    )
  })

  it('ignores a restored zone with a version that this database has not reached, until it changes', async () => {
    await site.sql(`update dns_zone set version = ${2 ** 40} where name = 'z5.example'`)
    const start = await zones.position()
    expect((await zones.changedSince(start)).zones).toEqual([])
    await change('z6.example', 9)
    const next = await zones.changedSince(start)
    expect(next.zones).toEqual([{ name: 'z6.example', serial: 9 }])
    await change('z5.example', 10)
    expect((await zones.changedSince(next.position)).zones).toEqual([{ name: 'z5.example', serial: 10 }])
  })

  it('returns all records of a zone with more records than are read in one turn of the event loop', async () => {
    await site.sql(
      `insert into dns_zone (name, serial, version, last_record_id) values ('large.example', 7, 9001, 2500)`,
    )
    await site.sql(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
      insert into dns_record (zone_id, id, type, host, value, ttl, priority, created_at, updated_at)
      select zone.id, i, 'A', 'host' || i, '192.0.2.1', 60, null, '', ''
      from n, dns_zone zone where zone.name = 'large.example'`)
    const { rrsets } = await zones.contents('large.example')
    expect(new Set(rrsets.map(({ name }) => name)).size).toBe(2500)
  })
})
