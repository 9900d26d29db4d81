import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer } from './app.js'
import { heldBy, setRRset, startPowerDnsSite, type PowerDnsSite } from './powerdns-site.js'
import { expectError } from './raw-http.js'
import type { Owner } from './zone-owner.js'
import { expected_ns } from './zone-site.js'

/** The API with PowerDNS: every change is in PowerDNS and in the database, or in neither. */

const apexOf = (zone: string) => [
  ...expected_ns.map((name) => `${zone} NS 3600 ${name}.`),
  `${zone} SOA 3600 ${expected_ns[0]!}. hostmaster.${zone}. serial 7200 900 1209600 300`,
]
const contents = (zone: string, ...lines: string[]) =>
  [...apexOf(zone), ...lines].map((line) => line.replace(' ', '. ')).sort()

describe.each(databaseKinds)('with PowerDNS and %s', (kind) => {
  let on: PowerDnsSite
  let owner: Owner
  beforeAll(async () => {
    on = await startPowerDnsSite(kind)
    owner = await on.owner()
  })
  afterAll(() => on.stop())

  it('a claim creates a native zone with SOA and NS records', async () => {
    const { zone, serial } = await owner.claim()
    expect(await on.held(zone)).toEqual(contents(zone))
    expect((await on.powerdns.call('GET', `/zones/${zone}.`)).json).toMatchObject({ kind: 'Native' })
    expect(await serial()).toBeGreaterThan(0)
  })

  it('serves a record after its creation, after each change, and not after its deletion', async () => {
    const zone = await owner.claim()
    const { id } = await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    const first = await zone.serial()
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.1'])
    expect(await on.held(zone.zone)).toEqual(contents(zone.zone, `www.${zone.zone} A 300 192.0.2.1`))
    await zone.update(id, { value: '192.0.2.2', ttl: 60 })
    expect(await zone.served('www', 'A')).toEqual(['60 192.0.2.2'])
    await zone.update(id, { host: 'web' })
    expect(await zone.served('www', 'A')).toEqual([])
    expect(await zone.served('web', 'A')).toEqual(['60 192.0.2.2'])
    await zone.remove(id)
    expect(await zone.served('web', 'A')).toEqual([])
    expect(await on.held(zone.zone)).toEqual(contents(zone.zone))
    expect(await zone.serial()).toBeGreaterThan(first)
  })

  it('sets the ttl of a new record for its whole RRset', async () => {
    const zone = await owner.claim()
    await zone.add({ type: 'TXT', host: '@', value: 'one', ttl: 300 })
    await zone.add({ type: 'TXT', host: '@', value: 'two', ttl: 600 })
    expect(await zone.served('@', 'TXT')).toEqual(['600 one', '600 two'])
  })

  it('serves a released zone until another account claims it, and again after its owner claims it back', async () => {
    const zone = await owner.claim()
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    await owner.call('DELETE', `/v1/dns/zones/${zone.zone}`)
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.1'])
    const other = await on.owner()
    const next = await other.claim(zone.zone)
    expect((await next.list()).body['data'].records).toEqual([])
    expect(await on.held(zone.zone)).toEqual(contents(zone.zone))
    await next.add({ type: 'A', host: 'api', value: '192.0.2.2', ttl: 300 })
    await other.call('DELETE', `/v1/dns/zones/${zone.zone}`)
    await owner.claim(zone.zone)
    expect(await on.held(zone.zone)).toEqual(contents(zone.zone, `www.${zone.zone} A 300 192.0.2.1`))
  })

  it('a claim restores the records of a zone that PowerDNS has lost', async () => {
    const zone = await owner.claim()
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    await owner.call('DELETE', `/v1/dns/zones/${zone.zone}`)
    await on.powerdns.call('DELETE', `/zones/${zone.zone}.`)
    await owner.claim(zone.zone)
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.1'])
  })

  it('502 upstream_error that names svc dns sync, and no change, if PowerDNS has lost the zone', async () => {
    const zone = await owner.claim()
    await on.powerdns.call('DELETE', `/zones/${zone.zone}.`)
    const rows = await on.rows()
    const answer = await zone.create({ type: 'A', host: 'www', value: '192.0.2.1' })
    expectFailure(answer, zone.zone, 'does not have the zone, which the operator restores with svc dns sync')
    expect(await on.rows()).toEqual(rows)
    expect(await on.held(zone.zone)).toBeUndefined()
  })

  it('502 upstream_error and no change for a CNAME that conflicts with a record only PowerDNS has', async () => {
    const zone = await owner.claim()
    await setRRset(on.powerdns, zone.zone, `alias.${zone.zone}`, 'TXT', '"there first"')
    const [rows, held] = [await on.rows(), await on.held(zone.zone)]
    const answer = await zone.create({ type: 'CNAME', host: 'alias', value: 'www.example.net' })
    expectFailure(answer, zone.zone, 'it refuses this change')
    expect(await on.rows()).toEqual(rows)
    expect(await on.held(zone.zone)).toEqual(held)
    expect(on.site.log.join()).toContain('Conflicts with pre-existing RRset')
  })

  it('restores the RRset in PowerDNS when the commit fails', async () => {
    const zone = await owner.claim()
    const { id } = await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    await refuseAddress66(on, kind)
    const [rows, held] = [await on.rows(), await on.held(zone.zone)]
    on.gateway.requests.length = 0
    for (const attempt of [
      zone.create({ type: 'A', host: 'www', value: '192.0.2.66', ttl: 60 }),
      zone.create({ type: 'A', host: 'new', value: '192.0.2.66' }),
      zone.update(id, { value: '192.0.2.66' }),
      zone.batch([{ delete: { id } }, { create: { type: 'A', host: 'new', value: '192.0.2.66' } }]),
    ])
      expectError(await attempt, 'internal_error')
    // Each change was published and then restored.
    expect(on.gateway.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(8)
    expect(await on.rows()).toEqual(rows)
    expect(await on.held(zone.zone)).toEqual(held)
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.1'])
  })

  it('publishes a batch with one PATCH, also if an alias takes the place of addresses', async () => {
    const zone = await owner.claim()
    const { id } = await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    const api = await zone.add({ type: 'A', host: 'api', value: '192.0.2.2', ttl: 300 })
    const send = zone.batch
    const changes = [
      { delete: { id } },
      { create: { type: 'CNAME', host: 'www', value: 'www.example.net', ttl: 300 } },
      { update: { id: api['id'], host: 'web' } },
      { replace: { host: '@', type: 'TXT', values: ['one', 'two'], ttl: 60 } },
    ]
    const before = await on.held(zone.zone)
    on.gateway.requests.length = 0
    expect((await send(changes, { dry_run: true })).body['data']).toMatchObject({ removed: [{ id }, api] })
    expect([on.gateway.requests, await on.held(zone.zone)]).toEqual([[], before])
    expect((await send(changes)).status).toBe(200)
    expect(on.gateway.requests.map((request) => request.split(' ')[0])).toEqual(['PATCH'])
    const { zone: name } = zone
    const after = contents(
      name,
      ...[`www.${name} CNAME 300 www.example.net.`, `web.${name} A 300 192.0.2.2`],
      ...[`${name} TXT 60 "one"`, `${name} TXT 60 "two"`],
    )
    expect(await on.held(name)).toEqual(after)
    expect(await zone.served('www', 'CNAME')).toEqual(['300 www.example.net'])

    const rows = await on.rows()
    on.gateway.requests.length = 0
    expectError(await send([{ create: { type: 'A', host: 'x', value: '192.0.2.3' } }, { delete: { id } }]), 'not_found')
    expect(on.gateway.requests).toEqual([])
    await setRRset(on.powerdns, name, `taken.${name}`, 'TXT', '"there first"')
    const alias = { create: { type: 'CNAME', host: 'taken', value: 'www.example.net' } }
    expectFailure(await send([{ delete: { id: api['id'] } }, alias]), name, 'it refuses this change')
    expect(await on.rows()).toEqual(rows)
    expect(await zone.served('web', 'A')).toEqual(['300 192.0.2.2'])
  })

  it('repeats a write that PowerDNS answers with 500, and succeeds', async () => {
    const zone = await owner.claim()
    on.gateway.behaviour = { failingWrites: 2 }
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    expect(on.gateway.behaviour).toEqual({ failingWrites: 0 })
    on.gateway.behaviour = 'pass'
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.1'])
  })

  it('publishes parallel writes to many zones', async () => {
    const zones = await Promise.all(Array.from({ length: 8 }, () => owner.claim()))
    const hosts = Array.from({ length: 5 }, (_, i) => `h${i}`)
    await Promise.all(
      zones.flatMap((zone) => hosts.map((host) => zone.add({ type: 'A', host, value: '192.0.2.1', ttl: 300 }))),
    )
    for (const { zone } of zones)
      expect(await on.held(zone)).toEqual(contents(zone, ...hosts.map((host) => `${host}.${zone} A 300 192.0.2.1`)))
  })
})

describe('two servers on PostgreSQL and one PowerDNS', () => {
  it('two servers lose no parallel write to one zone', async () => {
    const on = await startPowerDnsSite('postgres')
    const other = await on.site.another()
    const owner = await on.owner()
    const zone = await owner.claim()
    const through = (n: number) => (n % 2 === 0 ? on.site : other)
    const write = (n: number, method: string, path: string, body?: unknown) =>
      through(n).call(method, `${zone.path}${path}`, { token: owner.token, body })
    const values = Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`)

    const created = await Promise.all(
      values.map((value, n) => write(n, 'POST', '', { type: 'A', host: 'pool', value, ttl: 300 })),
    )
    expect(created.map(({ status }) => status)).toEqual(values.map(() => 200))
    const ids = created.map(({ body }) => Number(body['data'].id))
    const changed = await Promise.all(
      ids.map((id, n) =>
        n < 10 ? write(n, 'DELETE', `/${id}`) : write(n, 'PATCH', `/${id}`, { value: `198.51.100.${n}` }),
      ),
    )
    expect(changed.map(({ status }) => status)).toEqual(values.map(() => 200))

    const left = values.slice(10).map((_, n) => `198.51.100.${n + 10}`)
    const { records } = (await zone.list()).body['data']
    expect(records.map(({ value }: { value: string }) => value).sort()).toEqual([...left].sort())
    expect(await heldBy(on.powerdns, zone.zone)).toEqual(
      contents(zone.zone, ...left.map((value) => `pool.${zone.zone} A 300 ${value}`)),
    )
    await other.stop()
    await on.stop()
  })
})

/** Checks for 502 with the zone in the envelope and without internal details. */
function expectFailure(answer: Answer, zone: string, problem: string): void {
  expectError(answer, 'upstream_error')
  expect(answer.body['zone']).toBe(zone)
  expect(answer.body['message']).toContain(problem)
  expect(answer.text).not.toMatch(/127\.0\.0\.1|key-of-the-test/)
}

/** Makes the database refuse records with an address that ends in .66. */
async function refuseAddress66({ site }: PowerDnsSite, kind: string): Promise<void> {
  if (kind === 'postgres') {
    await site.sql(`alter table dns_record add constraint refused check (value not like '%.66')`)
    return
  }
  for (const event of ['insert', 'update'])
    await site.sql(
      `create trigger refuse_${event} before ${event} on dns_record when new.value like '%.66' begin select raise(abort, 'refused'); end`,
    )
}
