import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, passwordOf } from '../../../../test/app.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import type { Account } from '../../../shared/account.js'

/** A browser that was left alone gets no secrets, and no token that may do everything, without the password. */

describe.each(databaseKinds)('the recently entered password on %s', (kind) => {
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

  /** Moves the entry of the password of a session into the past. */
  const wait = (seconds: number, by = browser) =>
    site.sql(
      `update session set password_at = password_at - ${String(seconds * 1000)} where id = ${String(by.sessionId)}`,
    )
  const create = (name: string, scopes: readonly string[]) => browser.call('POST', '/keys', { body: { name, scopes } })
  const codes = async (...calls: Promise<{ status: number; body: Record<string, unknown> }>[]) =>
    (await Promise.all(calls)).map(({ status, body }) => (status === 200 ? 200 : body['error']))

  it('403 password_required ten minutes after the sign-in, for what shows secrets or may do everything', async () => {
    const key = (await create('all', ['*'])).body['data']
    const small = (await create('small', ['dns:read'])).body['data']
    expect(await codes(browser.call('GET', '/cred'))).toEqual([200])
    await wait(599)
    expect(await codes(browser.call('GET', '/cred'), create('late', ['*']))).toEqual([200, 200])
    await wait(1)
    const refused = await browser.call('GET', '/cred')
    expect([refused.status, refused.body['error']]).toEqual([403, 'password_required'])
    expect(refused.body['message']).toBe(
      'Enter your password again: this needs one that was entered in the last 10 minutes.',
    )
    const required = 'password_required'
    expect(
      await codes(
        browser.call('POST', '/cred/update', { body: { id: 1 } }),
        create('more', ['*']),
        browser.call('POST', '/keys/update', { body: { id: small.id, scopes: ['*'] } }),
        browser.call('POST', '/keys/rotate', { body: { id: key.id } }),
      ),
    ).toEqual([required, required, required, required])
    expect(
      await codes(
        create('some', ['dns:write']),
        browser.call('POST', '/keys/update', { body: { id: key.id, paused: true } }),
        browser.call('POST', '/keys/rotate', { body: { id: small.id } }),
        browser.call('GET', '/dns/zones'),
      ),
    ).toEqual([200, 200, 200, 200])
    expect(await codes(browser.call('POST', '/keys/revoke', { body: { id: key.id } }))).toEqual([200])
  })

  it.each(['cred:read', 'cred:write', 'deploy:read', 'deploy:write'])(
    'a token that is shown secrets needs the password too: %s',
    async (scope) => {
      const { id } = (await create('reader', [scope])).body['data']
      const small = (await create('small', ['dns:read'])).body['data']
      await wait(600)
      const refused = [
        create('other', [scope]),
        browser.call('POST', '/keys/rotate', { body: { id } }),
        browser.call('POST', '/keys/update', { body: { id: small.id, scopes: ['dns:read', scope] } }),
      ]
      expect(await codes(...refused)).toEqual(refused.map(() => 'password_required'))
      expect(await codes(browser.call('GET', '/keys'))).toEqual([200])
    },
  )

  it('no limit of a token that may do everything is changed without the password; a name and a pause are', async () => {
    const { id } = (await create('all', ['*'])).body['data']
    await wait(600)
    const change = (body: object) => browser.call('POST', '/keys/update', { body: { id, ...body } })
    const limits = [{ rules: null }, { networks: [] }, { expires_at: null }, { unused_days: null }, { paused: false }]
    expect(await codes(...limits.map(change))).toEqual(limits.map(() => 'password_required'))
    expect(await codes(change({ scopes: ['dns:read'] }))).toEqual(['password_required'])
    expect(await codes(change({ name: 'renamed', paused: true }))).toEqual([200])
  })

  it('the password again is enough for ten more minutes, in this session alone', async () => {
    const other = await site.browser(email)
    for (const by of [browser, other]) await wait(3600, by)
    const before = Date.now()
    const entered = await browser.call('POST', '/session/enter-password', { body: { password: passwordOf(email) } })
    expect(entered.status).toBe(200)
    const until = Date.parse(entered.body['data'].valid_until as string)
    expect(until - before).toBeGreaterThanOrEqual(600_000)
    expect(until - Date.now()).toBeLessThanOrEqual(600_000)
    expect(await codes(browser.call('GET', '/cred'), create('all', ['*']), other.call('GET', '/cred'))).toEqual([
      200,
      200,
      'password_required',
    ])
  })

  it('shows the signing secret of a webhook, and replaces it, only with a recent password', async () => {
    const created = await browser.call('POST', '/deployments/create', { body: { kind: 'webhook' } })
    const { id, webhook } = created.body['data']
    expect(webhook.secret).toMatch(/^whsec_/)
    const secret = async () => (await browser.call('GET', `/deployments/${String(id)}`)).body['data'].webhook.secret
    expect(await secret()).toBe(webhook.secret)
    await wait(600)
    const changed = await browser.call('POST', '/deployments/update', { body: { id, target: 'https://example.com/' } })
    expect([await secret(), changed.body['data'].webhook]).toEqual(['', { secret: '' }])
    expect(await codes(browser.call('POST', '/deployments/rotate-secret', { body: { id } }))).toEqual([
      'password_required',
    ])
    const token = await site.token(account, 'deploy:read')
    const { data } = (await site.call('GET', `/v1/deployments/${String(id)}`, { token })).body
    expect(data.webhook).toEqual({ secret: webhook.secret })
  })

  it('a wrong password does not count as entered', async () => {
    await wait(3600)
    const wrong = await browser.call('POST', '/session/enter-password', { body: { password: 'a wrong password' } })
    expect([wrong.status, wrong.body['field'], wrong.body['message']]).toEqual([
      400,
      'password',
      'The password is wrong.',
    ])
    expect(await codes(browser.call('GET', '/cred'))).toEqual(['password_required'])
  })

  it('a password that seems to be entered in the future, because the clock was set back, is not recent', async () => {
    await wait(-3600)
    expect(await codes(browser.call('GET', '/cred'))).toEqual(['password_required'])
  })

  it('tokens need no password: they have none', async () => {
    const token = await site.token(account, 'cred:read')
    expect((await site.call('GET', '/v1/cred', { token })).status).toBe(200)
  })
})
