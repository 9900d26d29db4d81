import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresSession } from '../../../../test/postgres-session.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import type { Account } from '../../../shared/account.js'
import { dnsStores, type DnsStores } from '../stores.js'
import type { CanonicalRecord } from './record.js'

/** Records that are created at the same time on PostgreSQL, which shares transactions among them. */

const now = '2026-11-22T00:00:00.000Z'
const recordsMax = 40
const a = (host: string, value = '192.0.2.1', ttl = 300): CanonicalRecord => ({
  type: 'A',
  host,
  value,
  ttl,
  priority: null,
})

let two: TwoProcesses
let stores: DnsStores
let ada: Account
let eve: Account
beforeAll(async () => {
  two = await twoProcesses('postgres')
  ;[ada, eve] = two.people as [Account, Account]
  stores = dnsStores(two.db, { recordsMax, zoneBytesMax: 10_000, zonesMax: 100 })
})
afterAll(() => two.stop())

let zones = 0
async function claim(account = ada): Promise<string> {
  const zone = `zone${++zones}.example`
  await stores.claims.claim(account, zone)
  return zone
}

const create = (zone: string, record: CanonicalRecord, account = ada) =>
  stores.records.apply(account, zone, { kind: 'create', record }, now)

let alone: string
beforeAll(async () => {
  alone = await claim()
})
let created = 0

/** Creates records at the same time. @returns the ids of those that were created, and the messages of those that were refused */
async function createAll(wanted: readonly (readonly [zone: string, record: CanonicalRecord, account?: Account])[]) {
  // The first create is a batch by itself, and the others share the next.
  const before = create(alone, a(`host${++created}`))
  const outcomes = await Promise.allSettled(wanted.map(([zone, record, account]) => create(zone, record, account)))
  await before
  return outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value.record.id : (outcome.reason as Error).message,
  )
}

const hosts = (count: number) => Array.from({ length: count }, (_, n) => `host${n}`)

it('stores every record of several zones once, and counts serials, ids and bytes', async () => {
  const names = [await claim(), await claim(), await claim()]
  const before = await Promise.all(names.map((zone) => stores.zones.contents(zone)))
  const ids = await createAll(hosts(30).map((host, n) => [names[n % 3]!, a(host)]))
  for (const [n, zone] of names.entries()) {
    expect(ids.filter((_, i) => i % 3 === n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const { serial, rrsets } = await stores.zones.contents(zone)
    expect(serial).toBe(before[n]!.serial + 10)
    expect(rrsets).toHaveLength(10)
  }
  await using session = await postgresSession((two.config as { readonly url: string }).url)
  const counted = await session.query(`select name, content_bytes,
    (select sum(octet_length(value) + octet_length(host)) from dns_record where zone_id = dns_zone.id) as bytes from dns_zone`)
  for (const zone of counted)
    if (names.includes(String(zone['name']))) expect(zone['content_bytes']).toBe(zone['bytes'])
})

it('lists the other records that got the ttl of a new one, also if several are created at the same time', async () => {
  const zone = await claim()
  const first = create(zone, a('first'))
  const plans = await Promise.all([
    first,
    ...[300, 300, 600].map((ttl, n) => create(zone, a('www', `192.0.2.${n}`, ttl))),
  ])
  expect(plans.map(({ record, ttlChanged }) => [record.id, record.ttl, ttlChanged])).toEqual([
    [1, 300, []],
    [2, 300, []],
    [3, 300, []],
    [4, 600, [2, 3]],
  ])
})

it('the rules hold between the new records of one name', async () => {
  const zone = await claim()
  const cname: CanonicalRecord = { ...a('www'), type: 'CNAME', value: 'target.example' }
  const outcomes = await createAll([
    [zone, a('first')],
    [zone, a('www')],
    [zone, cname],
    [zone, a('www')],
    [zone, a('www', '192.0.2.2')],
    [zone, a('www', '192.0.2.3', 600)],
  ])
  expect(outcomes).toEqual([1, 2, expect.stringContaining('CNAME'), 2, 3, 4])
  const { rrsets } = await stores.zones.contents(zone)
  const www = rrsets.find(({ name }) => name === `www.${zone}`)
  expect(www).toMatchObject({ type: 'A', ttl: 600 })
  expect(www?.records).toHaveLength(3)
})

it('only the records in a zone of another account are refused', async () => {
  const [mine, hers] = [await claim(), await claim(eve)]
  const outcomes = await createAll([
    [mine, a('first')],
    [mine, a('www')],
    [hers, a('www')],
    [hers, a('www'), eve],
    ['unknown.example', a('www')],
  ])
  const refused = expect.stringContaining('not verified') as string
  expect(outcomes).toEqual([1, 2, refused, 1, refused])
})

it('a zone that becomes full gets no more than its maximum', async () => {
  const zone = await claim()
  const outcomes = await createAll(hosts(recordsMax + 5).map((host) => [zone, a(host)]))
  expect(outcomes.filter((outcome) => typeof outcome === 'number')).toHaveLength(recordsMax)
  expect(outcomes.at(-1)).toContain('the maximum')
})

it('a zone that another session has locked does not hold up the others', async () => {
  const [held, free] = [await claim(), await claim()]
  await using session = await postgresSession((two.config as { readonly url: string }).url)
  await session.query('begin')
  await session.query(`select 1 from dns_zone where name = '${held}' for update`)
  const waiting = createAll(hosts(3).map((host) => [held, a(host)]))
  expect(await createAll(hosts(3).map((host) => [free, a(host)]))).toEqual([1, 2, 3])
  await session.query('commit')
  expect((await waiting).sort()).toEqual([1, 2, 3])
})

it('no record is stored if the transaction fails, and the next ones are', async () => {
  const zone = await claim()
  await using session = await postgresSession((two.config as { readonly url: string }).url)
  await session.query('alter table dns_record add constraint refused check (ttl <> 599)')
  const outcomes = await createAll([
    [zone, a('first')],
    [zone, a('www')],
    [zone, a('mail', '192.0.2.1', 599)],
  ])
  await session.query('alter table dns_record drop constraint refused')
  const refused = expect.stringContaining('refused') as string
  expect(outcomes).toEqual([refused, refused, refused])
  expect(await createAll([[zone, a('www')]])).toEqual([1])
})

it('other accounts cannot hold up the holder of a zone', async () => {
  const zone = await claim()
  const foreign = Promise.allSettled(hosts(1_300).map((host) => create(zone, a(host), eve)))
  expect(await createAll(hosts(4).map((host) => [zone, a(host)]))).toEqual([1, 2, 3, 4])
  expect((await foreign).every(({ status }) => status === 'rejected')).toBe(true)
})
