import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventReader } from '../../../../test/account-events.js'
import { databaseKinds, passwordOf } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import type { Account } from '../../../shared/account.js'

const network = '127.0.0.0/24'

describe.each(databaseKinds)('the events of sign-ins and of the account itself on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let count = 0
  let email: string
  let account: Account
  let other: Awaited<ReturnType<typeof eventReader>>
  let events: Awaited<ReturnType<typeof eventReader>>
  beforeEach(async () => {
    await site.sql('delete from sign_in_failure')
    email = `user${String(++count)}@example.com`
    account = await site.account(email)
    events = await eventReader(site, account)
    other = await eventReader(site, await site.account(`other${String(count)}@example.com`))
  })

  const expectHidden = async () => {
    expect(await other.fresh()).toEqual([])
  }
  const password = () => ({ current_password: passwordOf(email), password: 'a new long password' })

  it('a sign-in has the network and the browser, and not the password or the cookie', async () => {
    const browser = await site.browser(email, { headers: { 'user-agent': `Firefox ${'x'.repeat(400)}` } })
    const [event] = await events.fresh()
    expect(event).toMatchObject({
      area: 'account',
      action: 'sign_in',
      object: '',
      actor: { kind: 'session', name: 'console', id: null },
      network,
      request_id: expect.stringMatching(/^req_/),
      after: { id: browser.sessionId, user_agent: expect.stringMatching(/^Firefox x{200,247}…$/) },
    })
    const text = JSON.stringify(event)
    for (const secret of [passwordOf(email), browser.cookie.split('=')[1]!]) expect(text).not.toContain(secret)
    await expectHidden()
  })

  it('a sign-out is one event, and the second one none', async () => {
    const browser = await site.browser(email)
    await events.fresh()
    await browser.call('POST', '/session/sign-out', { body: {} })
    expect(await events.actions()).toEqual([
      { action: 'sign_out', object: '', before: { id: browser.sessionId }, after: null },
    ])
    await browser.call('POST', '/session/sign-out', { body: {} })
    expect(await events.fresh()).toEqual([])
  })

  it('shows which sessions were revoked: one, the others, all', async () => {
    const [one, two, three] = [await site.browser(email), await site.browser(email), await site.browser(email)]
    await events.fresh()
    await one.call('POST', '/account/sessions/revoke', { body: { id: two.sessionId } })
    await one.call('POST', '/account/sessions/revoke', { body: { id: 999_999 } })
    await three.call('POST', '/session/revoke-others', { body: {} })
    await three.call('POST', '/account/sessions/revoke-all', { body: {} })
    expect(await events.actions()).toEqual([
      { action: 'session_revoke', object: '', before: { id: two.sessionId }, after: null },
      { action: 'sessions_revoke', object: '', before: null, after: { count: 1 } },
      { action: 'sessions_revoke', object: '', before: null, after: { count: 1 } },
    ])
    await expectHidden()
  })

  it('a change of the password is one event, with the number of the tokens that it revokes, and no sign-in', async () => {
    const browser = await site.browser(email)
    await site.token(account, 'dns:read')
    await events.fresh()
    const wrong = { ...password(), current_password: 'wrong password' }
    expect((await browser.call('POST', '/account/password', { body: wrong })).status).toBe(400)
    expect(await events.fresh()).toEqual([])
    expect(
      (await browser.call('POST', '/account/password', { body: { ...password(), revoke_tokens: true } })).status,
    ).toBe(200)
    // The token of the reader is revoked too.
    const later = await eventReader(site, account)
    const all = await later.all()
    expect(all.slice(0, 3).map(({ action, after }) => [action, after])).toEqual([
      ['token_create', expect.anything()],
      ['tokens_revoke', { count: 2 }],
      ['password_change', null],
    ])
    expect(all[2]).toMatchObject({ actor: { kind: 'session' }, network })
    expect(JSON.stringify(all)).not.toMatch(/a new long password|argon2/)
  })

  it('shows the nickname and the email before and after a change, and nothing of a change to the same', async () => {
    const browser = await site.browser(email)
    await events.fresh()
    const nickname = (value: string) => browser.call('POST', '/account/profile', { body: { field: 'nickname', value } })
    expect((await nickname('Ada')).status).toBe(200)
    await nickname('Ada')
    const change = { current_password: passwordOf(email), email: `new-${email}` }
    expect((await browser.call('POST', '/account/email', { body: change })).status).toBe(200)
    await browser.call('POST', '/account/email', { body: { ...change, email: `new-${email}` } })
    expect(await events.actions()).toEqual([
      { action: 'nickname_change', object: '', before: { nickname: '' }, after: { nickname: 'Ada' } },
      { action: 'email_change', object: '', before: { email }, after: { email: `new-${email}` } },
    ])
    await expectHidden()
  })

  it('failed sign-ins of an account are one event for its network and hour, written after the answers', async () => {
    const second = await site.another()
    const signIn = (of: string) =>
      second.call('POST', '/console/api/session/sign-in', {
        body: { email: of, password: 'a wrong password' },
        headers: { origin: second.url },
      })
    const answers = await Promise.all([signIn(email), signIn(email), signIn(email), signIn('nobody@example.com')])
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect(await events.fresh()).toEqual([])
    await second.stop()
    const [event, ...more] = await events.fresh()
    expect(event).toMatchObject({
      action: 'sign_in_fail',
      actor: { kind: 'session' },
      network,
      before: null,
      after: null,
    })
    expect(more).toEqual([])
    await expectHidden()
  })

  it('an account begins with the event of its creation', async () => {
    const all = await events.all()
    expect(all.at(-1)).toMatchObject({ action: 'account_create', actor: { kind: 'operator' }, after: { email } })
  })
})
