import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds, passwordOf } from '../../../../test/app.js'
import { smtpAt, startMailServer, type MailServer } from '../../../../test/mail-server.js'
import { startSite, type Site } from '../../../../test/site.js'
import { ownStore } from '../accounts/own-store.js'
import { accountStore } from '../accounts/store.js'

const email = 'ada@example.com'
const newPassword = 'a longer sentence that nobody guesses'
const used = 'The link does not work any more: it is for one use within 30 minutes. Request another e-mail.'

describe.each(databaseKinds)('a forgotten password on %s', (kind) => {
  let server: MailServer
  let site: Site
  beforeAll(async () => {
    server = await startMailServer()
    site = await startSite(kind, {
      mail: smtpAt(server.port),
      passwordReset: true,
      publicUrl: 'http://svc.test',
      trustProxy: ['127.0.0.1'],
    })
    await site.account(email)
    await site.account('bob@example.com')
    // Their sign-ins send no other e-mails.
    await site.sql(`insert into mail_opt_out (account_id, kind) select id, 'new-browser' from account`)
  })
  afterAll(async () => {
    await site.stop()
    await server.stop()
  })
  afterEach(async () => {
    for (const table of ['mail_message', 'sign_in_failure', 'password_reset']) await site.sql(`delete from ${table}`)
    server.mails.length = 0
  })

  const post = (path: string, body: object, ip = '192.0.2.1') =>
    site.app.http.inject({
      method: 'POST',
      url: `/console/api/session/${path}`,
      headers: { origin: 'http://svc.test', 'x-forwarded-for': ip },
      payload: body,
    })
  const request = (address: string, ip?: string) => post('reset-request', { email: address }, ip)
  const reset = (token: string, password = newPassword) => post('reset', { token, password })

  /** Requests an e-mail. @returns the token of its link */
  async function tokenByMail(): Promise<string> {
    const before = server.mails.length
    expect((await request(email)).json()).toMatchObject({ data: { requested: true } })
    await vi.waitUntil(() => server.mails.length > before, 30_000)
    const text = server.mails.at(-1)?.text ?? ''
    const [, token = ''] = /http:\/\/svc\.test\/console\/reset-password#([\w-]{43})\n/.exec(text) ?? []
    expect(token, text).not.toBe('')
    return token
  }

  it('sends a link that sets a new password once, and ends all sessions', async () => {
    const browser = await site.browser(email)
    const token = await tokenByMail()
    expect(server.mails[0]).toMatchObject({ to: { text: email }, subject: 'Reset your password at svc.test' })
    expect(server.mails[0]?.headers.has('list')).toBe(false)
    expect(await site.everythingKept()).not.toContain(token)
    const answer = await reset(token)
    expect(answer.json()).toMatchObject({ data: { reset: true } })
    expect((await browser.call('GET', '/session')).status).toBe(401)
    expect((await site.signIn(email)).status).toBe(401)
    expect((await site.signIn(email, { password: newPassword })).status).toBe(200)
    expect((await reset(token)).json()).toMatchObject({ error: 'bad_request', message: used })
    await reset(await anotherToken(), passwordOf(email))
  })

  /** A second e-mail within a minute waits. */
  async function anotherToken(): Promise<string> {
    await site.sql('delete from mail_message')
    return tokenByMail()
  }

  it('answers the same for an unknown and a suspended address, and sends nothing', async () => {
    await site.sql(`update account set state = 'stopped' where email = 'bob@example.com'`)
    for (const address of ['nobody@example.com', 'bob@example.com', 'not an address'])
      expect((await request(address)).json()).toMatchObject({ success: true, data: { requested: true } })
    await tokenByMail()
    expect(server.mails).toHaveLength(1)
    await site.sql(`update account set state = 'active' where email = 'bob@example.com'`)
  })

  it.each([
    ['an unknown token', (token: string) => `${token.slice(0, -4)}AAAA`, () => ''],
    ['an expired token', (token: string) => token, () => 'update password_reset set expires_at = 1'],
    [
      'a suspended account',
      (token: string) => token,
      () => `update account set state = 'stopped' where email = '${email}'`,
    ],
  ])('refuses %s with one error, and changes nothing', async (_, other, change) => {
    const token = await tokenByMail()
    if (change() !== '') await site.sql(change())
    expect((await reset(other(token))).json()).toMatchObject({ error: 'bad_request', message: used, field: 'token' })
    await site.sql(`update account set state = 'active' where email = '${email}'`)
    expect((await site.signIn(email)).status).toBe(200)
  })

  it('of simultaneous uses of a token, one sets the password', async () => {
    const token = await tokenByMail()
    const answers = await Promise.all(Array.from({ length: 4 }, () => reset(token, passwordOf(email))))
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400, 400, 400])
  })

  it('refuses a short password before the token is used', async () => {
    const token = await tokenByMail()
    expect((await reset(token, 'short')).json()).toMatchObject({
      message: expect.stringMatching(/^password must have/),
    })
    expect((await reset(token, passwordOf(email))).statusCode).toBe(200)
  })

  it('sends no link to an address that the account has had before', async () => {
    await request(email)
    await site.sql(`update account set email = 'new@example.com' where email = '${email}'`)
    await vi.waitUntil(
      async () => (await site.sql('select 1 from mail_message where due_at is null')).length === 1,
      30_000,
    )
    await site.sql(`update account set email = '${email}' where email = 'new@example.com'`)
    expect(await site.sql('select * from password_reset')).toHaveLength(server.mails.length)
  })

  it('ends the links of an account whose email or password changes', async () => {
    const [accounts, own] = [accountStore(site.app.database), ownStore(site.app.database)]
    const ada = (await accounts.byEmail(email))!
    const hash = ada.passwordHash
    const other = 'other@example.com'
    const changes: readonly (() => Promise<unknown>)[] = [
      () => accounts.setEmail(ada, other).then(() => accounts.setEmail(ada, email)),
      () => accounts.setPassword(ada, hash),
      () => own.changeEmail(ada, hash, other).then(() => own.changeEmail({ ...ada, email: other }, hash, email)),
      () => own.changePassword(ada, { from: hash, to: hash }, false),
    ]
    for (const change of changes) {
      const token = await anotherToken()
      await site.sql('delete from sign_in_failure')
      await change()
      expect((await reset(token)).json()).toMatchObject({ message: used })
    }
  })

  it('keeps five links of an account, and removes those that have ended', async () => {
    for (let i = 0; i < 7; i++) {
      await site.sql('delete from sign_in_failure')
      await anotherToken()
    }
    expect(await site.sql('select * from password_reset')).toHaveLength(5)
    await site.sql('update password_reset set expires_at = 1')
    await site.sql('delete from sign_in_failure')
    await anotherToken()
    expect(await site.sql('select * from password_reset')).toHaveLength(1)
  })

  it('limits the requests of a network with an error, and those for an address silently', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await request(`p${String(i)}@example.com`)).statusCode)
    expect(statuses.slice(0, 11)).toEqual(Array.from({ length: 11 }, () => 200))
    const refused = await request('p13@example.com')
    expect(refused.json()).toMatchObject({ error: 'unauthorized', message: expect.stringMatching(/^Too many e-mails/) })
    expect(refused.headers['retry-after']).toMatch(/^\d+$/)
    for (let i = 0; i < 8; i++) {
      const answer = await request(email, `198.51.${String(i)}.1`)
      expect(answer.json()).toMatchObject({ data: { requested: true } })
    }
    await vi.waitUntil(async () => (await site.sql('select events from mail_message')).length === 1, 30_000)
  })

  it('tells the sign-in that a password can be reset', async () => {
    const answer = await site.call('GET', '/console/api/setup')
    expect(answer.body['data']).toEqual({ needed: false, password_reset: true })
  })
})

it('403 while the operator has not switched it on', async () => {
  const site = await startSite('sqlite')
  const call = (path: string, body: object) =>
    site.call('POST', `/console/api/session/${path}`, { body, headers: { origin: site.url } })
  for (const answer of [
    await call('reset-request', { email }),
    await call('reset', { token: 'x', password: newPassword }),
  ])
    expect(answer).toMatchObject({ status: 403, body: { message: expect.stringMatching(/^This server resets no/) } })
  expect((await site.call('GET', '/console/api/setup')).body['data']).toEqual({ needed: false, password_reset: false })
  await site.stop()
})
