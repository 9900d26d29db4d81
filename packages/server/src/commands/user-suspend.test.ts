import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type TestApp } from '../../test/app.js'
import { ask } from '../../test/dns-ask.js'
import { fillAccount, type FullAccount } from '../../test/full-account.js'
import { send } from '../../test/raw-http.js'
import { getPage } from '../../test/site-host.js'
import { startSite, type Site } from '../../test/site.js'
import { dnsSettings } from '../../test/zone-site.js'
import { readConfig } from '../config/config.js'
import { ownStore } from '../areas/account/accounts/own-store.js'
import { resumeUser, suspendUser } from './user-suspend.js'

/** `svc user suspend` and `svc user resume`, beside two servers on one database. */

describe.each(databaseKinds)('a suspended account on %s', { timeout: 60_000 }, (kind) => {
  let site: Site
  let other: TestApp
  let bob: FullAccount
  beforeAll(async () => {
    site = await startSite(kind, {
      dns: dnsSettings([]),
      sitesAddresses: ['192.0.2.9'],
      outboundAllow: ['127.0.0.1/32'],
    })
    other = await site.another()
    bob = await fillAccount(site, site.database, await site.account('bob@example.com'), 'bob')
  }, 60_000)
  afterAll(async () => {
    await other.stop()
    await site.stop()
  })

  let count = 0
  let ada: FullAccount
  let email: string
  beforeEach(async () => {
    const name = `ada${String(++count)}`
    email = `${name}@example.com`
    ada = await fillAccount(site, site.database, await site.account(email), name)
  })

  const config = () => ({
    ...readConfig({ env: { SVC_DATA: '/nonexistent' } }),
    database: site.database,
    dns: dnsSettings([]),
  })
  const me = (app: Pick<TestApp, 'call'>, { token }: FullAccount) => app.call('GET', '/v1/account/me', { token })
  const statuses = (who: FullAccount) => Promise.all([site, other].map(async (app) => (await me(app, who)).status))

  /** What the public gets from both servers: the zone, a share link, the site at its two hosts. */
  const served = async ({ zone, sharePath, siteName, siteDomain }: FullAccount) =>
    Promise.all(
      [site, other].map(async (app) => [
        (await ask(app.dnsPort, zone, 'SOA')).rcode,
        (await send(app.url, 'GET', sharePath, { headers: { host: 'content.localhost' } })).status,
        (await getPage(app.url, `${siteName}.localhost`, '/')).status,
        (await getPage(app.url, siteDomain, '/')).status,
      ]),
    )
  const all = ['NOERROR', 200, 200, 200]
  const none = ['REFUSED', 404, 404, 404]

  it('is refused at both doors of every server from the next request on; what it has is served, and its zones stay its own', async () => {
    const browser = await site.browser(email)
    await expect.poll(() => served(ada), { timeout: 5_000 }).toEqual([all, all])
    expect(await statuses(ada)).toEqual([200, 200])
    await suspendUser(config(), email, false)
    expect(await statuses(ada)).toEqual([401, 401])
    expect((await me(site, ada)).body).toMatchObject({
      error: 'unauthorized',
      message: 'The token is not valid: it may have been revoked.',
    })
    for (const app of [site, other]) {
      const { status, body } = await app.call('GET', '/console/api/session', { headers: { cookie: browser.cookie } })
      expect([status, body['error']]).toEqual([401, 'unauthorized'])
    }
    const right = await site.signIn(email)
    expect([right.status, right.body['message']]).toEqual([
      401,
      'The account is suspended: only the operator of this server can resume it.',
    ])
    expect((await site.signIn(email, { password: 'wrong' })).body['message']).toBe(
      'The email or the password is wrong.',
    )
    expect(await served(ada)).toEqual([all, all])
    expect(await statuses(bob)).toEqual([200, 200])
    const claimed = await site.call('POST', '/v1/dns/zones', { token: bob.token, body: { zone: ada.zone } })
    expect(claimed.body['data']).toMatchObject({ status: 'pending' })
    await resumeUser(config(), email)
    expect(await statuses(ada)).toEqual([200, 200])
    expect((await browser.call('GET', '/session')).status).toBe(200)
  })

  it('with --all nothing of it is served, by any server, until it is resumed; another account is served', async () => {
    await expect.poll(() => served(ada), { timeout: 5_000 }).toEqual([all, all])
    await suspendUser(config(), email, true)
    await expect.poll(() => served(ada), { timeout: 5_000 }).toEqual([none, none])
    expect(await served(bob)).toEqual([all, all])
    const later = await site.another()
    try {
      expect((await ask(later.dnsPort, ada.zone, 'SOA')).rcode).toBe('REFUSED')
    } finally {
      await later.stop()
    }
    await suspendUser(config(), email, false)
    await expect.poll(() => served(ada), { timeout: 5_000 }).toEqual([all, all])
    expect(await statuses(ada)).toEqual([401, 401])
    await suspendUser(config(), email, true)
    await resumeUser(config(), email)
    await expect.poll(() => served(ada), { timeout: 5_000 }).toEqual([all, all])
  })

  it('with --all its forms, webhooks, short links, packages and forwarder keys answer like unknown ones', async () => {
    const kept = `kept-${email.split('@', 1)[0] ?? ''}`
    const content = async (path: string) =>
      (await send(site.url, 'GET', path, { headers: { host: 'content.localhost' } })).status
    const { token } = ada
    const published = { slug: `${kept}-x`, version: '1.0.0', artifacts: [{ name: 'a.txt', content: 'aGVsbG8=' }] }
    expect((await site.call('POST', '/v1/packages/publish', { token, body: published })).status).toBe(200)
    const key = (await site.call('POST', '/v1/sms/keys', { token, body: { label: 'more' } })).body['data']?.key as
      | string
      | undefined
    const slugs = { form: 'f', webhook: 'h', shortlink: 'l' } as const
    for (const kind of ['form', 'webhook', 'shortlink'] as const) {
      const body = { kind, slug: `${kept}-${kind}`, ...(kind === 'shortlink' && { target: 'https://example.com/' }) }
      expect((await site.call('POST', '/v1/deployments/create', { token, body })).status).toBe(200)
    }
    const post = async (path: string, host: string) =>
      (
        await send(site.url, 'POST', path, {
          headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
          body: 'a=1',
        })
      ).status
    const answers = async () => [
      await content(`/p/${kept}-x/1.0.0/a.txt`),
      await content(`/l/${kept}-shortlink`),
      await post(`/${slugs.form}/${kept}-form`, 'content.localhost'),
      await post(`/${slugs.webhook}/${kept}-webhook`, 'content.localhost'),
      ...(key === undefined ? [] : [await post(`/sms/${key}`, new URL(site.url).host)]),
    ]
    const before = await answers()
    expect(before).not.toContain(404)
    await suspendUser(config(), email, true)
    await expect.poll(answers, { timeout: 5_000 }).toEqual(before.map(() => 404))
    await resumeUser(config(), email)
    await expect.poll(answers, { timeout: 5_000 }).toEqual(before)
  })

  it('an account that is being deleted cannot be suspended or resumed', async () => {
    // A server would remove it meanwhile.
    const gone = await site.account(`gone${String(count)}@example.com`)
    await ownStore(site.app.database).endAccess(gone.id, null, 'x')
    await expect(resumeUser(config(), gone.email)).rejects.toThrow(
      /has been deleted: a server removes|There is no account/,
    )
    await expect(suspendUser(config(), 'nobody@example.com', false)).rejects.toThrow('There is no account')
  })
})
