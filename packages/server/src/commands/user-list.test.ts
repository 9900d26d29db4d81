import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../test/app.js'
import { fillAccount } from '../../test/full-account.js'
import { startSite, type Site } from '../../test/site.js'
import { dnsSettings } from '../../test/zone-site.js'
import { userListStore } from './user-list-store.js'
import { limitUser, setPlan } from './user-limit.js'
import { listedToJson, listUsers } from './user.js'

describe.each(databaseKinds)('svc user list on %s', { timeout: 60_000 }, (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind, {
      dns: dnsSettings([]),
      sitesAddresses: ['192.0.2.9'],
      outboundAllow: ['127.0.0.1/32'],
    })
  })
  afterAll(() => site.stop())

  async function list(withUsage: boolean) {
    const users: ReturnType<typeof listedToJson>[] = []
    await listUsers(site.database, withUsage, async (pages) => {
      for await (const page of pages) users.push(...page.map(listedToJson))
    })
    return users
  }

  it('is empty in a new database', async () => {
    expect(await list(true)).toEqual([])
  })

  it('has the oldest account first, without passwords, with its state, its plan and what it uses', async () => {
    const ada = await site.account('zoe@example.com')
    const bob = await site.account('bob@example.com')
    await fillAccount(site, site.database, ada, 'zoe')
    await setPlan(site.database, 'small', [])
    await limitUser(site.database, 'bob@example.com', [], 'small')
    const users = await list(true)
    expect(users.map(({ id }) => id)).toEqual([ada.id, bob.id])
    expect(Object.keys(users[0] ?? {})).toEqual([
      ...['id', 'email', 'nickname', 'created_at', 'state', 'plan', 'usage'],
    ])
    const [used, unused] = users.map(({ usage }) => usage)
    const token = await site.token(ada, '*')
    const counted = async (path: string, key: string) => {
      const { data } = (await site.call('GET', path, { token })).body
      return (data[key] as unknown[]).length
    }
    const { data: storage } = (await site.call('GET', '/v1/files/usage', { token })).body
    expect(used).toMatchObject({
      zones: await counted('/v1/dns/zones', 'zones'),
      files: storage.files,
      files_bytes: storage.bytes,
      uploads: storage.uploads,
      sites: await counted('/v1/sites', 'sites'),
      packages: await counted('/v1/packages', 'packages'),
      deployments: await counted('/v1/deployments', 'deployments'),
      credentials: await counted('/v1/cred', 'credentials'),
      domains: await counted('/v1/domains', 'domains'),
      sms_messages: await counted('/v1/sms/messages', 'messages'),
    })
    expect(Object.values(used ?? {}).every((amount) => amount > 0)).toBe(true)
    expect(Object.entries(unused ?? {}).filter(([, amount]) => amount !== 0)).toEqual([])
    expect(users[1]).toMatchObject({ state: 'active', plan: 'small' })
  })

  it('counts nothing unless asked, and ends with the last of more accounts than a page has', async () => {
    await site.sql(
      kind === 'postgres'
        ? `insert into account (email, nickname, password_hash, created_at)
            select 'p' || n || '@example.com', '', '', 1 from generate_series(1, 401) n`
        : `with recursive s(n) as (select 1 union all select n + 1 from s where n < 401)
            insert into account (email, nickname, password_hash, created_at)
            select 'p' || n || '@example.com', '', '', 1 from s`,
    )
    const users = await list(false)
    expect(users).toHaveLength(403)
    expect(users.map(({ id }) => id)).toEqual(users.map(({ id }) => id).toSorted((a, b) => a - b))
    expect(users.filter(({ usage }) => usage !== undefined)).toEqual([])
    const sizes: number[] = []
    for await (const page of userListStore(site.app.database).list(true)) sizes.push(page.length)
    expect(sizes).toEqual([200, 200, 3])
  })
})
