import { areas } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closedServer, databaseKinds } from '../../../../test/app.js'
import { expectEvent, expectNoEvent, startEventSite, type EventSite } from '../../../../test/event-site.js'
import { dnsSettings } from '../../../../test/zone-site.js'

describe.each(databaseKinds)('the events of sites on %s', (kind) => {
  let site: EventSite
  beforeAll(async () => {
    site = await startEventSite(kind, { dns: dnsSettings([closedServer]) })
    await site.act('POST', '/v1/dns/zones', { zone: 'events.example' })
  })
  afterAll(() => site.stop())

  const of = (action: string, object: string) => ({ area: 'sites', action, object })
  const served = { version: expect.any(Number), files: 1, size: 0 }
  const deploy = (name: string) => site.act('POST', '/v1/sites/deploy', { ...areas.sites.deploy.example.body, name })
  const versionsOf = async (name: string) =>
    (await site.act('GET', `/v1/sites/versions?name=${name}`)).data['versions'] as { version: number }[]
  const add = (name: string, host: string) => site.act('POST', '/v1/sites/domains/add', { name, host })
  const remove = (host: string) => site.actInConsole('POST', '/sites/domains/remove', { host })

  it('shows the first deploy of a site, and each further one with the version before', async () => {
    expectEvent(await deploy('blog'), { ...of('site_create', 'blog'), after: served })
    const second = await deploy('blog')
    const [newest, oldest] = await versionsOf('blog')
    const before = { ...served, version: oldest?.version }
    expectEvent(second, { ...of('site_deploy', 'blog'), before, after: { ...served, version: newest?.version } })
  })

  it('shows a restore with both versions, and nothing if the version is served already', async () => {
    await deploy('docs')
    await deploy('docs')
    const [newest, oldest] = await versionsOf('docs')
    const restore = () => site.act('POST', '/v1/sites/restore', { name: 'docs', version: oldest?.version })
    const [before, after] = [newest, oldest].map((kept) => ({ version: kept?.version }))
    expectEvent(await restore(), {
      ...of('site_restore', 'docs'),
      before: { ...served, ...before },
      after: { ...served, ...after },
    })
    expectNoEvent(await restore(), 200)
  })

  it('shows own domains, and their removal with the site, in the order of the changes', async () => {
    await deploy('shop')
    const host = 'shop.events.example'
    expectEvent(await add('shop', host), { ...of('domain_add', 'shop'), after: { host } })
    expectNoEvent(await add('shop', host), 200)
    expectEvent(await remove(host), { ...of('domain_remove', 'shop'), before: { host } }, 'session')
    await add('shop', host)
    const { events } = await site.act('POST', '/v1/sites/delete', { name: 'shop' })
    const ofSites = events.filter(({ area }) => area === 'sites')
    expect(ofSites).toMatchObject([
      { action: 'domain_remove', before: { host } },
      { action: 'site_delete', object: 'shop', before: served },
    ])
  })

  it('has no event of a domain whose records cannot be created', async () => {
    await deploy('late')
    const record = { type: 'TXT', host: 'taken', value: 'text', ttl: 300 }
    await site.act('POST', '/v1/dns/zones/events.example/records', record)
    expectNoEvent(await add('late', 'taken.events.example'), 400)
    expectNoEvent(await add('late', 'www.other.example'), 403)
  })

  it('shows to an account that another one has taken over its domain, but not who', async () => {
    const bob = await site.account('bob@example.com')
    const token = await site.token(bob, '*')
    const body = { ...areas.sites.deploy.example.body, name: 'bobs' }
    await site.call('POST', '/v1/sites/deploy', { token, body })
    const host = 'held.events.example'
    await site.sql(`insert into site_domain (host, site_id, account_id, zone, records, created_at)
      select '${host}', id, account_id, 'bob.example', '[]', 0 from site where name = 'bobs'`)
    await deploy('taker')
    expectEvent(await add('taker', host), { ...of('domain_add', 'taker'), after: { host } })
    const { body: answer } = await site.call('GET', '/v1/account/events?area=sites&limit=1', { token })
    expect(answer['data'].events).toMatchObject([
      {
        ...of('domain_lost', 'bobs'),
        actor: { kind: 'protocol', name: 'claim of another account', id: null },
        network: null,
        request_id: null,
        before: { host },
      },
    ])
  })

  it('has no event of a request that is refused', async () => {
    expectNoEvent(await site.act('POST', '/v1/sites/restore', { name: 'docs', version: 987_654 }), 404)
    expectNoEvent(await site.act('POST', '/v1/sites/delete', { name: 'none' }), 404)
    expectNoEvent(await site.act('POST', '/v1/sites/deploy', { name: 'docs', archive: 'aGVsbG8=' }), 400)
  })

  it('shows to a token with rules its sites only, and nothing to another account', async () => {
    await site.expectOnly('sites', 'docs', [{ kind: 'site', name: 'docs', access: 'read' }])
    await site.expectHidden('sites')
  })
})
