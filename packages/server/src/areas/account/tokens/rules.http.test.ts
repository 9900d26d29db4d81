import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'

/** How tokens get rules, and what they say about them. */

const site = { kind: 'site', name: 'docs', access: 'write' }
const zone = { kind: 'zone', name: 'example.com', hosts: ['_acme-challenge.**'], types: ['TXT'], access: 'write' }

describe.each(databaseKinds)('rules of keys on %s', (database) => {
  let server: Site
  beforeAll(async () => {
    server = await startSite(database)
  })
  afterAll(() => server.stop())

  let ada: Browser
  let count = 0
  beforeEach(async () => {
    const email = `ada${String(++count)}@example.com`
    await server.account(email)
    ada = await server.browser(email)
  })

  const post = (path: string, body: object) => ada.call('POST', path, { body })
  const make = async (fields: object) =>
    (await post('/keys', { name: 'ci', scopes: ['*'], ...fields })).body['data'] as Envelope & {
      token: string
      id: number
    }
  const me = async (token: string) => (await server.call('GET', '/v1/account/me', { token })).body['data']
  const listed = async () => (await ada.call('GET', '/keys')).body['data'].keys as Envelope[]

  it('rules are made, shown in their canonical form, kept by other changes, replaced and removed', async () => {
    const { id, token, rules } = await make({ rules: [{ ...zone, name: 'EXAMPLE.com.' }, site] })
    expect(rules).toEqual([zone, site])
    expect((await me(token)).rules).toEqual([zone, site])
    expect(await listed()).toMatchObject([{ rules: [zone, site] }])
    const change = async (fields: object) => (await post('/keys/update', { id, ...fields })).body['data'].rules
    expect(await change({ name: 'renamed' })).toEqual([zone, site])
    expect(await change({ rules: [site] })).toEqual([site])
    expect((await me(token)).rules).toEqual([site])
    const rotated = (await post('/keys/rotate', { id })).body['data']
    expect((await me(rotated.token)).rules).toEqual([site])
    expect(await change({ rules: null })).toBeNull()
    expect((await me(rotated.token)).rules).toBeNull()
  })

  it('a token without rules has none', async () => {
    const { token, rules } = await make({})
    expect([rules, (await me(token)).rules]).toEqual([null, null])
    expect((await make({ name: 'null', rules: null }))['rules']).toBeNull()
  })

  it('a change of rules takes effect at the next request, also in another process', async () => {
    const other = await server.another()
    const { id, token } = await make({ rules: [site] })
    const read = async () => (await other.call('GET', '/v1/packages/tool', { token })).body['error']
    expect(await read()).toBe('not_found')
    await post('/keys/update', { id, rules: [{ kind: 'package', name: 'other', access: 'read' }] })
    expect(await read()).toBe('forbidden')
    await other.stop()
  })

  it.each([
    ['an empty list', []],
    ['an unknown kind', [{ ...site, kind: 'file' }]],
    ['an unknown field', [{ ...site, host: 'www' }]],
    ['an unknown access', [{ ...site, access: 'admin' }]],
    ['no access', [{ kind: 'site', name: 'docs' }]],
    ['an empty list of hosts', [{ ...zone, hosts: [] }]],
    ['an empty list of types', [{ ...zone, types: [] }]],
    ['an unknown type', [{ ...zone, types: ['SOA'] }]],
    ['hosts of a site', [{ ...site, hosts: ['www'] }]],
    ['a name that no site can have', [{ ...site, name: 'Docs' }]],
    ['a subdomain as a zone', [{ ...zone, name: 'www.example.com' }]],
    ['a host that no record can have', [{ ...zone, hosts: ['a..b'] }]],
    ['too many rules', Array.from({ length: 51 }, () => site)],
    ['a text', 'site'],
  ])('400 for %s, and nothing is changed', async (_, rules) => {
    const { id } = await make({ rules: [zone] })
    for (const answer of [await post('/keys', { name: 'new', rules }), await post('/keys/update', { id, rules })]) {
      expectError(answer, 'bad_request')
      expect(answer.body['field']).toMatch(/^rules/)
    }
    expect(await listed()).toMatchObject([{ rules: [zone] }])
  })

  it('the endpoints of a token are those that its rules can allow', async () => {
    const endpoints = async (...rules: object[]) => {
      const { token } = await make({ name: `e${String(++count)}`, ...(rules.length > 0 && { rules }) })
      return ((await me(token)).usable_endpoints as { method: string; path: string }[]).map(
        ({ method, path }) => `${method} ${path}`,
      )
    }
    const all = await endpoints()
    const without = async (...rules: object[]) => {
      const some = new Set(await endpoints(...rules))
      return all.filter((endpoint) => !some.has(endpoint))
    }
    const whole = [
      ...['POST /v1/dns/zones', 'DELETE /v1/dns/zones/{zone}'],
      ...['', '/renew', '/delete', '/key'].map((path) => `POST /v1/tls/certificates${path}`),
    ]
    const refusing = [
      ...['', '/deliveries'].map((path) => `GET /v1/account/webhooks${path}`),
      ...['', '/update', '/delete', '/test'].map((path) => `POST /v1/account/webhooks${path}`),
      ...['GET /v1/dns/secondaries', 'POST /v1/dns/secondaries', 'DELETE /v1/dns/secondaries/{id}'],
    ]
    expect((await without(zone, site)).toSorted()).toEqual([...whole, ...refusing].toSorted())
    expect((await without({ kind: 'zone', name: 'example.com', access: 'write' })).toSorted()).toEqual(
      refusing.toSorted(),
    )
    const readOnly = await without({ kind: 'zone', name: 'example.com', access: 'read' })
    expect(readOnly).toEqual(expect.arrayContaining([...whole, 'PUT /v1/dns/zones/{zone}/rrsets/{host}/{type}']))
    expect(readOnly).not.toContain('POST /v1/dns/zones/{zone}/verify')
    expect(readOnly).not.toContain('POST /v1/dns/zones/{zone}/zone-file/preview')
    expect(await without({ ...site, access: 'read' })).toContain('POST /v1/sites/deploy')
  })

  it('the console is not limited by rules, and a token cannot change its own', async () => {
    const { id, token } = await make({ rules: [site] })
    for (const path of ['/console/api/keys/update', '/v1/keys/update'])
      expect([401, 403, 404]).toContain((await server.call('POST', path, { token, body: { id, rules: null } })).status)
    expect((await ada.call('GET', '/packages')).status).toBe(200)
    expect((await me(token)).rules).toEqual([site])
  })

  it('a token whose stored rules are damaged has nothing of any kind, and its owner can repair it', async () => {
    const { id, token } = await make({ rules: [site] })
    await server.sql(`update token set rules = '[]' where id = ${String(id)}`)
    await server.call('POST', '/v1/dns/zones', { token, body: { zone: 'damaged.example' } })
    expect((await server.call('GET', '/v1/dns/zones', { token })).body['data'].zones).toEqual([])
    expect((await server.call('GET', '/v1/packages/tool', { token })).body['error']).toBe('forbidden')
    expect(await listed()).toMatchObject([{ id }])
    expect((await post('/keys/update', { id, rules: [site] })).body['data'].rules).toEqual([site])
  })
})
