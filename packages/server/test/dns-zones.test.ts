import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimStore } from '../src/areas/dns/claims/store.js'
import { withPublisher } from '../src/commands/with-publisher.js'
import { deleteZone, listZones, releaseZone, zoneUse } from '../src/commands/dns-zones.js'
import type { Config } from '../src/config/config.js'
import { countAccountRows } from '../src/app/account-rows-store.js'
import { databaseKinds, type TestApp } from './app.js'
import { ask } from './dns-ask.js'
import { startPowerDnsSite, type PowerDnsSite } from './powerdns-site.js'
import { zoneClient, type Owner } from './zone-owner.js'
import { dnsSettings, startZoneSite, type ZoneSite } from './zone-site.js'

/** The operator's commands for zones, beside a running server. */

const www = { type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 }

describe.each(databaseKinds)('beside a server with the embedded nameserver, on %s', (kind) => {
  let on: ZoneSite
  let config: Pick<Config, 'database' | 'dns'>
  beforeAll(async () => {
    on = await startZoneSite(kind)
    config = { database: on.site.database, dns: dnsSettings([]) }
  })
  afterAll(() => on.stop())

  const listed = async (email?: string) => {
    const lines: string[] = []
    await listZones(config.database, email, async (pages) => {
      for await (const page of pages)
        for (const { zone, status, method, account, records } of page)
          lines.push([zone, status, method, account, records].join(' '))
    })
    return lines
  }
  const client = (zone: string) =>
    zoneClient(on.site, (method, path, body) => on.site.call(method, path, { token: on.tokens.ada, body }), zone)
  const rcodeOf = async (zone: string, { dnsPort }: Pick<TestApp, 'dnsPort'> = on.site) =>
    (await ask(dnsPort, zone, 'SOA')).rcode

  it('lists, releases and deletes a zone, which another account can claim after that', async () => {
    await on.claim('ada', 'one.example')
    const zone = client('one.example')
    await zone.add(www)
    await zone.add({ type: 'MX', host: '@', value: 'mail.example.net', priority: 10, ttl: 300 })
    await on.claim('bob', 'one.example')
    const pending = 'one.example pending txt bob@example.com 0'
    expect(await listed()).toEqual(['one.example verified auto ada@example.com 2', pending])

    expect(await releaseZone(config.database, 'ONE.example.')).toMatchObject({ holder: 'ada@example.com' })
    expect(await listed()).toEqual(['one.example released  ada@example.com 2', pending])
    expect((await zone.list()).status).toBe(403)
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.1'])

    await claimStore(on.site.app.database).assign(on.accounts.cy, 'one.example')
    expect(await zoneUse(config.database, 'one.example')).toEqual({
      zone: 'one.example',
      holder: 'cy@example.com',
      domains: [],
      pending: ['bob@example.com'],
      shares: [{ account: 'ada@example.com', records: 2, mx: 1 }],
    })
    // The records of Ada, which are not served, are counted, exported and deleted with her account.
    expect((await countAccountRows(on.site.app.database, on.accounts.ada.id)).get('dns_record')).toBe(2)
    await deleteZone(config, 'one.example')
    expect(await listed('bob@example.com')).toEqual([pending])
    await expect.poll(() => rcodeOf('one.example')).toBe('REFUSED')
    await expect(releaseZone(config.database, 'one.example')).rejects.toThrow(
      'one.example is not verified for any account.',
    )

    await claimStore(on.site.app.database).release(on.accounts.bob, 'one.example')
    expect((await on.claim('ada', 'one.example')).body['data'].status).toBe('verified')
    await zone.add(www)
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.1'])
  })

  it('a deleted zone is not served after a restart, and its serial increases when it is claimed again', async () => {
    await on.claim('ada', 'two.example')
    await client('two.example').add(www)
    const serial = async () =>
      (await on.site.sql("select serial from dns_zone where name = 'two.example'"))[0]?.['serial']
    const before = Number(await serial())
    await deleteZone(config, 'two.example')
    const other = await on.site.another()
    expect(await rcodeOf('two.example', other)).toBe('REFUSED')
    await on.claim('ada', 'two.example')
    expect(Number(await serial())).toBe(before + 2)
    await expect.poll(() => rcodeOf('two.example', other)).toBe('NOERROR')
    await other.stop()
  })

  it('lists more zones than one page has, each once', async () => {
    const claims = `select i, ${String(on.accounts.cy.id)}, 'many' || i || '.example', 'pending', 'txt', 0 from n`
    await on.site.sql(`with recursive n(i) as (select 1000 union all select i + 1 from n where i < 1400)
      insert into dns_claim (id, account_id, zone, status, method, created_at) ${
        kind === 'postgres' ? 'overriding system value' : ''
      } ${claims}`)
    const many = (await listed()).filter((line) => line.startsWith('many'))
    expect(many).toHaveLength(401)
    expect(new Set(many).size).toBe(401)
  })

  it('names the sites that are served in the zone', async () => {
    await on.claim('ada', 'three.example')
    await on.site.sql(`insert into site (account_id, name, version_id, files, size, created_at, deployed_at)
      values (${String(on.accounts.ada.id)}, 'blog', 0, 0, 0, 0, 0)`)
    await on.site.sql(`insert into site_domain (host, site_id, account_id, zone, records, created_at)
      select 'www.three.example', id, account_id, 'three.example', '[]', 0 from site`)
    expect((await zoneUse(config.database, 'three.example')).domains).toEqual([
      { host: 'www.three.example', site: 'blog' },
    ])
  })
})

