import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { overviewDeploymentsMax, overviewTextMax } from '@svc/contract'
import { databaseKinds, type Envelope } from '../../test/app.js'
import { deploySite } from '../../test/site-host.js'
import { startSite, type Browser, type Site } from '../../test/site.js'
import type { Account } from '../shared/account.js'
import { dateOf, dayOf } from '../shared/days.js'

/** The start page of the console, with the parts of all areas. */

describe.each(databaseKinds)('the overview on %s', (kind) => {
  let site: Site
  let account: Account
  let [ada, bob]: Browser[] = []
  beforeAll(async () => {
    site = await startSite(kind)
    account = await site.account('ada@example.com')
    await site.account('bob@example.com')
    ada = await site.browser('ada@example.com')
    bob = await site.browser('bob@example.com')
  })
  afterAll(() => site.stop())

  const post = async (path: string, body: object, browser = ada): Promise<Envelope> => {
    const answer = await browser!.call('POST', path, { body })
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data']
  }
  const shown = async (browser = ada): Promise<Envelope> => {
    const answer = await browser!.call('GET', '/overview')
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data']
  }
  const parts = async () => (await shown())['parts'] as Record<string, Envelope>

  const today = () => dayOf(Date.now())
  const noDays = () => Array.from({ length: 7 }, (_, index) => ({ day: dateOf(today() - 6 + index), count: 0 }))

  it('an account without anything gets zeros and the state of the nameserver', async () => {
    expect(await shown(bob)).toEqual({
      nameserver: 'running',
      parts: {
        account: { keys: 0, events: expect.any(Array) as object[] },
        dns: { zones: 0, pending: 0, unverified: [] },
        files: {
          files: 0,
          shared: 0,
          uploads: 0,
          bytes: 0,
          bytes_limit: 100_000_000_000,
          free_bytes: expect.any(Number) as number,
          requests: noDays(),
        },
        sms: { messages: 0, latest: [] },
        sites: { sites: 0, deploys: [] },
        deployments: { deployments: 0, failing: [], more_failing: false, uses: noDays() },
        domains: { domains: 0, expiring: 0, soonest: [] },
        packages: { packages: 0 },
        tls: { failing: 0, soonest: [] },
      },
    })
  })

  it('401 without a session', async () => {
    expect((await site.call('GET', '/console/api/overview')).status).toBe(401)
  })

  it('zones that are not verified are counted, and the newest five are named with their TXT record', async () => {
    const zones = Array.from({ length: 6 }, (_, index) => `contested-${String(index)}.com`)
    for (const zone of zones) {
      await post('/dns/zones', { zone }, bob)
      await post('/dns/zones', { zone })
    }
    await post('/dns/zones', { zone: 'example.com' })
    await site.sql(
      `update dns_claim set method = 'ns', txt_value = null where zone = 'contested-5.com' and account_id = ${String(account.id)}`,
    )
    const { dns } = await parts()
    expect(dns).toMatchObject({ zones: 7, pending: 6 })
    expect(dns!['unverified']).toEqual([
      { zone: 'contested-5.com', txt_name: null },
      ...[4, 3, 2, 1].map((index) => ({
        zone: `contested-${String(index)}.com`,
        txt_name: `_svcdns-verify.contested-${String(index)}.com`,
      })),
    ])
  })

  it('domains that have expired or expire within 30 days are counted, and the soonest five are named', async () => {
    const days = [-3, 29, 31, 1, 2, 3, 4]
    const names = days.map((_, index) => `domain-${String(index)}.com`)
    await post('/domains/add', { domains: [...names, 'unknown.com'] })
    const now = Date.now()
    const expiry = (index: number) => now + days[index]! * 86_400_000
    for (const [index, name] of names.entries())
      await site.sql(`update domain set expires_at = ${String(expiry(index))} where name = '${name}'`)
    expect((await parts())['domains']).toEqual({
      domains: 8,
      expiring: 6,
      soonest: [0, 3, 4, 5, 6].map((index) => ({
        domain: names[index],
        expires_at: new Date(expiry(index)).toISOString(),
      })),
    })
  })

  it('webhooks with failing deliveries are named, at most five, with how many fail and since when', async () => {
    const create = async (slug: string) =>
      (await post('/deployments/create', { kind: 'webhook', slug }))['id'] as number
    const addFailing = (id: number, requestId: number, since: number) =>
      site.sql(
        `insert into webhook_delivery (deployment_id, request_id, account_id, host, state, attempts, updated_at, failing_since)
        values (${String(id)}, ${String(requestId)}, ${String(account.id)}, 'x', 'failed', 8, 0, ${String(since)})`,
      )
    const first = await create('hook-0')
    await create('healthy')
    await addFailing(first, 1, 5_000)
    await addFailing(first, 2, 4_000)
    expect((await parts())['deployments']).toMatchObject({
      deployments: 2,
      failing: [{ id: first, slug: 'hook-0', count: 2, since: '1970-01-01T00:00:04.000Z' }],
      more_failing: false,
    })
    for (const index of [1, 2, 3, 4, 5]) await addFailing(await create(`hook-${String(index)}`), 1, 6_000)
    const { deployments } = await parts()
    expect(deployments).toMatchObject({ deployments: 7, more_failing: true })
    expect(deployments!['failing'].map(({ slug }: Envelope) => String(slug))).toEqual(
      [0, 1, 2, 3, 4].map((index) => `hook-${String(index)}`),
    )
  })

  it('uses of all deployments are added up by day, unless there are too many of them', async () => {
    const ids = (await site.sql(`select id from deployment order by id limit 2`)).map(({ id }) => Number(id))
    for (const [id, day, uses] of [
      [ids[0], today(), 3],
      [ids[1], today(), 4],
      [ids[0], today() - 6, 5],
      [ids[0], today() - 7, 100],
    ] as const)
      await site.sql(
        `insert into deployment_use_day (deployment_id, day, uses) values (${String(id)}, ${String(day)}, ${String(uses)})`,
      )
    const uses = [5, 0, 0, 0, 0, 0, 7].map((count, index) => ({ day: dateOf(today() - 6 + index), count }))
    expect((await parts())['deployments']).toMatchObject({ uses })
    await site.sql(
      `insert into deployment (account_id, kind, slug, enabled, uses, kept, settings, created_at, updated_at)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${String(overviewDeploymentsMax)})
      select ${String(account.id)}, 'shortlink', 'many-' || n, 1, 0, 0, '{}', 0, 0 from numbers`,
    )
    expect((await parts())['deployments']).toMatchObject({ deployments: overviewDeploymentsMax + 7, uses: null })
  })

  it('files, sites, packages, messages and keys are counted, with the last deploys and messages', async () => {
    const content = Buffer.alloc(1_000, 1).toString('base64')
    await post('/files/upload', { name: 'catalog.pdf', content })
    await site.sql(
      `insert into account_traffic_day (account_id, day, requests, hits, misses, bytes_served)
      values (${String(account.id)}, ${String(today())}, 12, 11, 1, 0)`,
    )
    const token = await site.token(account, '*')
    for (const name of ['one', 'two']) await deploySite(site.url, token, `site-${name}`, { 'index.html': name })
    const { key } = await post('/sms/keys', { label: 'phone' })
    const text = '🙂'.repeat(overviewTextMax + 1)
    for (const body of ['first', text])
      await site.call('POST', `/sms/${String(key)}`, { body: { from: '+15550100', text: body } })
    const { account: own, files, sites, sms, packages } = await parts()
    expect(own).toMatchObject({ keys: 1 })
    expect(files).toMatchObject({ files: 1, bytes: 1_000 })
    expect(files!['requests'].at(-1)).toEqual({ day: dateOf(today()), count: 12 })
    expect(sites).toMatchObject({ sites: 2, deploys: [{ name: 'site-two', files: 1, size: 3 }, { name: 'site-one' }] })
    expect(sms).toMatchObject({
      messages: 2,
      latest: [{ from: '+15550100', text: '🙂'.repeat(overviewTextMax) }, { text: 'first' }],
    })
    expect(packages).toEqual({ packages: 0 })
  })

  it('the latest five events of the account are shown, newest first', async () => {
    await site.account('cy@example.com')
    const cy = await site.browser('cy@example.com')
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six'])
      await post('/keys', { name, scopes: ['dns:read'] }, cy)
    const { events } = ((await shown(cy))['parts'] as Record<string, Envelope>)['account']!
    expect(events).toMatchObject(
      ['six', 'five', 'four', 'three', 'two'].map((object) => ({
        area: 'account',
        action: 'token_create',
        object,
        actor: { kind: 'session', name: 'console', id: null },
        after: { scopes: ['dns:read'] },
      })),
    )
  })
})
