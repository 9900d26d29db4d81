import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, startPowerDns, type PowerDns } from '../../test/servers/index.js'
import { databaseKinds, type DatabaseKind } from '../../packages/server/test/app.js'
import { rcodes, startDnsServer, type DnsServer } from '../../packages/server/test/dns-server.js'
import { expectError } from '../../packages/server/test/raw-http.js'
import { startSite, type Site } from '../../packages/server/test/site.js'
import { ownerOn, type Owner } from '../../packages/server/test/zone-owner.js'
import { dnsSettings } from '../../packages/server/test/zone-site.js'

/** Attempts to get the zone of another account, or names in it, without its consent. */

interface World {
  readonly site: Site
  readonly holder: Owner
  readonly attacker: Owner
  /** The values that the attacker's own server has, whatever the name. */
  readonly elsewhere: Set<string>
  readonly stop: () => Promise<void>
}

/** A server whose resolvers are its own nameserver and one that the attacker controls: as if the zones were delegated. */
async function startWorld(kind: DatabaseKind, powerdns?: PowerDns): Promise<World> {
  const elsewhere = new Set<string>()
  const resolver: DnsServer = await startDnsServer(({ type, name }) =>
    type === 'TXT' && name.endsWith('elsewhere.example')
      ? { answers: [...elsewhere].map((data) => ({ type: 'TXT', name, data, ttl: 1 })) }
      : { rcode: rcodes.nxdomain },
  )
  const port = powerdns?.dnsPort ?? (await freePort())
  const settings = dnsSettings([`127.0.0.1:${port}`, resolver.address])
  const site = await startSite(kind, {
    dns: powerdns
      ? { ...settings, provider: { kind: 'powerdns', url: powerdns.url, key: powerdns.key } }
      : { ...settings, port },
  })
  return {
    site,
    elsewhere,
    holder: await ownerOn(site),
    attacker: await ownerOn(site),
    stop: async () => {
      await site.stop()
      await resolver.stop()
    },
  }
}

const statusOf = ({ body }: Awaited<ReturnType<Owner['call']>>): unknown => body['data']?.status
const claim = (owner: Owner, zone: string) => owner.call('POST', '/v1/dns/zones', { zone })
const verify = (owner: Owner, zone: string) => owner.call('POST', `/v1/dns/zones/${zone}/verify`)

/** The challenge of a claim, which is pending. */
async function challengeOf(owner: Owner, zone: string): Promise<string> {
  const { status, verification } = (await claim(owner, zone)).body['data']
  expect(status).toBe('pending')
  return verification.value as string
}

/** Zones that a private suffix separates, as in the Public Suffix List. */
const landlord = 'thingdust.io'
const tenant = 'shop.cust.prod.thingdust.io'

describe.each(databaseKinds)('zones above each other on %s', (kind) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(kind)
  })
  afterAll(() => world.stop())

  it.each([
    [landlord, tenant],
    ['shop.cust.testing.thingdust.io', landlord],
    ['1.30.in-addr.arpa', '30.in-addr.arpa'],
    ['31.in-addr.arpa', '1.31.in-addr.arpa'],
  ])('of %s and %s, another account gets the second only with a proof', async (first, second) => {
    const { holder, attacker } = world
    expect(statusOf(await claim(holder, first))).toBe('verified')
    expect(statusOf(await claim(attacker, second))).toBe('pending')
    expectError(await attacker.call('GET', `/v1/dns/zones/${second}/records`), 'forbidden_zone')
    for (const [by, zone] of [
      [holder, first],
      [attacker, second],
    ] as const)
      await by.call('DELETE', `/v1/dns/zones/${zone}`)
  })

  it('twenty parallel claims on zones above each other: exactly one is verified', async () => {
    const nested = ['r.cust.disrec.thingdust.io', landlord]
    const owners = await Promise.all(Array.from({ length: 20 }, () => ownerOn(world.site)))
    const answers = await Promise.all(owners.map((owner, i) => claim(owner, nested[i % nested.length] ?? '')))
    expect(answers.map(statusOf).filter((status) => status === 'verified')).toHaveLength(1)
  })
})

const target = 'any.elsewhere.example'

describe.each([
  ['the nameserver of svc on sqlite', 'sqlite', false],
  ['the nameserver of svc on postgres', 'postgres', false],
  ['PowerDNS on sqlite', 'sqlite', true],
  ['PowerDNS on postgres', 'postgres', true],
] as const)('a challenge with %s', (_, kind, isExternal) => {
  let world: World
  let powerdns: PowerDns | undefined
  beforeAll(async () => {
    powerdns = isExternal ? await startPowerDns() : undefined
    world = await startWorld(kind, powerdns)
  })
  afterAll(async () => {
    await world.stop()
    await powerdns?.stop()
  })

  it.each([
    ['a wildcard alias', 'wild.com', 'wild.com', '*'],
    ['a wildcard alias of the zone above', landlord, tenant, '*'],
    ['a wildcard alias beside it in the zone above', landlord, 'a.cust.dev.thingdust.io', '*.a.cust.dev'],
  ])('a challenge is not answered through %s', async (_what, above, zone, wildcard) => {
    const { holder, attacker, elsewhere } = world
    const record = { type: 'CNAME', host: wildcard, value: target }
    await holder.call('POST', '/v1/dns/zones', { zone: above })
    const path = `/v1/dns/zones/${above}/records`
    const { id } = (await holder.call('POST', path, record)).body['data']
    elsewhere.add(await challengeOf(attacker, zone))
    const answer = await verify(attacker, zone)
    expect(answer.body['data']).toMatchObject({ status: 'pending', matched: false })

    // The holder's consent still is one, beside the wildcard.
    const host = `_svcdns-verify.${zone}`.slice(0, -above.length - 1)
    await holder.call('POST', path, { type: 'TXT', host, value: [...elsewhere].at(-1) })
    expect((await verify(attacker, zone)).body['data']).toMatchObject({ status: 'verified', matched: true })
    await holder.call('DELETE', `${path}/${id}`)
  })

  it('is not answered through a wildcard TXT record', async () => {
    const { holder, attacker } = world
    const zone = await holder.claim('wild-text.com')
    await zone.add({ type: 'TXT', host: '*', value: await challengeOf(attacker, zone.zone) })
    expect((await verify(attacker, zone.zone)).body['data']).toMatchObject({ status: 'pending', matched: false })
  })

  it('cannot be an alias or a delegation', async () => {
    const zone = await world.holder.claim('alias.com')
    const { id } = await zone.add({ type: 'CNAME', host: 'www', value: target })
    for (const host of ['_svcdns-verify', '_SVCDNS-verify.shop.cust']) {
      for (const type of ['CNAME', 'NS']) {
        const answer = await zone.create({ type, host, value: target })
        expectError(answer, 'bad_request')
        expect(answer.body['message']).toMatch(/^_svcdns-verify\S* cannot have (CNAME|NS) records/)
      }
      expectError(await zone.update(id, { host }), 'bad_request')
    }
  })
})
