import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import type { Account } from '../../../shared/account.js'
import { sessionLifetimeMs } from './lifetime.js'

/** account/sessions, revoke and revoke-all, with sessions from real sign-ins (specification, section 4.3). */

describe.each(databaseKinds)('sessions of an account on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let ada: Account
  let bob: Account
  let token: string
  let count = 0
  beforeEach(async () => {
    count++
    ada = await site.account(`ada${String(count)}@example.com`)
    bob = await site.account(`bob${String(count)}@example.com`)
    token = await site.token(ada, 'account:write')
  })

  const list = async (as = token) =>
    (await site.call('GET', '/v1/account/sessions', { token: as })).body['data'] as Envelope
  const ids = async (as = token) => ((await list(as))['sessions'] as Envelope[]).map(({ id }) => id as number)
  const revoke = (body: unknown, as = token) => site.call('POST', '/v1/account/sessions/revoke', { token: as, body })
  const revokeAll = (as = token) => site.call('POST', '/v1/account/sessions/revoke-all', { token: as })

  it('lists nothing before the first sign-in', async () => {
    expect(await list()).toEqual({ sessions: [], total: 0 })
  })

  it('lists browser and address of each session, newest first, without its secret', async () => {
    const before = Date.now()
    const first = await site.browser(ada.email, { headers: { 'user-agent': 'First/1.0' } })
    const second = await site.browser(ada.email, { headers: { 'user-agent': 'Second/2.0' } })
    const { sessions, total } = await list()
    expect(total).toBe(2)
    expect(sessions).toEqual([
      { id: second.sessionId, created_at: time, last_seen_at: time, ip: '127.0.0.1', user_agent: 'Second/2.0' },
      { id: first.sessionId, created_at: time, last_seen_at: time, ip: '127.0.0.1', user_agent: 'First/1.0' },
    ])
    const began = Date.parse(sessions[0].created_at as string)
    expect(began).toBeGreaterThanOrEqual(before)
    expect(began).toBeLessThanOrEqual(Date.now())
  })

  it('a sign-in beyond 1,000 sessions ends the oldest one of the account', async () => {
    const [oldest, second, ofBob] = [
      await site.browser(ada.email),
      await site.browser(ada.email),
      await site.browser(bob.email),
    ]
    const rows = Array.from({ length: 998 }, (_, n) => {
      const digits = String(count * 1000 + n).padStart(8, '0')
      const hash = kind === 'sqlite' ? `x'${digits}'` : `'\\x${digits}'::bytea`
      const now = String(Date.now())
      return `(${String(ada.id)}, ${hash}, '', '', ${now}, ${now})`
    })
    await site.sql(
      `insert into session (account_id, hash, ip, user_agent, created_at, last_seen_at) values ${rows.join()}`,
    )
    expect((await list())['total']).toBe(1000)
    const newest = await site.browser(ada.email)
    expect((await list())['total']).toBe(1000)
    const statuses = [oldest, second, newest, ofBob].map(
      async (browser) => (await browser.call('GET', '/session')).status,
    )
    expect(await Promise.all(statuses)).toEqual([401, 200, 200, 200])
  })

  it('stores at most 512 characters of the User-Agent header', async () => {
    await site.browser(ada.email, { headers: { 'user-agent': 'x'.repeat(2000) } })
    expect((await list())['sessions'][0].user_agent).toBe('x'.repeat(512))
  })

  it("lists only the account's own sessions", async () => {
    const mine = await site.browser(ada.email)
    const theirs = await site.browser(bob.email)
    expect(await ids()).toEqual([mine.sessionId])
    expect(await ids(await site.token(bob, '*'))).toEqual([theirs.sessionId])
  })

  it('revoke ends the session at once, and no other', async () => {
    const [kept, ended] = [await site.browser(ada.email), await site.browser(ada.email)]
    const answer = await revoke({ id: ended.sessionId })
    expect([answer.status, answer.body['data']]).toEqual([200, { revoked: true }])
    expect((await ended.call('GET', '/session')).status).toBe(401)
    expect((await kept.call('GET', '/session')).status).toBe(200)
    expect(await ids()).toEqual([kept.sessionId])
    expect((await revoke({ id: ended.sessionId })).status).toBe(404)
  })

  it('403 forbidden for a session of another account, which stays valid', async () => {
    const theirs = await site.browser(bob.email)
    const all = await site.token(ada, '*')
    for (const as of [token, all]) {
      const answer = await revoke({ id: theirs.sessionId }, as)
      expect([answer.status, answer.body['error']]).toEqual([403, 'forbidden'])
    }
    expect((await theirs.call('GET', '/session')).status).toBe(200)
  })

  it.each([
    ['never used', '999999'],
    ['0', '0'],
    ['a negative one', '-1'],
    ['the largest possible', '9007199254740991'],
  ])('404 not_found for a nonexistent id: %s; no session ends', async (_name, id) => {
    const mine = await site.browser(ada.email)
    const answer = await revoke(`{"id":${id}}`)
    expect([answer.status, answer.body['error']]).toEqual([404, 'not_found'])
    expect(await ids()).toEqual([mine.sessionId])
  })

  it.each([
    ['a string', (id: number) => ({ id: String(id) })],
    ['a fraction', (id: number) => ({ id: id + 0.5 })],
    ['true', () => ({ id: true })],
    ['null', () => ({ id: null })],
    ['a list', (id: number) => ({ id: [id] })],
    ['2^53', () => '{"id":9007199254740992}'],
    ['beyond 64 bits', () => '{"id":9223372036854775808}'],
    ['beyond 64 bits, negative', () => '{"id":-9223372036854775809}'],
    ['1e30', () => '{"id":1e30}'],
    ['beyond the range of a number', () => '{"id":1e400}'],
    ['absent', () => ({})],
    ['with an unknown field', (id: number) => ({ id, all: true })],
    ['no body', () => undefined],
  ])('400 bad_request for an id that is %s; no session ends', async (_name, body) => {
    const mine = await site.browser(ada.email)
    const answer = await revoke(body(mine.sessionId))
    expect([answer.status, answer.body['error']]).toEqual([400, 'bad_request'])
    expect(await ids()).toEqual([mine.sessionId])
  })

  it("revoke-all ends and counts every session of the account; tokens and other accounts' sessions stay valid", async () => {
    const mine = [await site.browser(ada.email), await site.browser(ada.email)]
    const theirs = await site.browser(bob.email)
    const answer = await revokeAll()
    expect([answer.status, answer.body['data']]).toEqual([200, { revoked: 2 }])
    for (const browser of mine) expect((await browser.call('GET', '/session')).status).toBe(401)
    expect((await theirs.call('GET', '/session')).status).toBe(200)
    expect((await revokeAll()).body['data']).toEqual({ revoked: 0 })
  })

  it('an expired session is not listed, not counted and not accepted', async () => {
    const old = await site.browser(ada.email)
    const young = await site.browser(ada.email)
    const began = Date.now() - sessionLifetimeMs
    await site.sql(`update session set created_at = ${String(began)} where id = ${String(old.sessionId)}`)
    await site.sql(`update session set created_at = ${String(began + 60_000)} where id = ${String(young.sessionId)}`)
    expect((await old.call('GET', '/session')).status).toBe(401)
    expect((await young.call('GET', '/session')).status).toBe(200)
    expect(await ids()).toEqual([young.sessionId])
    expect((await revokeAll()).body['data']).toEqual({ revoked: 1 })
  })

  it("a sign-in deletes the account's expired sessions, and no other rows", async () => {
    const old = await site.browser(ada.email)
    const theirs = await site.browser(bob.email)
    await site.sql(
      `update session set created_at = 0 where id in (${[old, theirs].map(({ sessionId }) => sessionId).join()})`,
    )
    const young = await site.browser(ada.email)
    const kept = (await site.sql('select id from session')).map(({ id }) => Number(id))
    expect(kept).toEqual(expect.arrayContaining([theirs.sessionId, young.sessionId]))
    expect(kept).not.toContain(old.sessionId)
  })

  it('403 without account:read for the list and account:write for revoking; no session ends', async () => {
    const mine = await site.browser(ada.email)
    const reader = await site.token(ada, 'account:read')
    const stranger = await site.token(ada, 'dns:write')
    expect(await ids(reader)).toEqual([mine.sessionId])
    for (const refused of [
      await revoke({ id: mine.sessionId }, reader),
      await revokeAll(reader),
      await site.call('GET', '/v1/account/sessions', { token: stranger }),
    ])
      expect([refused.status, refused.body['error']]).toEqual([403, 'forbidden_scope'])
    expect(await ids()).toEqual([mine.sessionId])
  })

  it.each([
    ['is updated by a use if it is older than a minute', 61_000, true],
    ['is not updated within a minute', 30_000, false],
  ])('last_seen_at %s', async (_name, ageMs, isUpdated) => {
    const { cookie, sessionId } = await site.browser(ada.email)
    const seen = Date.now() - ageMs
    await site.sql(`update session set last_seen_at = ${String(seen)} where id = ${String(sessionId)}`)
    const other = await site.another()
    expect((await other.call('GET', '/console/api/session', { headers: { cookie } })).status).toBe(200)
    await other.stop()
    const { last_seen_at } = (await list())['sessions'][0]
    if (isUpdated) expect(Date.parse(last_seen_at as string)).toBeGreaterThanOrEqual(seen + ageMs)
    else expect(last_seen_at).toBe(new Date(seen).toISOString())
  })
})

const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/) as string
