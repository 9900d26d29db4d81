import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { eventReader } from '../../../../test/account-events.js'
import { startSite, type Site } from '../../../../test/site.js'
import { tokenAuthenticator } from '../tokens/authenticator.js'
import { tokenStore } from '../tokens/store.js'

const hourMs = 3_600_000

describe.each(databaseKinds)('a token in a new network on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())
  afterEach(() => vi.useRealTimers())

  it('is one event for each token and hour, which the first use is not', async () => {
    const account = await site.account('ada@example.com')
    const events = await eventReader(site, account)
    const { token, id } = await tokenStore(site.app.database).create(account, 'deploy', ['dns:read'])
    await events.fresh()
    const process = tokenAuthenticator(site.app.database)
    let now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now })
    const use = async (ip: string, afterMs = 120_000) => {
      now += afterMs
      vi.setSystemTime(now)
      expect(await process.authenticate(token, () => ip)).toBeDefined()
      await process.saveUses()
    }
    await use('192.0.2.1')
    await use('192.0.2.99')
    expect(await events.fresh()).toEqual([])
    await use('198.51.100.7')
    expect(await events.fresh()).toEqual([
      {
        id: expect.any(Number),
        at: new Date(now).toISOString(),
        area: 'account',
        action: 'token_network',
        object: 'deploy',
        actor: { kind: 'token', name: 'deploy', id },
        network: '198.51.100.0/24',
        request_id: null,
        before: { network: '192.0.2.0/24' },
        after: { network: '198.51.100.0/24' },
      },
    ])
    for (let i = 0; i < 10; i++) await use(i % 2 ? '198.51.100.7' : '192.0.2.1')
    expect(await events.fresh()).toEqual([])
    await use('203.0.113.5', hourMs)
    expect((await events.fresh()).map(({ after }) => after)).toEqual([{ network: '203.0.113.0/24' }])
  })

  it('is an event of its account alone', async () => {
    const bob = await site.account('bob@example.com')
    expect((await (await eventReader(site, bob)).all()).map(({ action }) => action)).not.toContain('token_network')
  })
})
