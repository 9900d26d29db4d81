import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type TestApp } from '../../packages/server/test/app.js'
import { ask } from '../../packages/server/test/dns-ask.js'
import { startSite, type Site } from '../../packages/server/test/site.js'
import { ownerOn, zoneClient, type Owner, type ZoneClient } from '../../packages/server/test/zone-owner.js'

/** Answers from one account's zones never contain another account's records, also after a zone has changed hands. */

describe.each(databaseKinds)('the nameserver on %s', (kind) => {
  let site: Site
  /** A second server on the same database. */
  let other: TestApp
  let alice: Owner
  let mallory: Owner
  let own: ZoneClient
  /** Another zone of the same account. */
  let sister: ZoneClient
  let foreign: ZoneClient
  beforeAll(async () => {
    site = await startSite(kind)
    other = await site.another()
    alice = await ownerOn(site)
    mallory = await ownerOn(site)
    own = await alice.claim()
    sister = await alice.claim()
    foreign = await mallory.claim()
    for (const { zone, add } of [sister, foreign]) {
      await add({ type: 'A', host: 'target', value: zone === sister.zone ? '192.0.2.1' : '198.51.100.66', ttl: 300 })
      await own.add({ type: 'CNAME', host: zone === sister.zone ? 'friend' : 'foe', value: `target.${zone}` })
      await own.add({ type: 'MX', host: 'mail', value: `target.${zone}`, priority: 10 })
      await own.add({ type: 'SRV', host: '_sip._tcp', value: `1 5060 target.${zone}`, priority: 10 })
      await own.add({ type: 'NS', host: 'sub', value: `target.${zone}` })
    }
  })
  afterAll(async () => {
    await other.stop()
    await site.stop()
  })

  const answer = (host: string, type: string, port = site.dnsPort) =>
    ask(port, `${host}.${own.zone}`, type, { tcp: true })
  const onBoth = async (check: (port: number) => Promise<void>) => {
    for (const { dnsPort } of [site, other]) await vi.waitFor(() => check(dnsPort), { timeout: 2000, interval: 50 })
  }

  it('follows aliases into zones of the same account only', () =>
    onBoth(async (port) => {
      const friend = await answer('friend', 'A', port)
      expect(friend.answers.map(({ value }) => value)).toEqual([`target.${sister.zone}`, '192.0.2.1'])
      const foe = await answer('foe', 'A', port)
      expect(foe).toMatchObject({ rcode: 'NOERROR', authority: [], additional: [] })
      expect(foe.answers.map(({ value }) => value)).toEqual([`target.${foreign.zone}`])
    }))

  it('adds addresses to the additional section only from zones of the same account', () =>
    onBoth(async (port) => {
      for (const [host, type] of [
        ['mail', 'MX'],
        ['_sip._tcp', 'SRV'],
      ] as const) {
        const reply = await answer(host, type, port)
        expect(reply.answers).toHaveLength(2)
        expect(reply.additional.map(({ name, value }) => `${name} ${value}`)).toEqual([
          `target.${sister.zone} 192.0.2.1`,
        ])
      }
      expect(await answer('x.sub', 'A', port)).toMatchObject({ authority: { length: 2 }, additional: [] })
    }))

  it('does not follow aliases into a zone that the account has released', async () => {
    const released = await alice.claim()
    await released.add({ type: 'A', host: 'target', value: '192.0.2.9', ttl: 300 })
    await own.add({ type: 'CNAME', host: 'gone', value: `target.${released.zone}` })
    await onBoth(async (port) => expect((await answer('gone', 'A', port)).answers).toHaveLength(2))
    expect((await alice.call('DELETE', `/v1/dns/zones/${released.zone}`)).status).toBe(200)
    await onBoth(async (port) => expect((await answer('gone', 'A', port)).answers).toHaveLength(1))
    const taken = zoneClient(site, mallory.call, released.zone)
    expect((await mallory.call('POST', '/v1/dns/zones', { zone: released.zone })).status).toBe(200)
    await taken.add({ type: 'A', host: 'target', value: '198.51.100.66', ttl: 300 })
    await onBoth(async (port) => {
      expect((await ask(port, `target.${released.zone}`, 'A')).answers).toMatchObject([{ value: '198.51.100.66' }])
      expect((await answer('gone', 'A', port)).answers).toHaveLength(1)
    })
  })
})
