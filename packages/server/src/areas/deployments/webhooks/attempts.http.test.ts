import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { send } from '../../../../test/raw-http.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import { startTarget, type TargetServer } from '../../../../test/target-server.js'
import { attemptsKept } from '../../../ports/outbound/deliveries/attempt.js'

/** What the console shows of the attempts to forward requests, and how failed ones begin again together. */

describe.each(databaseKinds)('attempts on %s', (kind) => {
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
    expect((await send(site.url, 'POST', `/h/${slug}`, { headers: { host: 'content.localhost' }, body })).status).toBe(
      200,
    )
  const request = async (id: number, requestId = 1) =>
    (await ada.call('GET', `/deployments/${String(id)}/requests/${String(requestId)}`)).body['data']
  const arrives = (id: number, expected: object, requestId = 1) =>
    expect.poll(async () => (await request(id, requestId)).delivery).toMatchObject(expected)
  const makeDue = () => site.sql('update webhook_delivery set due_at = 1 where due_at is not null')
  /** A webhook whose target answers 410 to one request: it is given up at once. */
  const givenUp = async () => {
    const webhook = await create()
    target.answer = () => 410
    await receive(webhook.slug)
    await arrives(webhook.id, { state: 'given_up', attempts: 1 })
    return webhook
  }
  const listed = async (id: number) =>
    (await ada.call('GET', '/deployments')).body['data'].deployments.find((one: { id: number }) => one.id === id)

  it('failed attempts are counted on their day and in their hour, beside the requests', async () => {
    const { id, slug } = await create()
    target.answer = () => 503
    await receive(slug)
    await arrives(id, { state: 'failing', attempts: 1 })
    await makeDue()
    await expect.poll(async () => (await request(id)).history.length).toBe(2)
    target.answer = () => 200
    await makeDue()
    await arrives(id, { state: 'delivered' })
    const read = async (path: string) =>
      (await ada.call('GET', `/deployments/${String(id)}/uses${path}`)).body['data'] as Record<
        string,
        { uses: number; failures: number }[]
      >
    for (const entries of [(await read('?days=2'))['days'], (await read('/hours'))['hours']]) {
      expect(entries?.reduce((sum, { uses }) => sum + uses, 0)).toBe(1)
      expect(entries?.reduce((sum, { failures }) => sum + failures, 0)).toBe(2)
    }
  })

  it('a request has its attempts, newest first, with status or error, duration, and the start of the answer', async () => {
    const { id, slug } = await create()
    const before = Date.now()
    target.answer = () => 503
    target.body = '<h1>Down</h1>'
    await receive(slug)
    await arrives(id, { state: 'failing', attempts: 1, attempts_max: 8 })
    await target.stop()
    await makeDue()
    await arrives(id, { state: 'failing', attempts: 2, error: 'The target refused the connection.' })
    await target.start()
    target.answer = () => 200
    await makeDue()
    await arrives(id, { state: 'delivered', attempts: 3 })

    const { history } = await request(id)
    expect(history).toMatchObject([
      { status: 200, error: null, answer: '<h1>Down</h1>' },
      { status: null, error: 'The target refused the connection.', answer: null },
      { status: 503, error: 'The target answered 503.', answer: '<h1>Down</h1>' },
    ])
    for (const { started_at, duration_ms } of history) {
      expect(Date.parse(started_at)).toBeGreaterThanOrEqual(before)
      expect(duration_ms).toBeLessThan(10_000)
    }
  })

  it('an answer of any bytes is stored as text of 1 KiB', async () => {
    const { id, slug } = await create()
    target.body = Buffer.concat([Buffer.from('a\0b'), Buffer.alloc(5000, 0xff)])
    await receive(slug)
    await arrives(id, { state: 'delivered' })
    expect((await request(id)).history[0].answer).toBe(`a\ufffdb${'\ufffd'.repeat(1021)}`)
  })

  it('forwarding a request again keeps its attempts', async () => {
    const { id } = await givenUp()
    target.answer = () => 200
    await post('/deployments/requests/redeliver', { id, request_id: 1 })
    await arrives(id, { state: 'delivered', attempts: 1, error: null })
    expect((await request(id)).history).toMatchObject([{ status: 200 }, { status: 410 }])
  })

  it('keeps the last attempts of a request, and drops the oldest', async () => {
    const { id } = await givenUp()
    await site.sql(`update webhook_delivery set recorded = ${String(attemptsKept)} where deployment_id = ${String(id)}`)
    const values = Array.from(
      { length: attemptsKept - 1 },
      (_, n) => `(${String(id)}, 1, ${String(n + 1)}, ${String(n)}, 0)`,
    )
    const columns = 'deployment_id, request_id, slot, started_at, duration_ms'
    await site.sql(`insert into webhook_attempt (${columns}) values ${values.join(',')}`)
    expect((await request(id)).history).toHaveLength(attemptsKept)
    target.answer = () => 200
    await post('/deployments/requests/redeliver', { id, request_id: 1 })
    await arrives(id, { state: 'delivered' })
    const { history } = await request(id)
    expect(history).toHaveLength(attemptsKept)
    expect(history.map(({ status }: { status: number | null }) => status)).toEqual([
      200,
      ...Array.from(values, () => null),
    ])
  })

  it('removes the attempts of a request with it', async () => {
    const { id, slug } = await givenUp()
    const kept = () => site.sql(`select request_id from webhook_attempt where deployment_id = ${String(id)}`)
    expect(await kept()).toEqual([{ request_id: 1 }])
    await site.sql(`update deployment set uses = 501 where id = ${String(id)}`)
    target.answer = () => 200
    await receive(slug)
    await arrives(id, { state: 'delivered' }, 502)
    expect(await kept()).toEqual([{ request_id: 502 }])
  })

  describe('webhooks whose deliveries fail', () => {
    it('the list and the requests show how many fail and since when, until the target has accepted them', async () => {
      const { id, slug } = await create()
      expect((await listed(id)).failing).toBeNull()
      const before = Date.now()
      target.answer = ({ body }) => (body.toString() === 'gone' ? 410 : 500)
      await receive(slug)
      await receive(slug, 'gone')
      await arrives(id, { state: 'failing' })
      await arrives(id, { state: 'given_up' }, 2)
      const { failing } = await listed(id)
      expect(failing.count).toBe(2)
      expect(Date.parse(failing.since)).toBeGreaterThanOrEqual(before)
      expect((await ada.call('GET', `/deployments/${String(id)}/requests`)).body['data'].failing).toEqual(failing)
      // A further failure changes nothing.
      await makeDue()
      await expect.poll(async () => (await request(id)).history.length).toBeGreaterThanOrEqual(2)
      expect((await listed(id)).failing).toEqual(failing)
      target.answer = () => 200
      // Again and again: a failure that is under way would make the next attempt due in a minute.
      const afterNext = async () => {
        await makeDue()
        return (await request(id)).delivery
      }
      await expect.poll(afterNext).toMatchObject({ state: 'delivered' })
      expect((await listed(id)).failing.count).toBe(1)
      await post('/deployments/requests/redeliver', { id, request_id: 2 })
      await arrives(id, { state: 'delivered' }, 2)
      expect((await listed(id)).failing).toBeNull()
    })

    it('forms and short links have no failing deliveries', async () => {
      const form = (await post('/deployments/create', { kind: 'form' })).body['data']
      expect((await listed(form.id)).failing).toBeNull()
    })

    it('counts at most 100', async () => {
      const { id } = await givenUp()
      await site.sql(
        `insert into webhook_delivery (deployment_id, request_id, account_id, host, state, attempts, updated_at, failing_since)
        with recursive numbers(n) as (select 2 union all select n + 1 from numbers where n < 150)
        select ${String(id)}, n, (select account_id from deployment where id = ${String(id)}), 'x', 'failed', 8, 0, 5 from numbers`,
      )
      expect((await listed(id)).failing).toEqual({ count: 100, since: '1970-01-01T00:00:00.005Z' })
    })
  })

  describe('forwarding all that failed again', () => {
    const again = async (id: number) => {
      const { status, body } = await post('/deployments/requests/redeliver-failed', { id })
      return { status, message: body['message'] as unknown, data: body['data'] as unknown }
    }

    it('begins those given up and those that wait for their next attempt, and no others', async () => {
      const { id, slug } = await create()
      target.answer = ({ body }) => ({ gone: 410, down: 500 })[body.toString()] ?? 200
      for (const body of ['gone', 'down', 'fine']) await receive(slug, body)
      await arrives(id, { state: 'given_up' }, 1)
      await arrives(id, { state: 'failing' }, 2)
      await arrives(id, { state: 'delivered' }, 3)
      target.answer = () => 200
      expect(await again(id)).toMatchObject({ status: 200, data: { id, redelivered: 2 } })
      for (const each of [1, 2]) await arrives(id, { state: 'delivered', attempts: 1 }, each)
      expect(target.received.map(({ body }) => body.toString()).toSorted()).toEqual([
        'down',
        'down',
        'fine',
        'gone',
        'gone',
      ])
      expect((await request(id)).history).toMatchObject([{ status: 200 }, { status: 410 }])
      expect(await again(id)).toMatchObject({ status: 200, data: { id, redelivered: 0 } })
    })

    /** Adds requests whose deliveries were given up. */
    const addFailed = async (id: number, from: number, to: number) => {
      const owner = `(select account_id from deployment where id = ${String(id)})`
      const numbers = `with recursive numbers(n) as (select ${String(from)} union all select n + 1 from numbers where n < ${String(to)})`
      await site.sql(
        `insert into webhook_delivery (deployment_id, request_id, account_id, host, state, attempts, updated_at, failing_since)
        ${numbers} select ${String(id)}, n, ${owner}, 'old', 'failed', 8, 0, n from numbers`,
      )
      const body = kind === 'sqlite' ? `x''` : `cast('' as bytea)`
      await site.sql(
        `insert into webhook_request (deployment_id, id, received_at, method, path, query, ip, size, truncated, headers, body)
        ${numbers} select ${String(id)}, n, 0, 'POST', '', '', '', 0, 0, '[]', ${body} from numbers`,
      )
    }
    const waiting = async (id: number) =>
      (
        await site.sql(
          `select request_id from webhook_delivery where due_at is not null and deployment_id = ${String(id)}`,
        )
      ).length

    it('begins hundreds in batches, as many as may wait', async () => {
      const { id } = await create()
      // Two at a time are under way, and wait too.
      target.answer = () => undefined
      await addFailed(id, 1, 620)
      expect(await again(id)).toMatchObject({ data: { redelivered: 500 } })
      expect(await waiting(id)).toBe(500)
      await addFailed(id, 700, 700)
      expect(await again(id)).toMatchObject({
        status: 400,
        message: 'id cannot be redelivered to now: too many deliveries of the webhook or of the account wait.',
      })
      await site.sql(`delete from webhook_delivery where deployment_id = ${String(id)}`)
    })

    it('leaves out a request whose body was cut', async () => {
      const { id } = await givenUp()
      await site.sql(`update webhook_request set truncated = 1 where deployment_id = ${String(id)}`)
      expect(await again(id)).toMatchObject({ data: { redelivered: 0 } })
    })

    it('is refused for a webhook that is disabled or has no target, and for another kind', async () => {
      const { id } = await givenUp()
      await post('/deployments/toggle', { id, enabled: false })
      expect(await again(id)).toMatchObject({
        status: 400,
        message: 'id is a webhook that is disabled: enable it first.',
      })
      await post('/deployments/update', { id, target: null })
      expect(await again(id)).toMatchObject({
        status: 400,
        message: 'id is a webhook without a target: set one first.',
      })
      const form = (await post('/deployments/create', { kind: 'form' })).body['data'].id
      expect(await again(form)).toMatchObject({
        status: 400,
        message: 'id must be the id of a webhook, not of a form.',
      })
    })
  })
})
