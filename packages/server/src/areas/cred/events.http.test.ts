import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventReader } from '../../../test/account-events.js'
import { databaseKinds } from '../../../test/app.js'
import { startSite, type Site } from '../../../test/site.js'
import type { Account } from '../../shared/account.js'
import { unlimited } from '../account/tokens/limits.js'
import { tokenStore } from '../account/tokens/store.js'

const [secret, username] = ['canary-secret-7f3a', 'canary-user-7f3a']

describe.each(databaseKinds)('the events of credentials on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind, { credentialsMax: 3 })
  })
  afterAll(() => site.stop())

  let count = 0
  let token: string
  let account: Account
  let events: Awaited<ReturnType<typeof eventReader>>
  beforeEach(async () => {
    account = await site.account(`ada${String(++count)}@example.com`)
    token = await site.token(account, 'cred:write')
    events = await eventReader(site, account)
  })

  const call = async (method: string, path: string, body?: object, by = token) =>
    site.call(method, `/v1/cred${path}`, { token: by, ...(body && { body }) })
  const store = async (body: object) => (await call('POST', '', { secret, username, ...body })).body['data']
  const noFields = { before: null, after: null }

  it('shows what was created, replaced, changed and deleted, without secrets and user names', async () => {
    const { id } = await store({ platform: 'a.example', label: 'work' })
    await store({ platform: 'a.example', label: 'work', username: undefined, secret: `${secret}2` })
    await call('POST', '/update', { id, platform: 'b.example', label: 'home' })
    await call('POST', '/update', { id, username: `${username}2`, secret: `${secret}3` })
    await call('POST', '/update', { id, label: 'home' })
    await call('POST', '/delete', { id })
    const all = await events.actions()
    expect(all).toEqual([
      { action: 'credential_create', object: 'a.example', ...noFields, after: { id, label: 'work' } },
      {
        ...{ action: 'credential_change', object: 'a.example', ...noFields },
        after: { id, label: 'work', changed: ['username', 'secret'] },
      },
      {
        ...{ action: 'credential_change', object: 'a.example' },
        before: { id, label: 'work', platform: 'a.example' },
        after: { id, label: 'home', platform: 'b.example' },
      },
      {
        ...{ action: 'credential_change', object: 'b.example' },
        before: { id },
        after: { id, changed: ['username', 'secret'] },
      },
      { action: 'credential_delete', object: 'b.example', before: { id, label: 'home' }, after: null },
    ])
    const rows = JSON.stringify(await site.sql('select * from account_event'))
    for (const canary of [secret, username]) expect(rows).not.toContain(canary)
  })

  it('a read of secrets is one event with their number, by platform if the request names one', async () => {
    await call('GET', '')
    expect(await events.fresh()).toEqual([])
    for (const label of ['one', 'two']) await store({ platform: 'a.example', label })
    await store({ platform: 'b.example' })
    await events.fresh()
    await call('GET', '')
    await call('GET', '?platform=a.example')
    await call('GET', '?platform=unknown.example')
    expect(await events.actions()).toEqual([
      { action: 'credential_read', object: '', before: null, after: { count: 3 } },
      { action: 'credential_read', object: 'a.example', before: null, after: { count: 2 } },
    ])
  })

  it('a read that is repeated within an hour is one event; one of a changed secret or by another token is another', async () => {
    await store({ platform: 'a.example' })
    const second = await site.token(account, 'cred:read')
    await events.fresh()
    const reads = Array.from({ length: 20 }, () => call('GET', ''))
    for (const { body } of await Promise.all(reads)) expect(body['data'].credentials).toHaveLength(1)
    for (let i = 0; i < 20; i++) await call('GET', '', undefined, i % 2 === 0 ? token : second)
    expect((await events.fresh()).map(({ actor }) => actor.id)).toHaveLength(2)
    await store({ platform: 'a.example', secret: `${secret}2` })
    for (let i = 0; i < 2; i++) await call('GET', '')
    expect((await events.actions()).map(({ action }) => action)).toEqual(['credential_change', 'credential_read'])
  })

  it('a call that fails leaves no event', async () => {
    for (const label of ['one', 'two', 'three']) await store({ platform: 'a.example', label })
    await events.fresh()
    const { id } = await store({ platform: 'a.example', label: 'one' })
    await events.fresh()
    const failures = [
      call('POST', '', { platform: 'a.example', label: 'four', secret }),
      call('POST', '/update', { id, label: 'two' }),
      call('POST', '/delete', { id: 999_999 }),
    ]
    for (const { status } of await Promise.all(failures)) expect(status).toBeGreaterThanOrEqual(400)
    const other = await site.token(await site.account(`bob${String(count)}@example.com`), 'cred:write')
    expect((await call('POST', '/delete', { id }, other)).status).toBe(403)
    expect(await events.fresh()).toEqual([])
  })

  it('are those of the account alone, and of the platforms that the rules of a token allow', async () => {
    for (const platform of ['a.example', 'b.example']) await store({ platform })
    const rules = [{ kind: 'credential', name: 'a.example', access: 'read' }] as const
    const tokens = tokenStore(site.app.database)
    const narrow = await tokens.create(account, 'narrow', ['account:read'], { ...unlimited, rules })
    const { body } = await site.call('GET', '/v1/account/events?area=cred', { token: narrow.token })
    expect(body['data'].events.map(({ object }: { object: string }) => object)).toEqual(['a.example'])
    const other = await eventReader(site, await site.account(`bob${String(count)}@example.com`))
    expect(await other.all('?area=cred')).toEqual([])
  })
})
