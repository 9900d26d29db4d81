import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'
import { isSignedWith, startTarget, type TargetServer } from '../../../../test/target-server.js'
import type { Account } from '../../../shared/account.js'
import { unlimited } from '../tokens/limits.js'
import { tokenStore } from '../tokens/store.js'

/** What the webhooks of an account receive, and what the account sees of it. */

describe.each(databaseKinds)('the webhooks of an account on %s', (kind) => {
  let site: Site
  let target: TargetServer
  let ada: Account
  let token: string
  let people = 0
  beforeAll(async () => {
    site = await startSite(kind, { outboundAllow: ['127.0.0.1/32'] })
  })
  afterAll(() => site.stop())
  beforeEach(async () => {
    target = await startTarget()
    ada = await site.account(`ada${String(++people)}@example.com`)
    token = await site.token(ada, 'account:write')
  })
  afterEach(async () => {
    await site.sql('delete from account_webhook_delivery')
    await site.sql('delete from account_webhook')
    await target.stop()
  })

  const call = (method: string, path: string, body?: object) =>
    site.call(method, `/v1/account${path}`, { token, ...(body && { body }) })
  const create = async (fields: object = {}) => {
    const { status, text, body } = await call('POST', '/webhooks', { url: target.url, ...fields })
    expect(status, text).toBe(200)
    return body['data'] as { readonly webhook: { readonly id: number }; readonly secret: string }
  }
  const rename = async (value: string) =>
    expect((await call('POST', '/profile', { field: 'nickname', value })).status).toBe(200)
  const received = () => target.received.map(({ body }) => JSON.parse(body.toString()))
  const arrived = (count: number) => expect.poll(() => target.received.length, { timeout: 10_000 }).toBe(count)
  const shown = async () => (await call('GET', '/webhooks')).body['data'].webhooks[0]
  const deliveries = async (id: number) =>
    (await call('GET', `/webhooks/deliveries?id=${String(id)}`)).body['data'].deliveries
  const first = (id: number) => expect.poll(async () => (await deliveries(id))[0], { timeout: 10_000 })
  const makeDue = () => site.sql('update account_webhook_delivery set due_at = 1 where due_at is not null')

  it('sends each event as the list has it, with a signature of the secret that is shown once', async () => {
    const { webhook, secret } = await create()
    expect(secret).toMatch(/^whsec_/)
    await rename('Ada')
    await arrived(1)
    const [request] = target.received
    expect(isSignedWith(secret, request!)).toBe(true)
    expect(request).toMatchObject({ method: 'POST', url: '/hook', headers: { 'content-type': 'application/json' } })
    const [event] = (await call('GET', '/events?limit=1')).body['data'].events
    expect(received()).toEqual([event])
    expect(event).toMatchObject({ action: 'nickname_change', after: { nickname: 'Ada' } })
    await first(webhook.id).toMatchObject({
      event_id: event.id,
      action: 'nickname_change',
      state: 'delivered',
      attempts: 1,
      status: 200,
      error: null,
      answer: 'answer',
    })
    expect(await shown()).toMatchObject({ waiting: 0, dropped: 0, failing_since: null, enabled: true })
    expect((await call('GET', '/webhooks')).text).not.toContain(secret)
    expect(await site.everythingKept()).not.toContain(secret.slice('whsec_'.length))
  })

  it('sends a change of a zone with its serial, also one that another process has made', async () => {
    await create({ events: ['dns'] })
    const other = await site.another()
    const zone = `zone${String(people)}-${kind}.com`
    const claimed = await other.call('POST', '/v1/dns/zones', { token: await site.token(ada, '*'), body: { zone } })
    expect(claimed.status).toBe(200)
    await expect
      .poll(() => received(), { timeout: 10_000 })
      .toContainEqual(expect.objectContaining({ area: 'dns', object: zone, serial: expect.any(Number) as number }))
    await other.stop()
  })

  it('sends the chosen events only, and none of another account', async () => {
    await create({ events: ['account.nickname_change', 'sms'] })
    const eve = await site.account(`eve${String(people)}@example.com`)
    const others = await site.token(eve, 'account:write')
    await site.call('POST', '/v1/account/profile', { token: others, body: { field: 'nickname', value: 'Eve' } })
    await call('POST', '/notices', { kind: 'new-browser', by_email: false })
    await rename('Only this')
    await arrived(1)
    expect(received()[0]).toMatchObject({ action: 'nickname_change', after: { nickname: 'Only this' } })
    const { body } = await call('POST', '/webhooks', { url: target.url, events: ['dns', 'nothing'] })
    expect(body['message']).toMatch(
      /^events must have areas \(account, dns, .*\) and actions, such as .*, not "nothing"\.$/,
    )
  })

  it('sends a test to its webhook alone, whatever it has chosen', async () => {
    await create()
    const { webhook } = await create({ events: ['sms'] })
    await arrived(1)
    const { body } = await call('POST', '/webhooks/test', { id: webhook.id })
    expect(body['data']).toMatchObject({ id: webhook.id })
    await first(webhook.id).toMatchObject({ action: 'webhook_test', state: 'delivered' })
    expect(received().map(({ action }) => action)).toEqual(['webhook_create', 'webhook_test'])
  })

  it('repeats a delivery that has failed, and follows no redirect', async () => {
    const { webhook } = await create()
    target.answer = () => 302
    await rename('once')
    await first(webhook.id).toMatchObject({
      state: 'failing',
      attempts: 1,
      status: 302,
      error: 'The target answered 302.',
    })
    expect((await shown()).failing_since).toMatch(/^\d{4}-/)
    expect(target.received.map(({ url }) => url)).toEqual(['/hook'])
    target.answer = () => 200
    await makeDue()
    await first(webhook.id).toMatchObject({ state: 'delivered', attempts: 2, status: 200, error: null })
    const ids = target.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    expect(await shown()).toMatchObject({ failing_since: null })
  })

  it('reaches a target that was down, and gives up after 410', async () => {
    const { webhook } = await create()
    await target.stop()
    await rename('down')
    await first(webhook.id).toMatchObject({
      state: 'failing',
      status: null,
      error: 'The target refused the connection.',
    })
    await target.start()
    target.answer = () => 410
    await makeDue()
    await first(webhook.id).toMatchObject({ state: 'given_up', attempts: 2, status: 410, next_attempt_at: null })
    expect(await shown()).toMatchObject({ waiting: 0 })
  })

  it('a target that asks for time with Retry-After gets nothing meanwhile', async () => {
    const { webhook } = await create()
    target.answer = () => 429
    target.retryAfter = '600'
    await rename('first')
    await first(webhook.id).toMatchObject({ state: 'failing', status: 429 })
    await rename('second')
    await first(webhook.id).toMatchObject({ state: 'waiting', attempts: 0 })
    const [{ next_attempt_at: next }] = await deliveries(webhook.id)
    expect(Date.parse(next) - Date.now()).toBeGreaterThan(500_000)
    expect(target.received).toHaveLength(1)
  })

  it('keeps the events of a paused webhook, and sends them when it is resumed', async () => {
    const { webhook } = await create({ events: ['account.nickname_change'] })
    const update = (fields: object) => call('POST', '/webhooks/update', { id: webhook.id, ...fields })
    expect((await update({ enabled: false })).body['data']).toMatchObject({ webhook: { enabled: false }, secret: null })
    await rename('while paused')
    await first(webhook.id).toMatchObject({ state: 'waiting', attempts: 0, next_attempt_at: null })
    expect((await call('POST', '/webhooks/test', { id: webhook.id })).body['message']).toBe(
      'The webhook is paused: resume it before a test.',
    )
    expect(target.received).toHaveLength(0)
    await update({ enabled: true })
    await arrived(1)
    expect(received()[0]).toMatchObject({ after: { nickname: 'while paused' } })
  })

  it('what waits goes to the new URL, signed with the new secret', async () => {
    const { webhook } = await create({ events: ['account.nickname_change'] })
    target.answer = () => 500
    await rename('moved')
    await first(webhook.id).toMatchObject({ state: 'failing' })
    const next = await startTarget()
    const { body } = await call('POST', '/webhooks/update', { id: webhook.id, url: next.url, new_secret: true })
    await expect.poll(() => next.received.length, { timeout: 10_000 }).toBe(1)
    expect(isSignedWith(body['data'].secret, next.received[0]!)).toBe(true)
    await next.stop()
    const { body: events } = await call('GET', '/events?limit=1')
    expect(events['data'].events[0]).toMatchObject({
      action: 'webhook_change',
      object: new URL(next.url).host,
      after: { target: new URL(next.url).host, changed: ['url', 'secret'] },
    })
    expect(JSON.stringify(events)).not.toContain('/hook')
  })

  it('drops the oldest events when 1,000 wait, and counts them', async () => {
    const { webhook } = await create({ events: ['account.nickname_change'] })
    await call('POST', '/webhooks/update', { id: webhook.id, enabled: false })
    const row = `(${String(ada.id)}, 1, 'account', 'nickname_change', '', 'session', 'console')`
    await site.sql(
      `insert into account_event (account_id, at, area, action, object, actor_kind, actor_name)
       values ${Array.from({ length: 1_200 }, () => row).join()}`,
    )
    await rename('the last one')
    await expect.poll(() => shown(), { timeout: 10_000 }).toMatchObject({ waiting: 1_000, dropped: 201 })
    expect((await deliveries(webhook.id))[0]).toMatchObject({ state: 'waiting' })
    expect(await deliveries(webhook.id)).toHaveLength(100)
  })

  it('keeps a hundred deliveries that no longer wait', async () => {
    const { webhook } = await create({ events: ['account.nickname_change'] })
    const id = String(webhook.id)
    await site.sql(
      `insert into account_webhook_delivery (webhook_id, event_id, account_id, host, state, attempts, updated_at)
       values ${Array.from({ length: 150 }, (_, n) => `(${id}, ${String(-n - 1)}, ${String(ada.id)}, 'x', 'delivered', 1, 1)`).join()}`,
    )
    await rename('one more')
    await first(webhook.id).toMatchObject({ action: 'nickname_change', state: 'delivered' })
    expect(await site.sql(`select count(*) as n from account_webhook_delivery where webhook_id = ${id}`)).toEqual([
      { n: 100 },
    ])
  })

  it.each([
    ['http://192.168.0.1/', /^url must not lead to a private or special address/],
    ['http://[::ffff:10.0.0.1]/', /^url must not lead to a private or special address/],
    ['ftp://example.com/', /^url must be an http or https URL/],
    ['https://user:password@example.com/', /^url must not contain a user or a password/],
    [`https://example.com/${'x'.repeat(2_048)}`, /^url must have at most 2048 characters, not 2068/],
  ])('400 for the URL %s', async (url, message) => {
    const { status, body } = await call('POST', '/webhooks', { url })
    expect([status, body['message']]).toEqual([400, expect.stringMatching(message)])
  })

  it('sends nothing to a name that leads to a private address', async () => {
    const { webhook } = await create({ url: 'http://localhost:1080/' })
    await rename('private')
    await first(webhook.id).toMatchObject({ state: 'failing', status: null })
    expect((await deliveries(webhook.id))[0].error).not.toContain('127.0.0.1')
  })

  it('an account has at most ten webhooks', async () => {
    for (let n = 0; n < 10; n++) await create()
    const { body } = await call('POST', '/webhooks', { url: target.url })
    expect(body['message']).toBe('The account has 10 webhooks: delete one of them first.')
  })

  it('refuses tokens with rules, which would see the events that their rules hide', async () => {
    const rules = [{ kind: 'zone', name: 'example.com', access: 'read' }] as const
    const ruled = await tokenStore(site.app.database).create(ada, 'ruled', ['account:write'], { ...unlimited, rules })
    for (const [method, path, body] of [
      ['GET', '/webhooks', undefined],
      ['POST', '/webhooks', { url: target.url }],
    ] as const) {
      const options = { token: ruled.token, ...(body && { body }) }
      expectError(await site.call(method, `/v1/account${path}`, options), 'forbidden_scope')
    }
  })

  it('deletes a webhook with what waits for it', async () => {
    const { webhook } = await create()
    target.answer = () => 500
    await rename('gone')
    await first(webhook.id).toMatchObject({ state: 'failing' })
    const { body } = await call('POST', '/webhooks/delete', { id: webhook.id })
    expect(body['data']).toEqual({ id: webhook.id, deleted: true })
    expect(await site.sql(`select * from account_webhook_delivery where webhook_id = ${String(webhook.id)}`)).toEqual(
      [],
    )
  })

  it('sends nothing that waits once its account is stopped', async () => {
    const { webhook } = await create()
    target.answer = () => 500
    await rename('waiting')
    await first(webhook.id).toMatchObject({ state: 'failing' })
    const sent = target.received.length
    await site.sql(`update account set state = 'stopped' where id = ${String(ada.id)}`)
    await makeDue()
    const states = () => site.sql(`select state from account_webhook_delivery where webhook_id = ${String(webhook.id)}`)
    await expect.poll(states, { timeout: 10_000 }).toEqual([{ state: 'failed' }])
    expect(target.received).toHaveLength(sent)
  })

  it('gives up an event that is not kept any more, and a secret that does not decrypt', async () => {
    const { webhook } = await create({ events: ['account.nickname_change'] })
    const id = String(webhook.id)
    const update = (enabled: boolean) => call('POST', '/webhooks/update', { id: webhook.id, enabled })
    await update(false)
    await rename('forgotten')
    await first(webhook.id).toMatchObject({ state: 'waiting' })
    await site.sql(`delete from account_event where account_id = ${String(ada.id)}`)
    await update(true)
    await first(webhook.id).toMatchObject({ state: 'given_up', action: null, error: 'The event is not kept any more.' })
    await site.sql(`update account_webhook set tag = '0000000000000000' where id = ${id}`)
    await rename('unsigned')
    await first(webhook.id).toMatchObject({
      state: 'given_up',
      error: 'The secret of the webhook cannot be read: replace it.',
    })
  })
})
