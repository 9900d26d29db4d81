import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { send } from '../../../../test/raw-http.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import { isSignedWith, startTarget, type Received, type TargetServer } from '../../../../test/target-server.js'

/** What the targets of webhooks receive, and what the console shows of it. */

const onContent = { host: 'content.localhost' }

describe.each(databaseKinds)('forwarding on %s', (kind) => {
  let site: Site
  let target: TargetServer
  let ada: Browser
  beforeAll(async () => {
    site = await startSite(kind, { outboundAllow: ['127.0.0.1/32'] })
    await site.account('ada@example.com')
    ada = await site.browser('ada@example.com')
  })
  afterAll(() => site.stop())
  beforeEach(async () => {
    target = await startTarget()
  })
  afterEach(() => target.stop())

  const post = async (path: string, body: object) => ada.call('POST', path, { body })
  const create = async (fields: object = {}) =>
    (await post('/deployments/create', { kind: 'webhook', target: target.url, ...fields })).body['data']
  const receive = async (slug: string, body = 'hello') =>
    expect((await send(site.url, 'POST', `/h/${slug}`, { headers: onContent, body })).status).toBe(200)
  const delivery = async (id: number, requestId = 1) =>
    (await ada.call('GET', `/deployments/${String(id)}/requests/${String(requestId)}`)).body['data'].delivery
  const arrives = (id: number, expected: object, requestId = 1) =>
    expect.poll(() => delivery(id, requestId), { timeout: 10_000 }).toMatchObject(expected)
  /** Lets time pass until every waiting delivery is due. */
  const makeDue = () => site.sql('update webhook_delivery set due_at = 1 where due_at is not null')
  /** The outcome has been noted: during an attempt there is no error. */
  const attemptedOnce = { state: 'failing', attempts: 1, error: expect.stringMatching(/^The target /) as unknown }
  const first = (): Received => target.received[0]!

  it('sends method, parameters, headers and body, with a signature that the receiver can verify', async () => {
    const { id, slug, webhook } = await create({ target: `${target.url}?key=k` })
    const headers = { ...onContent, 'X-GitHub-Event': 'push', 'content-type': 'text/plain', cookie: 'a=b' }
    const body = Buffer.from([0, 1, 255])
    await send(site.url, 'PUT', `/h/${slug}/ignored?a=%20`, { headers, body })
    await arrives(id, { state: 'delivered', attempts: 1, next_attempt_at: null, status: 200, error: null })
    expect(target.received).toHaveLength(1)
    const { method, url, headers: received } = first()
    expect([method, url]).toEqual(['PUT', '/hook?key=k&a=%20'])
    expect(received).toMatchObject({ 'x-github-event': 'push', 'content-type': 'text/plain' })
    expect([received.host, received.cookie]).toEqual([new URL(target.url).host, undefined])
    expect(first().body).toEqual(body)
    expect(webhook.secret).toMatch(/^whsec_/)
    expect(isSignedWith(webhook.secret, first())).toBe(true)
    expect(Math.abs(Number(received['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
  })

  it('the receiver rejects another secret and another body', async () => {
    const { id, slug, webhook } = await create()
    await receive(slug)
    await arrives(id, { state: 'delivered' })
    const { secret } = (await post('/deployments/rotate-secret', { id })).body['data']
    expect(secret).toMatch(/^whsec_/)
    expect(isSignedWith(secret, first())).toBe(false)
    expect(isSignedWith(webhook.secret, { ...first(), body: Buffer.from('hello!') })).toBe(false)
    // The next attempt has the new secret, which the detail shows.
    await post('/deployments/requests/redeliver', { id, request_id: 1 })
    await expect.poll(() => target.received.length).toBe(2)
    expect(isSignedWith(secret, target.received[1]!)).toBe(true)
    expect((await ada.call('GET', `/deployments/${String(id)}`)).body['data'].webhook).toEqual({ secret })
  })

  it('repeats a failed delivery with the same id until the target accepts it', async () => {
    const { id, slug, webhook } = await create()
    const statuses = [503, 302, 204]
    target.answer = () => statuses[target.received.length - 1]
    await receive(slug)
    await arrives(id, { state: 'failing', attempts: 1, status: 503, error: 'The target answered 503.' })
    expect(Date.parse((await delivery(id)).next_attempt_at) - Date.now()).toBeLessThan(6_000)
    await makeDue()
    // A redirect is an answer like any other: nothing is sent to its location.
    await arrives(id, { state: 'failing', attempts: 2, status: 302, error: 'The target answered 302.' })
    await makeDue()
    await arrives(id, { state: 'delivered', attempts: 3, status: 204, error: null, next_attempt_at: null })
    expect(target.received.map(({ url }) => url)).toEqual(['/hook', '/hook', '/hook'])
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    for (const received of target.received) expect(isSignedWith(webhook.secret, received)).toBe(true)
  })

  it('delivers when a target that was down is up again', async () => {
    const { id, slug } = await create()
    await target.stop()
    await receive(slug)
    await arrives(id, { state: 'failing', status: null, error: 'The target refused the connection.' })
    await target.start()
    await makeDue()
    await arrives(id, { state: 'delivered', attempts: 2 })
  })

  it('gives up after 410, and after the eighth attempt', async () => {
    const { id, slug } = await create()
    target.answer = () => 410
    await receive(slug)
    await arrives(id, { state: 'given_up', attempts: 1, status: 410, error: 'The target answered 410.' })
    target.answer = () => 500
    await receive(slug)
    await arrives(id, attemptedOnce, 2)
    await site.sql('update webhook_delivery set attempts = 7 where due_at is not null')
    await makeDue()
    await arrives(id, { state: 'given_up', attempts: 8, status: 500, next_attempt_at: null }, 2)
  })

  it('a target with a private address is refused, also after a change', async () => {
    const problem = /^target must not lead to a private or special address/
    const refused = await post('/deployments/create', { kind: 'webhook', target: 'http://192.168.1.1/' })
    expect([refused.status, refused.body['message']]).toEqual([400, expect.stringMatching(problem)])
    const { id } = await create()
    const changed = await post('/deployments/update', { id, target: 'http://[::ffff:10.0.0.1]/' })
    expect([changed.status, changed.body['message']]).toEqual([400, expect.stringMatching(problem)])
  })

  it('shows that a target leads to a private address by the time of the delivery', async () => {
    const { id, slug } = await create()
    await site.sql(`update deployment set target = 'http://127.0.0.2:9999/' where id = ${String(id)}`)
    await receive(slug)
    await arrives(id, {
      state: 'failing',
      status: null,
      error:
        'The target must not lead to a private or special address (the operator can allow it: SVC_OUTBOUND_ALLOW).',
    })
  })

  it('a target that cannot be read counts as an attempt, and is logged', async () => {
    const { id, slug } = await create()
    target.answer = () => 500
    await receive(slug)
    await arrives(id, { attempts: 1, status: 500 })
    await site.sql(`update deployment set target = '::' where id = ${String(id)}`)
    await makeDue()
    await arrives(id, { state: 'failing', attempts: 2, error: 'The request could not be forwarded.' })
    expect(site.log.join('')).toContain('a request of a webhook could not be forwarded')
  })

  it('waiting deliveries go to a new target', async () => {
    const { id, slug } = await create()
    await target.stop()
    await receive(slug)
    await arrives(id, attemptedOnce)
    const next = await startTarget()
    await post('/deployments/update', { id, target: next.url })
    await makeDue()
    await arrives(id, { state: 'delivered', attempts: 2 })
    expect(next.received).toHaveLength(1)
    await next.stop()
    await target.start()
  })

  it.each([
    ['disabled', (id: number) => post('/deployments/toggle', { id, enabled: false })],
    ['without a target', (id: number) => post('/deployments/update', { id, target: null })],
  ])('a webhook that is %s sends nothing more, not even by hand', async (_, change) => {
    const { id, slug } = await create()
    target.answer = () => 500
    await receive(slug)
    await arrives(id, attemptedOnce)
    await change(id)
    await makeDue()
    const error = 'The webhook has been disabled, has no target, or its account has been stopped.'
    await arrives(id, { state: 'given_up', error })
    expect(target.received).toHaveLength(1)
    expect((await post('/deployments/requests/redeliver', { id, request_id: 1 })).status).toBe(400)
  })

  describe('redelivery by hand', () => {
    it('sends a request again, with all attempts', async () => {
      const { id, slug } = await create()
      target.answer = () => 410
      await receive(slug)
      await arrives(id, { state: 'given_up' })
      target.answer = () => 200
      const answer = await post('/deployments/requests/redeliver', { id, request_id: 1 })
      expect(answer.body['data']).toEqual({ id, request_id: 1, redelivered: true })
      await arrives(id, { state: 'delivered', attempts: 1 })
      expect(target.received.map(({ body }) => body.toString())).toEqual(['hello', 'hello'])
    })

    it('sends a request that was received before the webhook had a target', async () => {
      const { id, slug } = await create({ target: undefined })
      await receive(slug)
      expect(await delivery(id)).toBeNull()
      const refused = await post('/deployments/requests/redeliver', { id, request_id: 1 })
      expect(refused.body['message']).toBe('id is a webhook without a target: set one first.')
      await post('/deployments/update', { id, target: target.url })
      await post('/deployments/requests/redeliver', { id, request_id: 1 })
      await arrives(id, { state: 'delivered' })
    })

    it('is refused for a body that was cut, for an unknown request, and for another kind', async () => {
      const { id, slug } = await create({ target: undefined })
      await receive(slug, 'a'.repeat(262_145))
      await post('/deployments/update', { id, target: target.url })
      const cut = await post('/deployments/requests/redeliver', { id, request_id: 1 })
      expect([cut.status, cut.body['message']]).toEqual([
        400,
        'request_id is a request whose body was longer than what is kept: it cannot be forwarded.',
      ])
      expect((await post('/deployments/requests/redeliver', { id, request_id: 2 })).status).toBe(404)
      const form = (await post('/deployments/create', { kind: 'form' })).body['data'].id
      const other = await post('/deployments/requests/redeliver', { id: form, request_id: 1 })
      expect([other.status, other.body['message']]).toEqual([400, 'id must be the id of a webhook, not of a form.'])
    })
  })

  it('does not forward a request that webhooks have forwarded four times', async () => {
    const { id, slug } = await create()
    const forward = (hops: string) =>
      send(site.url, 'POST', `/h/${slug}`, { headers: { ...onContent, 'webhook-hops': hops } })
    await forward('4')
    await forward('3')
    await arrives(id, { state: 'delivered' }, 2)
    expect(target.received.map(({ headers }) => headers['webhook-hops'])).toEqual(['4'])
    const error = 'Webhooks that forward to each other have sent the request in a loop.'
    expect(await delivery(id, 1)).toMatchObject({ state: 'given_up', attempts: 0, error })
  })

  const tooManyWait = 'id cannot be redelivered to now: too many deliveries of the webhook or of the account wait.'

  it('stores requests without forwarding them while 5,000 of the account are waiting', async () => {
    const { id, slug } = await create()
    await site.sql('delete from webhook_delivery where due_at is not null')
    await site.sql(
      `insert into webhook_delivery (deployment_id, request_id, account_id, host, state, due_at, attempts, updated_at)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 5000)
      select 0, n, (select account_id from deployment where id = ${String(id)}), 'x', 'waiting', 99999999999999, 0, 0 from numbers`,
    )
    await receive(slug)
    const error = '5000 requests of the account were waiting for their targets.'
    expect(await delivery(id)).toMatchObject({ state: 'given_up', attempts: 0, error })
    expect((await post('/deployments/requests/redeliver', { id, request_id: 1 })).body['message']).toBe(tooManyWait)
    await site.sql('delete from webhook_delivery where deployment_id = 0 and request_id = 1')
    await receive(slug)
    await arrives(id, { state: 'delivered' }, 2)
    await site.sql('delete from webhook_delivery where deployment_id = 0')
  })

  it('stores requests without forwarding them while 500 are waiting', async () => {
    const { id, slug } = await create({ target: 'http://127.0.0.1:9999/' })
    await receive(slug)
    await arrives(id, attemptedOnce)
    const values = Array.from(
      { length: 499 },
      (_, n) => `(${String(id)}, ${String(-n)}, 1, 'x', 'waiting', 99999999999999, 0, 0)`,
    )
    await site.sql(
      `insert into webhook_delivery (deployment_id, request_id, account_id, host, state, due_at, attempts, updated_at) values ${values.join(',')}`,
    )
    await receive(slug)
    expect(await delivery(id, 2)).toEqual({
      state: 'given_up',
      attempts: 0,
      attempts_max: 8,
      next_attempt_at: null,
      status: null,
      error: '500 requests were waiting for the target.',
    })
    const refused = await post('/deployments/requests/redeliver', { id, request_id: 2 })
    expect(refused.body['message']).toBe(tooManyWait)
  })
})
