import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, passwordOf, type Answer } from '../../../../test/app.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import type { Account } from '../../../shared/account.js'
import { ownStore } from '../accounts/own-store.js'
import { accountStore } from '../accounts/store.js'
import { unlimited } from '../tokens/limits.js'
import { tokenStore } from '../tokens/store.js'

/** What the owner of an account changes in the console with the password: email, tokens, the end of the account. */

describe.each(databaseKinds)('the own changes of an account on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let count = 0
  let email: string
  let account: Account
  let browser: Browser
  beforeEach(async () => {
    await site.sql('delete from sign_in_failure')
    email = `user${String(++count)}@example.com`
    account = await site.account(email)
    browser = await site.browser(email)
  })

  const me = async (token: string) => (await site.call('GET', '/v1/account/me', { token })).status
  const whoAmI = async (by = browser) => (await by.call('GET', '/session')).status
  const refusal = ({ status, body }: Answer) => [status, body['error'], body['field']]

  describe('the password', () => {
    it('revokes all tokens of this account alone if asked, and keeps them otherwise', async () => {
      const other = await site.token(await site.account(`other${String(count)}@example.com`), '*')
      const token = await site.token(account, 'dns:read')
      const kept = { current_password: passwordOf(email), password: passwordOf(email), revoke_tokens: false }
      expect((await browser.call('POST', '/account/password', { body: kept })).status).toBe(200)
      expect(await me(token)).toBe(200)
      const again = await site.browser(email)
      const body = { ...kept, revoke_tokens: true }
      expect((await again.call('POST', '/account/password', { body })).status).toBe(200)
      expect([await me(token), await me(other)]).toEqual([401, 200])
    })

    it('leaves no token that a browser was creating meanwhile', async () => {
      const thief = await site.browser(email)
      const body = { current_password: passwordOf(email), password: passwordOf(email), revoke_tokens: true }
      let isChanged = false
      const change = browser.call('POST', '/account/password', { body }).then(({ status }) => {
        isChanged = true
        expect(status).toBe(200)
      })
      let created = 0
      const create = async () => {
        while (!isChanged) {
          const name = `stolen ${String(created++)}`
          const { status } = await thief.call('POST', '/keys', { body: { name, scopes: ['dns:write'] } })
          expect([200, 401]).toContain(status)
        }
      }
      await Promise.all([change, ...Array.from({ length: 8 }, create)])
      const session = { id: thief.sessionId, createdAt: 0, passwordAt: 0 }
      const late = tokenStore(site.app.database).create(account, 'late', ['dns:write'], unlimited, session)
      await expect(late).rejects.toMatchObject({ code: 'unauthorized' })
      expect(await tokenStore(site.app.database).count(account)).toBe(0)
    })
  })

  describe('the email', () => {
    const change = (to: string, current = passwordOf(email)) =>
      browser.call('POST', '/account/email', { body: { current_password: current, email: to } })

    it('is that of the next sign-in; the session and the tokens stay, and another account can take the former one', async () => {
      const token = await site.token(account, '*')
      const next = `Next${String(count)}@Example.com`
      const changed = await change(next)
      expect([changed.status, changed.body['data'].user.email]).toEqual([200, next.toLowerCase()])
      expect([await whoAmI(), await me(token)]).toEqual([200, 200])
      const password = passwordOf(email)
      expect((await site.signIn(next, { password })).status).toBe(200)
      expect((await site.signIn(email, { password })).status).toBe(401)
      expect((await site.account(email)).id).not.toBe(account.id)
    })

    it('400 at the field for a wrong password, another account’s email, and a malformed one; nothing changes', async () => {
      const taken = `taken${String(count)}@example.com`
      await site.account(taken)
      for (const [answer, field] of [
        [await change('new@example.com', 'a wrong password'), 'current_password'],
        [await change(taken), 'email'],
        [await change('no address'), 'email'],
      ] as const)
        expect(refusal(answer)).toEqual([400, 'bad_request', field])
      expect((await accountStore(site.app.database).byEmail(email))?.id).toBe(account.id)
      expect((await change(email)).status).toBe(200)
    })

    it('400 for all but one of the accounts that take an email at the same time', async () => {
      const wanted = `wanted${String(count)}@example.com`
      const accounts = accountStore(site.app.database)
      const own = ownStore(site.app.database)
      const four = await Promise.all([1, 2, 3, 4].map((n) => site.account(`race${String(n)}-${wanted}`)))
      const results = await Promise.allSettled(
        four.map(async (each) => {
          const { passwordHash } = (await accounts.byEmail(each.email))!
          return own.changeEmail(each, passwordHash, wanted)
        }),
      )
      const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
      const refusal = { code: 'bad_request', message: `${wanted} already has an account.` }
      expect(reasons).toEqual(Array.from({ length: 3 }, () => expect.objectContaining(refusal)))
    })

    it('stays if the password has changed since it was verified', async () => {
      const own = ownStore(site.app.database)
      expect(await own.changeEmail(account, 'another hash', 'thief@example.com')).toBe(false)
      expect(await accountStore(site.app.database).byEmail('thief@example.com')).toBeUndefined()
    })
  })

  describe('the end of the account', () => {
    const end = (password = passwordOf(email), confirmed = email) =>
      browser.call('POST', '/account/delete', { body: { password, email: confirmed } })

    it('ends sessions, tokens and sign-ins at once, and a server removes the rest; another account keeps everything', async () => {
      const bob = await site.account(`bob${String(count)}@example.com`)
      const [token, bobs] = [await site.token(account, '*'), await site.token(bob, '*')]
      for (const [by, zone] of [
        [token, `gone${String(count)}.com`],
        [bobs, `kept${String(count)}.com`],
      ] as const)
        expect((await site.call('POST', '/v1/dns/zones', { token: by, body: { zone } })).status).toBe(200)
      const answer = await end()
      expect([answer.status, answer.body['data']]).toEqual([200, { deleted: true }])
      expect(answer.headers.getSetCookie()[0]).toMatch(/^svc_session=; Max-Age=0/)
      expect([await whoAmI(), await me(token)]).toEqual([401, 401])
      expect((await site.signIn(email)).status).toBe(401)
      const left = () => site.sql(`select id from account where id = ${String(account.id)}`)
      await expect.poll(left, { timeout: 20_000 }).toEqual([])
      expect(await me(bobs)).toBe(200)
      const zones = await site.call('GET', '/v1/dns/zones', { token: bobs })
      expect(zones.body['data'].zones).toHaveLength(1)
      expect((await site.account(email)).id).not.toBe(account.id)
    }, 30_000)

    it('400 for a wrong password or another email: the account stays', async () => {
      expect(refusal(await end('a wrong password'))).toEqual([400, 'bad_request', 'password'])
      expect(refusal(await end(passwordOf(email), 'other@example.com'))).toEqual([400, 'bad_request', 'email'])
      const own = ownStore(site.app.database)
      expect(await own.endAccess(account.id, 'another hash', 'x')).toBe(false)
      expect(await whoAmI()).toBe(200)
      expect((await site.signIn(email)).status).toBe(200)
    })
  })

  describe('all tokens', () => {
    it('are revoked in one request, with their number; those of other accounts stay', async () => {
      const other = await site.token(await site.account(`other${String(count)}@example.com`), '*')
      const tokens = [await site.token(account, '*'), await site.token(account, 'dns:read')]
      expect((await browser.call('POST', '/keys/revoke-all')).body['data']).toEqual({ revoked: 2 })
      expect(await Promise.all(tokens.map(me))).toEqual([401, 401])
      expect(await me(other)).toBe(200)
      expect((await browser.call('POST', '/keys/revoke-all')).body['data']).toEqual({ revoked: 0 })
    })
  })

  it.each([
    ['POST', '/account/password', { password: 'another long password' }, 'current_password'],
    ['POST', '/account/email', { email: 'thief@example.com' }, 'current_password'],
    ['POST', '/account/delete', {}, 'password'],
    ['POST', '/session/enter-password', {}, 'password'],
  ] as const)('guesses with a stolen session at %s %s wait like failed sign-ins', async (method, path, rest, field) => {
    const given = path === '/account/delete' ? { email } : rest
    // The thief has the session, and not the cookie of the browser.
    const guess = (password: string) => browser.call(method, path, { body: { ...given, [field]: password } })
    for (let failure = 1; failure <= 4; failure++)
      expect((await guess('a guess')).body).toMatchObject({
        field,
        message: expect.stringMatching(/password is wrong/),
      })
    // A busy machine may take longer than the first wait of a second.
    await site.sql('update sign_in_failure set blocked_until = blocked_until + 60000 where failures > 3')
    const waiting = await guess(passwordOf(email))
    expect(refusal(waiting)).toEqual([400, 'bad_request', field])
    expect(waiting.body['message']).toMatch(/^Too many sign-ins failed/)
    expect(waiting.headers.get('retry-after')).toMatch(/^\d\d$/)
  })
})
