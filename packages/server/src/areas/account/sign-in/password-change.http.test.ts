import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, passwordOf } from '../../../../test/app.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import type { Account } from '../../../shared/account.js'
import { ownStore } from '../accounts/own-store.js'
import { accountStore } from '../accounts/store.js'

/** A user changes the password in the console. */

const next = 'another long password'

describe.each(databaseKinds)('the change of a password on %s', (kind) => {
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
    email = `user${String(++count)}@example.com`
    account = await site.account(email)
    browser = await site.browser(email)
  })

  const change = (current = passwordOf(email), password = next, by = browser) =>
    by.call('POST', '/account/password', { body: { current_password: current, password } })
  const signInStatus = async (password: string) => (await site.signIn(email, { password })).status

  it('is needed for the next sign-in, ends all sessions, and begins one for this browser; tokens stay valid', async () => {
    const other = await site.browser(email)
    const token = await site.token(account, '*')
    const answer = await change()
    expect([answer.status, answer.body['data'].user]).toMatchObject([200, { id: account.id, email }])
    for (const { call } of [browser, other]) expect((await call('GET', '/session')).status).toBe(401)
    const cookie = answer.headers.getSetCookie().map((set) => set.split(';', 1)[0])
    const here = await site.call('GET', '/console/api/session', { headers: { cookie: cookie.join('; ') } })
    expect(here.body['data']).toEqual(answer.body['data'])
    expect((await site.call('GET', '/v1/account/me', { token })).status).toBe(200)
    expect([await signInStatus(passwordOf(email)), await signInStatus(next)]).toEqual([401, 200])
  })

  it('is refused at the field for a wrong current password, which counts as a failed sign-in', async () => {
    await site.sql('delete from sign_in_failure')
    for (let failure = 1; failure <= 4; failure++) {
      const { status, body } = await change('a wrong password')
      expect([status, body]).toMatchObject([
        400,
        { field: 'current_password', message: 'The current password is wrong.' },
      ])
    }
    const waiting = await change()
    expect([waiting.status, waiting.body['field']]).toEqual([400, 'current_password'])
    expect(waiting.body['message']).toMatch(/^Too many sign-ins failed: try again in \d s\.$/)
    expect(waiting.headers.get('retry-after')).toMatch(/^\d$/)
    expect((await browser.call('GET', '/session')).status).toBe(200)
  })

  it('is refused at the field for a new password that is too short, without a check of the current one', async () => {
    const { status, body } = await change('a wrong password', 'short')
    expect([status, body['field']]).toEqual([400, 'password'])
    expect(body['message']).toMatch(/must have 8 to 1024 characters, not 5/)
  })

  it('changes nothing if another password has been set in between', async () => {
    const accounts = accountStore(site.app.database)
    const { passwordHash: from } = (await accounts.byEmail(email))!
    const own = ownStore(site.app.database)
    expect(await own.changePassword(account, { from: 'another hash', to: 'x' }, false)).toBe(false)
    expect((await accounts.byEmail(email))?.passwordHash).toBe(from)
    expect((await browser.call('GET', '/session')).status).toBe(200)
    const answers = await Promise.all([change(), change(undefined, 'yet another password')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  it('answers 404 with a token: it is not in /v1', async () => {
    const token = await site.token(account, '*')
    const body = { current_password: passwordOf(email), password: next }
    expect((await site.call('POST', '/v1/account/password', { token, body })).status).toBe(404)
  })
})
