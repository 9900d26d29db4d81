import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { ask } from '../../../../test/dns-ask.js'
import { recordsOf, TestSecondary, transferFrom } from '../../../../test/transfer-client.js'
import { startTwoServers, type TwoServers } from '../../../../test/two-servers.js'
import { ownerOn, type ZoneClient } from '../../../../test/zone-owner.js'
import { challengeStore } from '../challenges/challenge-store.js'
import { deletionStore } from '../claims/deletion-store.js'
import { publishedStore } from './published-store.js'
import { publishApexSettings } from './secondaries.js'

/** A busy machine needs several intervals of the zone follower. */
const soon = <R>(check: () => Promise<R>) => vi.waitFor(check, { timeout: 10_000, interval: 20 })

describe.each(databaseKinds)('transfers of two servers on %s', (kind) => {
  let on: TwoServers
  let here: ZoneClient
  let there: ZoneClient
  beforeAll(async () => {
    on = await startTwoServers(kind)
  })
  afterAll(() => on.stop())
  beforeEach(async () => {
    here = await on.owner.claim()
    there = on.through(on.other, here.zone)
  })

  const serialAt = async (port: number, zone: string) =>
    Number((await ask(port, zone, 'SOA')).answers[0]?.value.split(' ')[2])

  it('lead a secondary that asks either server to the records of both', async () => {
    const { zone } = here
    const challenges = challengeStore(on.site.app.database)
    const copy = new TestSecondary()
    const kinds: string[] = []
    const update = async (port: number) => {
      copy.take(await transferFrom(port, zone, copy.serial))
      kinds.push(copy.last ?? '')
    }
    let random = 7
    const draw = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below
    for (let n = 0; n < 60; n++) {
      const client = draw(2) === 0 ? here : there
      const value = `v${draw(3)}`
      const host = ['www', '@', 'a.b', '_acme-challenge.www'][draw(4)]
      switch (draw(8)) {
        case 0:
          await challenges.open(zone, [{ host: '_acme-challenge.www', value }], Date.now() + 60_000)
          break
        case 1:
          await challenges.close(zone, [value])
          break
        case 2: {
          const { body } = await client.list()
          const [first] = body['data'].records
          if (first !== undefined) await client.remove(first.id)
          break
        }
        case 3:
          await Promise.all(
            [here, there].map((each, at) => each.create({ type: 'TXT', host: `both${at}`, value, ttl: 60 + n })),
          )
          break
        default:
          await client.create({ type: 'TXT', host, value, ttl: 60 + 60 * draw(2) })
      }
      if (draw(3) === 0) await update(draw(2) === 0 ? on.site.dnsPort : on.other.dnsPort)
    }
    await soon(async () => expect(await serialAt(on.site.dnsPort, zone)).toBe(await serialAt(on.other.dnsPort, zone)))
    await update(on.site.dnsPort)
    for (const { dnsPort } of [on.site, on.other]) {
      const whole = new TestSecondary()
      whole.take(await transferFrom(dnsPort, zone))
      expect([...copy.records].toSorted()).toEqual([...whole.records].toSorted())
    }
    expect(kinds).toContain('ixfr')
  })

  it('have the serial and the records of the last change, in differences too', async () => {
    const copy = new TestSecondary()
    copy.take(await transferFrom(on.site.dnsPort, here.zone))
    for (let n = 0; n < 5; n++) await here.add({ type: 'A', host: `h${n}`, value: '192.0.2.1', ttl: 60 })
    copy.take(await transferFrom(on.site.dnsPort, here.zone, copy.serial))
    expect(copy.last).toBe('ixfr')
    expect(copy.serial).toBe(await here.serial())
    expect(copy.records.size).toBe(1 + 2 + 5)
  })

  it('list each zone in the catalog while it is served, also a released one, and with another label for another account', async () => {
    const members = async (port: number) =>
      new Map(
        recordsOf(await transferFrom(port, 'catalog.invalid')).flatMap((answer): [string, string][] =>
          answer.type === 'PTR' ? [[answer.data, answer.name]] : [],
        ),
      )
    const labelOf = async (zone: string) => {
      const [label, same] = [await members(on.site.dnsPort), await members(on.other.dnsPort)].map((all) =>
        all.get(zone),
      )
      expect(label).toBe(same)
      return label
    }
    await soon(async () => expect(await labelOf(here.zone)).toBeDefined())
    const label = await labelOf(here.zone)
    expect((await on.owner.call('DELETE', `/v1/dns/zones/${here.zone}`)).status).toBe(200)
    expect(await labelOf(here.zone)).toBe(label)
    const next = await ownerOn(on.site)
    await next.claim(here.zone)
    await soon(async () => expect([undefined, label]).not.toContain(await labelOf(here.zone)))
    const serial = await serialAt(on.site.dnsPort, 'catalog.invalid')
    expect(await serialAt(on.other.dnsPort, 'catalog.invalid')).toBe(serial)
    await deletionStore(on.site.app.database).deleteZone(here.zone)
    await soon(async () => expect(await labelOf(here.zone)).toBeUndefined())
    expect(await serialAt(on.site.dnsPort, 'catalog.invalid')).toBeGreaterThan(serial)
  })

  it('keep the serial of the catalog when a server starts', async () => {
    await soon(async () => expect(await serialAt(on.site.dnsPort, 'catalog.invalid')).toBeGreaterThan(0))
    const third = await on.site.another()
    await soon(async () =>
      expect(await serialAt(third.dnsPort, 'catalog.invalid')).toBe(await serialAt(on.site.dnsPort, 'catalog.invalid')),
    )
    await third.stop()
  })

  it('get a new serial for every zone when the settings of SOA and NS records have changed, and for none otherwise', async () => {
    const settings = { nameservers: ['ns1.localhost', 'ns2.localhost'] }
    const stored = async () =>
      (await on.site.sql(`select serial from dns_zone where name = '${here.zone}'`))[0]?.['serial']
    const before = Number(await stored())
    await publishApexSettings(on.site.app.database, settings)
    expect(Number(await stored())).toBe(before)
    await publishApexSettings(on.site.app.database, { nameservers: ['ns3.localhost'] })
    for (const zone of [here, there]) await soon(async () => expect(await zone.serial()).toBe(before + 1))
    await on.site.sql(`update dns_zone set serial = 4294967295 where name = '${here.zone}'`)
    await publishApexSettings(on.site.app.database, settings)
    expect(Number(await stored())).toBe(1)
  })

  it('count serials of other contents up, also when the clock is set back and after the last one', async () => {
    const { serialOf } = publishedStore(on.site.app.database)
    const first = await serialOf('test.invalid', 'one')
    expect(first).toBeGreaterThan(1_700_000_000)
    expect(await serialOf('test.invalid', 'one')).toBe(first)
    await on.site.sql(`update dns_published set serial = serial + 1000 where name = 'test.invalid'`)
    expect(await serialOf('test.invalid', 'two')).toBe(first + 1001)
    await on.site.sql(`update dns_published set serial = 4294967295 where name = 'test.invalid'`)
    expect(await serialOf('test.invalid', 'three')).toBe(1)
  })
})
