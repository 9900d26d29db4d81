import { scopes, type TokenScope } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import type { Account } from '../../../shared/account.js'

/** account/me and account/profile, through the real server (specification, section 4.3). */

describe.each(databaseKinds)('account on %s', (kind) => {
  let site: Site
  let ada: Account
  beforeAll(async () => {
    site = await startSite(kind)
    ada = await site.account('ada@example.com')
  })
  afterAll(() => site.stop())

  const me = async (token: string) => (await site.call('GET', '/v1/account/me', { token })).body['data'] as Envelope

  describe('me', () => {
    it('answers with the owner of the token, and no other field of the account', async () => {
      const answer = await site.call('GET', '/v1/account/me', { token: await site.token(ada, '*') })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.body['data'].user).toEqual({
        id: ada.id,
        email: 'ada@example.com',
        nickname: '',
        created_at: new Date(ada.createdAt).toISOString(),
      })
      expect(answer.text).not.toMatch(/argon2|password/)
    })

    it('answers each account with its own data only', async () => {
      const eve = await site.account('eve@example.com')
      expect((await me(await site.token(eve, '*')))['user']).toMatchObject({ id: eve.id, email: 'eve@example.com' })
      expect((await me(await site.token(ada, '*')))['user']).toMatchObject({ id: ada.id, email: 'ada@example.com' })
    })

    const held: [string, TokenScope[]][] = [
      ...[...scopes, '*' as const].map((scope): [string, TokenScope[]] => [scope, [scope]]),
      ['several', ['account:read', 'whois:read']],
    ]
    it.each(held)(
      '%s: lists exactly the endpoints that the token may call, in the order of the catalogue',
      async (_name, given) => {
        const catalogue = await site.call('GET', '/v1?format=json')
        const { token_scopes, usable_endpoints } = await me(await site.token(ada, ...given))
        expect(token_scopes).toEqual(given)
        expect(usable_endpoints).toEqual(
          (catalogue.body['data'].endpoints as Envelope[])
            .filter(({ access }) => mayCall(given, access as string))
            .map(({ method, path }) => ({ method, path })),
        )
      },
    )

    it('the listed endpoints are those that do not answer this token with 403 forbidden_scope', async () => {
      for (const given of ['account:read', 'account:write', 'dns:read'] as const) {
        const token = await site.token(ada, given)
        const listed = (await me(token))['usable_endpoints'] as { method: string; path: string }[]
        for (const [method, path] of accountOperations) {
          const answer = await site.call(method, path, { token, ...(method === 'POST' ? { body: { no: 1 } } : {}) })
          const isListed = listed.some((endpoint) => endpoint.method === method && endpoint.path === path)
          expect([given, path, answer.body['error'] !== 'forbidden_scope']).toEqual([given, path, isListed])
        }
      }
    })

    it('lists every endpoint for a browser session, which has all scopes', async () => {
      const { body } = await (await site.browser('ada@example.com')).call('GET', '/account/me')
      const all = await site.call('GET', '/v1?format=json')
      expect(body['data'].token_scopes).toEqual(['*'])
      expect(body['data'].usable_endpoints).toHaveLength(all.body['data'].endpoints.length)
    })

    it('accepts a token without a scope of the area, and no body', async () => {
      const token = await site.token(ada, 'whois:read')
      expect((await site.call('GET', '/v1/account/me', { token })).status).toBe(200)
      expect((await site.call('GET', '/v1/account/me')).status).toBe(401)
    })
  })

  describe('profile', () => {
    let token: string
    beforeAll(async () => {
      token = await site.token(ada, 'account:write')
    })
    const nickname = async () => (await me(token))['user'].nickname as string
    const set = (body: unknown) => site.call('POST', '/v1/account/profile', { token, body })

    it.each<[string, string, string]>([
      ['a plain name', 'Ada', 'Ada'],
      ['spaces around it', ' \t Ada L. \n', 'Ada L.'],
      ['64 letters', 'a'.repeat(64), 'a'.repeat(64)],
      ['64 letters with spaces around', ` ${'a'.repeat(64)} `, 'a'.repeat(64)],
      ['64 emoji', '🦀'.repeat(64), '🦀'.repeat(64)],
      ['64 code points beyond 16 bits', '𠜎'.repeat(64), '𠜎'.repeat(64)],
      ['letters with marks', 'Žofíe Ångström', 'Žofíe Ångström'],
      ['quotes and markup', `'"--<b>&`, `'"--<b>&`],
      ['nothing: it is cleared', '', ''],
      ['spaces only: it is cleared', '   ', ''],
    ])('the profile keeps %s', async (_name, value, kept) => {
      const answer = await set({ field: 'nickname', value })
      expect(answer.status).toBe(200)
      expect(answer.body['data']).toEqual({ value: kept })
      expect(await nickname()).toBe(kept)
    })

    it.each<[string, unknown, RegExp]>([
      ['65 letters', { field: 'nickname', value: 'a'.repeat(65) }, /^value .*64 .*65/],
      ['65 emoji', { field: 'nickname', value: '🦀'.repeat(65) }, /^value .*64 .*65/],
      ['a line break inside', { field: 'nickname', value: 'Ada\nL.' }, /^value .*control/],
      ['an escape sequence', { field: 'nickname', value: 'A\u001b[31m' }, /^value .*control/],
      ['a C1 control character', { field: 'nickname', value: 'A\u0085B' }, /^value .*control/],
      ['a bidi control', { field: 'nickname', value: 'A\u202eB' }, /^value .*control/],
      ['a line separator', { field: 'nickname', value: 'A\u2028B' }, /^value .*control/],
      ['a NUL', '{"field":"nickname","value":"A\\u0000"}', /NUL/],
      ['half of a surrogate pair', '{"field":"nickname","value":"\\ud83e"}', /surrogate/],
      ['another field', { field: 'email', value: 'eve@example.com' }, /^field .*nickname/],
      ['an unknown field', { field: 'nickname', value: 'A', extra: 1 }, /^extra .*field, value/],
      ['no value', { field: 'nickname' }, /^value is required/],
      ['no field', { value: 'A' }, /^field is required/],
      ['null', { field: 'nickname', value: null }, /^value .*string.*null/],
      ['a number', { field: 'nickname', value: 7 }, /^value .*string.*7/],
      ['an object', { field: 'nickname', value: { a: 1 } }, /^value .*string.*object/],
      ['an array as the body', '[]', /object/],
      ['null as the body', 'null', /object/],
      ['no body', undefined, /body/],
      ['broken JSON', '{"field":"nickname","value":"A', /JSON/],
    ])('400 for %s, and nothing changes', async (_name, body, message) => {
      await set({ field: 'nickname', value: 'Before' })
      const answer = await set(body)
      expect([answer.status, answer.body['error']]).toEqual([400, 'bad_request'])
      expect(answer.body['message']).toMatch(message)
      expect(await nickname()).toBe('Before')
    })

    it("changes no other account's name", async () => {
      const bob = await site.account('bob@example.com')
      await set({ field: 'nickname', value: 'Only Ada' })
      expect((await me(await site.token(bob, '*')))['user'].nickname).toBe('')
    })

    it('403 forbidden_scope for a token that may only read, and nothing changes', async () => {
      await set({ field: 'nickname', value: 'Before' })
      const reader = await site.token(ada, 'account:read', 'dns:write')
      const body = { field: 'nickname', value: 'After' }
      const answer = await site.call('POST', '/v1/account/profile', { token: reader, body })
      expect(answer.status).toBe(403)
      expect(answer.body).toMatchObject({
        error: 'forbidden_scope',
        required_scopes: ['account:write'],
        token_scopes: ['account:read', 'dns:write'],
      })
      expect(await nickname()).toBe('Before')
    })
  })
})

const accountOperations = [
  ['GET', '/v1/account/me'],
  ['GET', '/v1/account/sessions'],
  ['POST', '/v1/account/profile'],
  ['POST', '/v1/account/sessions/revoke'],
  ['POST', '/v1/account/sessions/revoke-all'],
] as const

/** Sections 5.5 to 5.7, implemented a second time. `access` is as in the catalogue: a write scope includes the read scope. */
const mayCall = (held: readonly TokenScope[], access: string) =>
  access === 'public' ||
  access === 'any token' ||
  held.includes('*') ||
  access.split('|').some((scope) => held.some((one) => one === scope || one === scope.replace(':read', ':write')))
