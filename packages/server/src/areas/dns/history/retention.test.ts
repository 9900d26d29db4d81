import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import { claimStore } from '../claims/store.js'
import { historyRetention, type HistoryLimits } from './retention.js'

/** Which changes are kept. */

const dayMs = 86_400_000

describe.each(databaseKinds)('the retention of histories on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let owner: Owner
  let zone: ZoneClient
  let read: () => Promise<{ serial: number }[]>
  /** A zone with a claim and six changes. */
  beforeEach(async () => {
    owner = await ownerOn(site)
    zone = await owner.claim()
    for (let i = 1; i <= 6; i++) await zone.add({ type: 'A', host: `h${i}`, value: '192.0.2.1' })
    read = async () => (await owner.call('GET', `/v1/dns/zones/${zone.zone}/history`)).body['data'].changes
  })

  const run = (limits: HistoryLimits, signal = new AbortController().signal) =>
    historyRetention(site.app.database, limits).run(signal)
  const idOf = (name: string) => `(select id from dns_zone where name = '${name}')`

  it('removes changes that are older than the setting', async () => {
    const before = await read()
    const old = before[3]?.serial
    const at = (days: number) => String(Date.now() - days * dayMs)
    await site.sql(
      `update zone_change set at = ${at(31)} where zone_id = ${idOf(zone.zone)} and serial <= ${String(old)}`,
    )
    await run({ historyDays: 32, historyBytes: 0 })
    expect(await read()).toEqual(before.map((change, i) => (i < 3 ? change : { ...change, at: expect.any(String) })))
    await run({ historyDays: 30, historyBytes: 0 })
    expect(await read()).toEqual(before.slice(0, 3))
  })

  it('removes more changes than one transaction does', async () => {
    const values = Array.from(
      { length: 1200 },
      (_, i) => `(${idOf(zone.zone)}, ${owner.account.id}, ${i + 1}, 0, 1, 'operator', 'x', '', '')`,
    )
    await site.sql(`insert into zone_change
      (zone_id, account_id, serial, history_end, at, actor_kind, actor_name, removed, added) values ${values.join()}`)
    await run({ historyDays: 1, historyBytes: 0 })
    expect(await site.sql('select serial from zone_change where at = 1')).toEqual([])
    expect(await read()).toHaveLength(7)
  })

  it('removes changes of an account that held the zone before', async () => {
    const next = await ownerOn(site)
    await claimStore(site.app.database).assign(next.account, zone.zone)
    const ofOwner = `from zone_change where account_id = ${owner.account.id}`
    expect(await site.sql(`select serial ${ofOwner}`)).toHaveLength(8)
    await site.sql(`update zone_change set at = 1 where account_id = ${owner.account.id} and action <> 'lost'`)
    await run({ historyDays: 1, historyBytes: 0 })
    expect(await site.sql(`select action ${ofOwner}`)).toEqual([{ action: 'lost' }])
  })

  it('removes the oldest changes of a zone whose history is too large, and never the latest', async () => {
    const before = await read()
    const [row] =
      await site.sql(`select history_end - (select min(history_end) from zone_change where zone_id = dns_zone.id) as bytes
      from dns_zone where name = '${zone.zone}'`)
    const bytes = Number(row?.['bytes'])
    await run({ historyDays: 0, historyBytes: bytes + 1 })
    expect(await read()).toEqual(before)
    // Six changes of the same size, and the claim before them.
    await run({ historyDays: 0, historyBytes: Math.ceil((bytes / 6) * 3) })
    expect(await read()).toEqual(before.slice(0, 3))
    await run({ historyDays: 0, historyBytes: 1 })
    expect(await read()).toEqual(before.slice(0, 1))
  })

  it('keeps everything with the setting 0, and stops when the server stops', async () => {
    const before = await read()
    await site.sql(`update zone_change set at = 1 where zone_id = ${idOf(zone.zone)}`)
    await run({ historyDays: 0, historyBytes: 0 })
    await run({ historyDays: 1, historyBytes: 1 }, AbortSignal.abort())
    expect(await read()).toHaveLength(before.length)
  })
})
