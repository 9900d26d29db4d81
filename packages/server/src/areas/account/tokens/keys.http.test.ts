import { scopes } from '@svc/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import { expectError } from '../../../../test/raw-http.js'
import { tokenStore } from './store.js'

/** Tokens as the console creates, lists and revokes them on its page "API keys" (specification, section 5.2). */

describe.each(databaseKinds)('keys on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let ada: Browser
  let count = 0
  beforeEach(async () => {
    const email = `ada${String(++count)}@example.com`
    await site.account(email)
    ada = await site.browser(email)
  })

  const create = (body: unknown) => ada.call('POST', '/keys', { body })
  const made = async (body: unknown) => (await create(body)).body['data'] as Envelope
  const list = async (as = ada) => (await as.call('GET', '/keys')).body['data'].keys as Envelope[]
  const me = (token: string) => site.call('GET', '/v1/account/me', { token })

  it('create answers with the value once, and the value works', async () => {
    const answer = await create({ name: 'ci', scopes: ['dns:write', 'whois:read'] })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { token, update_key, ...key } = answer.body['data'] as Envelope & { token: string }
    expect(update_key).toBeNull()
    expect(token).toMatch(/^svc_[0-9a-f]{32}$/)
    expect(key).toEqual({
      id: expect.any(Number),
      name: 'ci',
      prefix: token.slice(0, 10),
      scopes: ['dns:write', 'whois:read'],
      created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      last_used_at: null,
      last_used_network: null,
      expires_at: null,
      unused_days: null,
      networks: [],
      rules: null,
      tsig: null,
      has_update_key: false,
      status: 'active',
    })
    expect((await me(token)).body['data'].token_scopes).toEqual(['dns:write', 'whois:read'])
    expect(await list()).toEqual([key])
  })

  it('list is newest first and has no values', async () => {
    const keys = [await made({ name: 'first' }), await made({ name: 'second' }), await made({ name: 'third' })]
    const answer = await ada.call('GET', '/keys')
    expect((answer.body['data'].keys as Envelope[]).map(({ name }) => name as string)).toEqual([
      'third',
      'second',
      'first',
    ])
    for (const { token } of keys) expect(answer.text).not.toContain((token as string).slice(10))
    expect(answer.text).not.toMatch(/token|hash/)
  })

  it('400 for a token beyond 1,000 of an account, and not for another account', async () => {
    const rows = Array.from({ length: 999 }, (_, n) => {
      const hash = kind === 'sqlite' ? `x'${String(n).padStart(8, '0')}'` : `'\\x${String(n).padStart(8, '0')}'::bytea`
      return `((select max(id) from account), 'ci-${String(n)}', 'svc_', ${hash}, '*', 1)`
    })
    await site.sql(`insert into token (account_id, name, prefix, hash, scopes, created_at) values ${rows.join()}`)
    const last = await Promise.all(['a', 'b', 'c'].map((name) => create({ name })))
    expect(last.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
    const refused = await create({ name: 'beyond' })
    expectError(refused, 'bad_request')
    expect(refused.body['message']).toBe('The account has 1000 tokens, and may have 1000: revoke one first.')
    const { id } = (await list())[0] as { id: number }
    await ada.call('POST', '/keys/revoke', { body: { id } })
    expect((await create({ name: 'beyond' })).status).toBe(200)
  })

  it('every value is different', async () => {
    const values = new Set<string>()
    for (let i = 0; i < 20; i++) values.add((await made({ name: `key ${String(i)}` }))['token'] as string)
    expect(values.size).toBe(20)
    expect(await list()).toHaveLength(20)
  })

  it('400 for the name of another key of the account, until that key is revoked', async () => {
    const { id } = await made({ name: 'ci' })
    const answer = await create({ name: 'ci', scopes: ['*'] })
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toBe(
      'name "ci" is taken by another token: choose another one, or revoke that token first.',
    )
    expect(await list()).toMatchObject([{ id, scopes: ['dns:read'] }])

    for (const name of ['CI', 'ci ', 'cï']) expect((await create({ name })).status).toBe(200)
    await site.account(`eve${String(count)}@example.com`)
    const eve = await site.browser(`eve${String(count)}@example.com`)
    expect((await eve.call('POST', '/keys', { body: { name: 'ci' } })).status).toBe(200)
    await ada.call('POST', '/keys/revoke', { body: { id } })
    expect((await create({ name: 'ci' })).status).toBe(200)
  })

  it('keys of one name that are created at the same time: one exists, the others answer 400', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'ci' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(9).fill(400)])
    expect(await list()).toHaveLength(1)
  })

  it('a key is found by its id or its name in its account; a number is first taken for an id', async () => {
    const tokens = tokenStore(site.app.database)
    const account = await site.account(`bob${String(count)}@example.com`)
    const create = (name: string) => tokens.create(account, name, ['dns:read'])
    const ci = await create('ci')
    const [number, far, foreign] = [
      await create(String(ci.id)),
      await create('999999999999999'),
      await made({ name: 'x' }),
    ]
    const found = async (text: string) => (await tokens.find(account, text))?.id
    expect(await found('ci')).toBe(ci.id)
    expect(await found(String(ci.id))).toBe(ci.id)
    expect(await found(String(number.id))).toBe(number.id)
    expect(await found('999999999999999')).toBe(far.id)
    for (const text of ['CI', '', '9'.repeat(30), 'x', String(foreign['id'])]) expect(await found(text)).toBeUndefined()
  })

  it.each<[string, object]>([
    ['no scopes', {}],
    ['an empty list of scopes', { scopes: [] }],
  ])('%s means dns:read (section 5.5)', async (_name, given) => {
    const key = await made({ name: 'plain', ...given })
    expect(key['scopes']).toEqual(['dns:read'])
    expect((await me(key['token'] as string)).body['data'].token_scopes).toEqual(['dns:read'])
    expectError(await site.call('GET', '/v1/account/sessions', { token: key['token'] as string }), 'forbidden_scope')
  })

  it('accepts every scope, each alone and all together', async () => {
    for (const [index, given] of [...scopes.map((scope) => [scope]), ['*'], [...scopes, '*']].entries())
      expect((await made({ name: String(index), scopes: given }))['scopes']).toEqual(given)
  })

  it.each([
    ['a character', 'x'],
    ['64 letters', 'x'.repeat(64)],
    ['64 emoji', '🔑'.repeat(64)],
  ])('accepts a name of %s', async (_what, name) => {
    expect((await made({ name }))['name']).toBe(name)
  })

  it.each<[string, unknown, RegExp]>([
    ['an empty name', { name: '' }, /^name must not be empty/],
    ['a name of 65 letters', { name: 'x'.repeat(65) }, /^name .*64/],
    ['a name of 65 emoji', { name: '🔑'.repeat(65) }, /^name .*64/],
    ['a name that is a number', { name: 7 }, /^name must be a string/],
    ['no name', { scopes: ['*'] }, /^name is required/],
    ['an unknown field', { name: 'x', scope: '*' }, /^scope is not known.*name, scopes/],
    ['scopes that are a string', { name: 'x', scopes: 'dns:read' }, /^scopes must be an array/],
    ['null for scopes', { name: 'x', scopes: null }, /^scopes must be an array/],
    ['a scope twice', { name: 'x', scopes: ['dns:read', 'dns:read'] }, /^scopes must not contain duplicates/],
    ['a line break in the name', { name: 'a\nb' }, /^name must not contain control/],
    ['an escape sequence in the name', { name: 'a\u001b[31m' }, /^name must not contain control/],
    ['a bidi control in the name', { name: 'a\u202eb' }, /^name must not contain control/],
    ['more scopes than exist', { name: 'x', scopes: Array(500).fill('x') }, /^scopes must have at most/],
    ['a NUL in the name', '{"name":"a\\u0000"}', /NUL/],
    ['no body', undefined, /body/],
  ])('400 for %s, and no key is created', async (_name, body, message) => {
    const answer = await create(body)
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(message)
    expect(await list()).toEqual([])
  })

  it.each(['admin', 'dns', 'DNS:READ', 'dns:*', 'whois:write', 'dns:read account:write', '', ' *'])(
    '400 for the scope %j, with all scopes in the message; no key is created',
    async (scope) => {
      const answer = await create({ name: 'x', scopes: ['dns:read', scope] })
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toMatch(/^scopes\[1\]/)
      for (const known of [...scopes, '*']) expect(answer.body['message']).toContain(JSON.stringify(known))
      expect(await list()).toEqual([])
    },
  )

  it('revoke ends the key at once, and no other', async () => {
    const [kept, ended] = [await made({ name: 'kept' }), await made({ name: 'ended' })]
    const answer = await ada.call('POST', '/keys/revoke', { body: { id: ended['id'] } })
    expect([answer.status, answer.body['data']]).toEqual([200, { revoked: true }])
    expectError(await me(ended['token'] as string), 'unauthorized')
    expect((await me(kept['token'] as string)).status).toBe(200)
    expect((await list()).map(({ id }) => id as number)).toEqual([kept['id']])
    expectError(await ada.call('POST', '/keys/revoke', { body: { id: ended['id'] } }), 'not_found')
  })

  it('403 forbidden for a key of another account, which stays valid', async () => {
    const theirs = await made({ name: 'theirs' })
    await site.account(`eve${String(count)}@example.com`)
    const eve = await site.browser(`eve${String(count)}@example.com`)
    expect(await list(eve)).toEqual([])
    expectError(await eve.call('POST', '/keys/revoke', { body: { id: theirs['id'] } }), 'forbidden')
    expect((await me(theirs['token'] as string)).status).toBe(200)
  })

  it.each<[string, string, unknown]>([
    ['not_found', 'never used', { id: 999_999 }],
    ['not_found', 'the largest possible', { id: Number.MAX_SAFE_INTEGER }],
    ['bad_request', '0', { id: 0 }],
    ['bad_request', 'a negative one', { id: -1 }],
    ['bad_request', '1e30', '{"id":1e30}'],
    ['bad_request', 'beyond 64 bits', '{"id":9223372036854775808}'],
    ['bad_request', 'a string', { id: '1' }],
    ['bad_request', 'missing', {}],
  ])('%s for an id that is %s; nothing is revoked', async (code, _name, body) => {
    const key = await made({ name: 'stays' })
    expectError(await ada.call('POST', '/keys/revoke', { body }), code)
    expect((await me(key['token'] as string)).status).toBe(200)
  })

  it('401 without a session; no key is created or listed', async () => {
    const key = await made({ name: 'mine', scopes: ['*'] })
    for (const credentials of [{}, { token: key['token'] as string }])
      for (const [method, path, body] of [
        ['GET', '/console/api/keys', undefined],
        ['POST', '/console/api/keys', { name: 'x' }],
        ['POST', '/console/api/keys/revoke', { id: key['id'] }],
      ] as const) {
        const answer = await site.call(method, path, { ...credentials, body, headers: { origin: site.url } })
        expectError(answer, 'unauthorized')
      }
    expect(await list()).toHaveLength(1)
  })

  it('the operations of keys do not exist under /v1', async () => {
    const token = (await made({ name: 'x', scopes: ['*'] }))['token'] as string
    expectError(await site.call('GET', '/v1/keys', { token }), 'not_found')
  })
})
