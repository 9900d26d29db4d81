import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import type { Account } from '../../../shared/account.js'
import { unlimited } from '../tokens/limits.js'
import { tokenStore } from '../tokens/store.js'

interface Event {
  readonly id: number
  readonly area: string
  readonly action: string
  readonly object: string
  readonly serial?: number
  readonly after: Record<string, unknown> | null
}

describe.each(databaseKinds)('the events of an account on %s', (kind) => {
  let site: Site
  let ada: Account
  let token = ''
  let tokenId = 0
  beforeAll(async () => {
    site = await startSite(kind)
    ada = await site.account('ada@example.com')
    ;({ token, id: tokenId } = await tokenStore(site.app.database).create(
      ada,
      'deploy',
      ['dns:write', 'account:read'],
      unlimited,
    ))
  })
  afterAll(() => site.stop())

  const call = (method: string, path: string, body?: object, by = token): Promise<Answer> =>
    site.call(method, path, { token: by, ...(body && { body }) })
  const events = async (query = '', by = token) => {
    const { status, body, text } = await call('GET', `/v1/account/events${query}`, undefined, by)
    expect(status, text).toBe(200)
    return body['data'] as { events: Event[]; next: number | null; total: number }
  }

  it('shows who made a token, with its scopes and without its value', async () => {
    const [event] = (await events('?object=deploy')).events
    expect(event).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/Z$/),
      area: 'account',
      action: 'token_create',
      object: 'deploy',
      actor: { kind: 'operator', name: 'svc', id: null },
      network: null,
      request_id: null,
      before: null,
      after: expect.objectContaining({ name: 'deploy', scopes: ['dns:write', 'account:read'], rules: null }),
    })
    expect(JSON.stringify(event)).not.toContain(token)
  })

  it('shows each change of a zone with its serial, the token and the network of the client', async () => {
    await call('POST', '/v1/dns/zones', { zone: 'events.example' })
    const body = { type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 }
    const { body: created } = await call('POST', '/v1/dns/zones/events.example/records', body)
    const page = await events('?object=events.example')
    expect(page.events.map(({ action }) => action)).toEqual(['zone_change', 'zone_claim'])
    expect(page.events[0]).toMatchObject({
      area: 'dns',
      actor: { kind: 'token', name: 'deploy', id: tokenId },
      network: '127.0.0.0/24',
      request_id: created['request_id'],
      serial: expect.any(Number),
    })
  })

  it('selects by area, object and token, in pages', async () => {
    const all = await events()
    expect(all.total).toBe(all.events.length)
    const first = await events('?area=dns&limit=1')
    expect(first).toMatchObject({ events: [{ action: 'zone_change' }], total: 2 })
    const second = await events(`?area=dns&limit=1&before=${String(first.next)}`)
    expect(second).toMatchObject({ events: [{ action: 'zone_claim' }], next: null, total: 2 })
    expect((await events(`?token=${String(tokenId)}`)).events.map(({ area }) => area)).toEqual(['dns', 'dns'])
    expect((await events('?limit=2')).events).toEqual(all.events.slice(0, 2))
  })

  it('a token with rules sees the events of the zones that they allow', async () => {
    await call('POST', '/v1/dns/zones', { zone: 'other-events.example' })
    const rules = [{ kind: 'zone', name: 'events.example', access: 'read' }] as const
    const narrow = await tokenStore(site.app.database).create(ada, 'narrow', ['account:read'], { ...unlimited, rules })
    const objects = (await events('?area=dns', narrow.token)).events.map(({ object }) => object)
    expect(new Set(objects)).toEqual(new Set(['events.example']))
  })

  it('shows nothing of another account', async () => {
    const bob = await site.account('bob@example.com')
    const { token: other } = await tokenStore(site.app.database).create(bob, 'bob', ['account:read'], unlimited)
    const page = await events('', other)
    expect(page.events.map(({ action }) => action)).toEqual(['token_create', 'account_create'])
    expect((await events('?object=events.example', other)).events).toEqual([])
  })
})
