import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { postgresSession } from '../../../../test/postgres-session.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import type { Account } from '../../../shared/account.js'
import { dnsStores, type DnsStores } from '../stores.js'
import { followZones } from './zone-follower.js'

/** On PostgreSQL, changes of different zones are committed in any order. The follower of another process loads each of them. */

const limits = { recordsMax: 100, zoneBytesMax: 10_000, zonesMax: 100 }
/** The key of the advisory lock that holds back a change in its transaction. */
const gate = 7

let two: TwoProcesses
let ada: Account
let stores: DnsStores
let url: string
beforeAll(async () => {
  two = await twoProcesses('postgres')
  ada = two.people[0]!
  stores = dnsStores(two.db, limits)
  url = (two.config as { readonly url: string }).url
  await using session = await postgresSession(url)
  await session.query(`create function wait_at_gate() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${gate}); return null; end $$`)
  await session.query(`create trigger held after update on dns_zone for each row
    when (new.name like 'held%') execute function wait_at_gate()`)
})
afterAll(() => two.stop())

let hosts = 0
const change = (zone: string) => {
  const record = { type: 'A', host: `h${++hosts}`, value: '192.0.2.1', ttl: 60, priority: null } as const
  return stores.records.apply(ada, zone, { kind: 'create', record }, '2026-11-22T00:00:00.000Z')
}

/** The follower of the other process, and the zones that it has loaded: `<zone> <number of RRsets>`. */
async function follower() {
  const zones = dnsStores(two.otherDb, limits).zones
  const loaded: string[] = []
  const { job } = followZones({
    zones,
    dns: {
      setZone: async ({ zone, rrsets }) => void loaded.push(`${zone} ${rrsets.length}`),
      removeZone: (zone) => expect.fail(`${zone} was not deleted.`),
    },
    since: await zones.position(),
    noteLoaded: () => Promise.resolve(),
    log: { error: (problem: unknown) => expect.fail(String(problem)) },
  })
  const run = async () => {
    await job.run(new AbortController().signal)
    return loaded.splice(0).sort()
  }
  return run
}

/** Claims zones of these names. */
const claim = async (...zones: string[]) => {
  for (const zone of zones) await stores.claims.claim(ada, zone)
}

const versionsOf = (session: Awaited<ReturnType<typeof postgresSession>>, ...zones: string[]) =>
  Promise.all(
    zones.map(async (zone) => {
      const [row] = await session.query(`select version from dns_zone where name = '${zone}'`)
      return Number(row!['version'])
    }),
  )

it('loads a zone whose transaction began before those of other zones, and is committed after them', async () => {
  await claim('held.example', 'free.example')
  const run = await follower()
  await using session = await postgresSession(url)
  await session.query(`select pg_advisory_lock(${gate})`)
  const held = change('held.example')
  await vi.waitFor(async () => {
    const waiting = await session.query(
      `select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
    )
    expect(waiting).toHaveLength(1)
  })
  await change('free.example')
  expect(await run()).toEqual(['free.example 1'])
  expect(await run()).toEqual([])

  await session.query(`select pg_advisory_unlock(${gate})`)
  await held
  const [heldVersion, freeVersion] = await versionsOf(session, 'held.example', 'free.example')
  expect(heldVersion).toBeLessThan(freeVersion!)
  expect(await run()).toEqual(['held.example 1'])
  expect(await run()).toEqual([])
})

it('loads a zone that a transaction changes which began before the last change of the zone', async () => {
  await claim('late.example')
  const run = await follower()
  await using session = await postgresSession(url)
  await session.query('begin')
  await session.query('select pg_current_xact_id()')
  await change('late.example')
  expect(await run()).toEqual(['late.example 1'])
  const [before] = await versionsOf(session, 'late.example')

  await session.query(`update dns_zone set serial = serial + 1, version = pg_current_xact_id()::text::bigint,
    holder_id = null where name = 'late.example'`)
  expect(await run()).toEqual([])
  await session.query('commit')
  const [after] = await versionsOf(session, 'late.example')
  expect(after).toBeLessThan(before!)
  expect(await run()).toEqual(['late.example 0'])
})

it('loads each change once while a transaction of another database on the server stays open', async () => {
  await claim('open.example')
  const admin = new URL(url)
  admin.pathname = 'postgres'
  await using session = await postgresSession(admin.href)
  await session.query('begin')
  await session.query('select pg_current_xact_id()')
  const run = await follower()
  for (let records = 1; records <= 3; records++) {
    await change('open.example')
    expect(await run()).toEqual([`open.example ${records}`])
    expect(await run()).toEqual([])
  }
  await session.query('rollback')
  expect(await run()).toEqual([])
})

it('loads a zone once that one transaction changes twice, also in a savepoint, and no change that is rolled back', async () => {
  await claim('twice.example', 'undone.example')
  const run = await follower()
  await using session = await postgresSession(url)
  const advance = (zone: string) =>
    session.query(
      `update dns_zone set serial = serial + 1, version = pg_current_xact_id()::text::bigint where name = '${zone}'`,
    )
  await session.query('begin')
  await advance('twice.example')
  await session.query('savepoint inner_change')
  await advance('twice.example')
  await session.query('release inner_change')
  await session.query('savepoint undone')
  await advance('undone.example')
  await session.query('rollback to undone')
  expect(await run()).toEqual([])
  await session.query('commit')
  expect(await run()).toEqual(['twice.example 0'])
  expect(await run()).toEqual([])
})
