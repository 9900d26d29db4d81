import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type Answer, type Envelope } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import { zoneOutcomes, type ZoneOutcome } from '../../../ports/dns/query-counts.js'
import { dateOf, dayMs, dayOf, hourMs } from '../../../shared/days.js'
import { claimStore } from '../claims/store.js'
import { deletionStore } from '../claims/deletion-store.js'
import { queryCountStore, queryRetention } from './query-count-store.js'
import { countSaving } from './save-counts.js'

/** Queries for zones by day and by hour, as their holders see them. */

const countsOf = (given: Partial<Record<ZoneOutcome, number>>) => zoneOutcomes.map((name) => given[name] ?? 0)
const none = Object.fromEntries(zoneOutcomes.map((name) => [name, 0]))

describe.each(databaseKinds)('the queries of a zone on %s', (kind) => {
  let site: Site
  let owner: Owner
  let zone: ZoneClient
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())
  beforeEach(async () => {
    owner = await ownerOn(site)
    zone = await owner.claim()
  })

  const store = () => queryCountStore(site.app.database)
  const read = (query = '', by: Owner = owner): Promise<Answer> =>
    by.call('GET', `/v1/dns/zones/${zone.zone}/queries${query}`)
  const shown = async (query?: string, by?: Owner): Promise<Envelope> => {
    const answer = await read(query, by)
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data']
  }
  const add = (given: Partial<Record<ZoneOutcome, number>>, now?: number, holder = owner) =>
    store().add([{ zone: zone.zone, holder: holder.account.id, counts: countsOf(given) }], now)
  const save = () => {
    const counts = site.app.dns.queryCounts
    if (counts === undefined) throw new Error('The nameserver does not count.')
    return countSaving(counts, store(), { warn: vi.fn() }).job.run(new AbortController().signal)
  }
  const rows = async () => {
    const where = `where zone_id = (select id from dns_zone where name = '${zone.zone}')`
    const found = await Promise.all(
      ['dns_query_day', 'dns_query_hour'].map((table) => site.sql(`select * from ${table} ${where}`)),
    )
    return found.map(({ length }) => length)
  }

  it('a new zone has zeros for 30 days and 24 hours, the oldest first', async () => {
    const now = Date.now()
    const data = await shown()
    expect(data).toMatchObject({ zone: zone.zone, counted_by: 'svc' })
    const days = Array.from({ length: 30 }, (_, at) => ({ day: dateOf(dayOf(now) - 29 + at), counts: none }))
    expect(data['days']).toEqual(days)
    expect(data['hours']).toHaveLength(24)
    expect(data['hours'][23]).toEqual({
      start: new Date(Math.floor(now / hourMs) * hourMs).toISOString(),
      counts: none,
      week_before: 0,
    })
  })

  it('shows the answers of the nameserver after they are saved', async () => {
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.1' })
    await zone.served('www', 'A')
    await zone.served('www', 'MX')
    await zone.served('missing', 'A')
    await save()
    const counted = { ...none, answers: 1, no_data: 1, nxdomain: 1 }
    const { days, hours } = await shown('?days=1')
    expect(days).toEqual([{ day: dateOf(dayOf(Date.now())), counts: counted }])
    expect(hours.at(-1)).toMatchObject({ counts: counted })
    await zone.served('www', 'A')
    await save()
    expect((await shown('?days=1'))['days']).toMatchObject([{ counts: { ...counted, answers: 2 } }])
  })

  it('compares each hour with the same hour a week before', async () => {
    const now = Date.now()
    await add({ answers: 3, nxdomain: 2 }, now - 7 * dayMs)
    await add({ answers: 4 }, now - 7 * dayMs - 23 * hourMs)
    await add({ answers: 1, updates: 2 }, now)
    await add({ transfers: 5 }, now - 23 * hourMs)
    const { hours } = await shown()
    expect(hours.at(-1)).toMatchObject({ counts: { answers: 1, updates: 2 }, week_before: 5 })
    expect(hours[0]).toMatchObject({ counts: { transfers: 5 }, week_before: 4 })
  })

  it('sums up what several processes and many zones have counted in one hour', async () => {
    const others = await Promise.all(Array.from({ length: 3 }, () => owner.claim()))
    const batch = [zone, ...others].map((of, at) => ({
      zone: of.zone,
      holder: owner.account.id,
      counts: countsOf({ answers: 1 + at }),
    }))
    await Promise.all([store().add(batch), store().add(batch.toReversed()), store().add(batch)])
    expect((await shown('?days=1'))['days'][0].counts.answers).toBe(3)
    const last = await owner.call('GET', `/v1/dns/zones/${String(others[2]?.zone)}/queries?days=1`)
    expect(last.body['data'].days[0].counts.answers).toBe(12)
  })

  it('the next holder of a zone does not see the counts of the one before, which gets them back with the zone', async () => {
    await add({ answers: 9 })
    const bob = await ownerOn(site)
    const assign = (to: Owner) => claimStore(site.app.database).assign(to.account, zone.zone)
    await assign(bob)
    // What another process has counted before it noticed.
    await add({ answers: 1 })
    expect((await read()).status).toBe(403)
    expect((await shown('?days=1', bob))['days'][0].counts.answers).toBe(0)
    await add({ nxdomain: 2 }, Date.now(), bob)
    expect((await shown('?days=1', bob))['days'][0].counts).toMatchObject({ answers: 0, nxdomain: 2 })
    await assign(owner)
    expect((await shown('?days=1'))['days'][0].counts).toMatchObject({ answers: 9, nxdomain: 0 })
  })

  it('the counts end with the zone', async () => {
    await add({ answers: 9 })
    expect(await rows()).toEqual([1, 1])
    await deletionStore(site.app.database).deleteZone(zone.zone)
    expect(await rows()).toEqual([0, 0])
    await add({ answers: 9 })
    expect(await rows()).toEqual([0, 0])
  })

  it('the counts of an account end with its part in the zone, those of others stay', async () => {
    await add({ answers: 9 })
    const bob = await ownerOn(site)
    await claimStore(site.app.database).assign(bob.account, zone.zone)
    await add({ answers: 5 }, Date.now(), bob)
    await deletionStore(site.app.database).removeFromZone(zone.zone, owner.account.id)
    expect(await rows()).toEqual([1, 1])
    expect((await shown('?days=1', bob))['days'][0].counts.answers).toBe(5)
  })

  it('keeps 90 days, and the hours of nine', async () => {
    const now = Date.now()
    for (const days of [0, 8, 9, 89, 90, 91]) await add({ answers: 1 }, now - days * dayMs)
    expect(await rows()).toEqual([6, 6])
    await queryRetention(site.app.database).run(new AbortController().signal)
    expect(await rows()).toEqual([5, 3])
    const { days } = await shown('?days=90')
    expect(days.filter(({ counts }: Envelope) => counts.answers > 0)).toHaveLength(4)
  })

  it('a zone of another account is 403 forbidden_zone, as a nonexistent one', async () => {
    const bob = await ownerOn(site)
    expect(await read('', bob)).toMatchObject({ status: 403, body: { error: 'forbidden_zone' } })
    expect(await bob.call('GET', '/v1/dns/zones/nowhere.example/queries')).toMatchObject({
      status: 403,
      body: { error: 'forbidden_zone' },
    })
  })
})