describe('with PowerDNS', () => {
  let on: PowerDnsSite
  let owner: Owner
  beforeAll(async () => {
    on = await startPowerDnsSite('sqlite')
    owner = await on.owner()
  })
  afterAll(() => on.stop())

  it('a zone is deleted at the provider too; if the provider fails, nothing is changed', async () => {
    const provider = { kind: 'powerdns', url: on.gateway.url, key: on.powerdns.key } as const
    const config = { database: on.site.database, dns: { ...dnsSettings([]), provider } }
    await owner.call('POST', '/v1/dns/zones', { zone: 'gone.example' })
    const zone = zoneClient({ dnsPort: on.powerdns.dnsPort }, owner.call, 'gone.example')
    await zone.add(www)
    const rows = await on.rows()
    const failing = { ...config, dns: { ...config.dns, provider: { ...provider, key: 'wrong' } } }
    await expect(deleteZone(failing, 'gone.example')).rejects.toMatchObject({ code: 'upstream_error' })
    expect(await on.rows()).toEqual(rows)
    await deleteZone(config, 'gone.example')
    expect(await on.held('gone.example')).toBeUndefined()
    expect((await zone.list()).status).toBe(403)
    await owner.call('POST', '/v1/dns/zones', { zone: 'gone.example' })
    expect((await zone.list()).body['data'].records).toEqual([])
    expect(await on.held('gone.example')).toHaveLength(3)
  })

  it('an account that is deleted leaves its zones, and the records of others stay', async () => {
    const provider = { kind: 'powerdns', url: on.gateway.url, key: on.powerdns.key } as const
    const dns = { ...dnsSettings([]), provider }
    await owner.call('POST', '/v1/dns/zones', { zone: 'left.example' })
    const other = await on.site.account('other@example.com')
    const leave = (account: { id: number }, zone: string) =>
      withPublisher({ dns }, on.site.app.database, (publisher) => publisher.removeFromZone(account, zone))
    await leave(other, 'left.example')
    expect(await on.held('left.example')).toHaveLength(3)
    await leave(owner.account, 'left.example')
    expect(await on.held('left.example')).toBeUndefined()
  })

  it("an account that is deleted leaves a zone that is marked as another installation's, which stays at the provider", async () => {
    const provider = { kind: 'powerdns', url: on.gateway.url, key: on.powerdns.key } as const
    await owner.call('POST', '/v1/dns/zones', { zone: 'foreign.example' })
    await on.powerdns.call('PUT', '/zones/foreign.example.', { account: 'svc-another' })
    await expect(
      deleteZone({ database: on.site.database, dns: { ...dnsSettings([]), provider } }, 'foreign.example'),
    ).rejects.toThrow("the zone is marked as another installation's")
    await withPublisher({ dns: { ...dnsSettings([]), provider } }, on.site.app.database, (publisher) =>
      publisher.removeFromZone(owner.account, 'foreign.example'),
    )
    expect(await on.held('foreign.example')).toHaveLength(3)
    expect((await owner.call('GET', '/v1/dns/zones')).text).not.toContain('foreign.example')
  })
})
