import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type Envelope } from '../../../test/app.js'
import { onContent, startDeployments, type Deployments } from '../../../test/deployments.js'
import type { Browser } from '../../../test/site.js'
import { dateOf, dayOf } from '../../shared/days.js'
import { useRetentionJob } from './use-count-store.js'

/** Uses of deployments by day, as the console shows them. */

const target = 'https://example.com/'

describe.each(databaseKinds)('uses by day on %s', (kind) => {
  let site: Deployments
  beforeAll(async () => {
    site = await startDeployments(kind)
  })
  afterAll(() => site.stop())

  const use = async (method: string, path: string) => {
    const sent = method === 'POST' ? { headers: { 'content-type': 'application/json' }, body: '{"a":"b"}' } : {}
    expect((await onContent(site, method, path, sent)).status).toBeLessThan(400)
  }
  const read = (id: number, query = '', browser: Browser = site.ada) =>
    browser.call('GET', `/deployments/${String(id)}/uses${query}`)
  const daysOf = async (id: number, query?: string) => {
    const answer = await read(id, query)
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'].days as Envelope[]
  }
  const usesOf = async (id: number, query?: string) => (await daysOf(id, query)).map(({ uses }) => Number(uses))
  const today = () => dayOf(Date.now())
  const rowsOf = (id: number) => site.sql(`select * from deployment_use_day where deployment_id = ${String(id)}`)
  const hourRowsOf = (id: number) => site.sql(`select * from deployment_use_hour where deployment_id = ${String(id)}`)
  /** Changes the day of today's counts to an earlier one. */
  const age = (id: number, days: number) =>
    site.sql(`update deployment_use_day set day = day - ${String(days)} where deployment_id = ${String(id)}`)

  it('the uses of a new deployment are zeros for the last 30 days, the oldest first', async () => {
    const { id } = await site.create({ kind: 'form' })
    const expected = Array.from({ length: 30 }, (_, index) => ({
      day: dateOf(today() - 29 + index),
      uses: 0,
      failures: 0,
    }))
    expect(await daysOf(id)).toEqual(expected)
  })

  it.each([
    ['submissions of a form', 'POST', { kind: 'form' }],
    ['requests of a webhook', 'POST', { kind: 'webhook' }],
    ['redirects of a short link', 'GET', { kind: 'shortlink', target }],
    ['redirects of a short link with a maximum', 'GET', { kind: 'shortlink', target, shortlink: { max_uses: 5 } }],
  ])('the uses count the %s, on the day of each', async (_, method, fields) => {
    const { id, url } = await site.create(fields)
    const { pathname } = new URL(url)
    const counted = (days: readonly number[]) =>
      vi.waitFor(async () => expect(await usesOf(id, '?days=4')).toEqual(days), { timeout: 10_000, interval: 100 })
    await use(method, pathname)
    await counted([0, 0, 0, 1])
    await age(id, 2)
    await use(method, pathname)
    await use(method, pathname)
    await counted([0, 1, 0, 2])
    expect(await site.usesOf(id)).toBe(3)
  })

  const hoursOf = async (id: number): Promise<Envelope[]> => {
    const answer = await site.ada.call('GET', `/deployments/${String(id)}/uses/hours`)
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'].hours as Envelope[]
  }
  const sumOf = async (id: number, count: 'uses' | 'failures' | 'uses_week_before') =>
    (await hoursOf(id)).reduce((sum, hour) => sum + Number(hour[count]), 0)

  it('the hours of a new deployment are the last 24, the oldest first, the current one included', async () => {
    const { id } = await site.create({ kind: 'form' })
    const hours = await hoursOf(id)
    const last = Date.parse(String(hours[23]?.['start']))
    expect(Date.now() - last).toBeLessThan(3_600_000 + 10_000)
    expect(hours).toEqual(
      Array.from({ length: 24 }, (_, index) => ({
        start: new Date(last - (23 - index) * 3_600_000).toISOString(),
        uses: 0,
        failures: 0,
        uses_week_before: 0,
      })),
    )
  })

  it.each([
    ['submissions of a form', 'POST', { kind: 'form' }],
    ['requests of a webhook', 'POST', { kind: 'webhook' }],
    ['redirects of a short link', 'GET', { kind: 'shortlink', target }],
    ['redirects of a short link with a maximum', 'GET', { kind: 'shortlink', target, shortlink: { max_uses: 9 } }],
  ])('the hours count the %s, beside those of the same hour a week before', async (_, method, fields) => {
    const { id, url } = await site.create(fields)
    const { pathname } = new URL(url)
    const counted = (uses: number, weekBefore: number) =>
      vi.waitFor(
        async () => expect([await sumOf(id, 'uses'), await sumOf(id, 'uses_week_before')]).toEqual([uses, weekBefore]),
        { timeout: 10_000, interval: 100 },
      )
    const moveHours = (by: number) =>
      site.sql(`update deployment_use_hour set hour = hour - ${String(by)}, slot = (hour - ${String(by)}) % 192
        where deployment_id = ${String(id)}`)
    await use(method, pathname)
    await use(method, pathname)
    await counted(2, 0)
    await moveHours(7 * 24)
    await use(method, pathname)
    await counted(1, 2)
    // The slot of the hour has the count of eight days ago now.
    await site.sql(`delete from deployment_use_hour where deployment_id = ${String(id)} and uses = 2`)
    await moveHours(8 * 24)
    await counted(0, 0)
    await use(method, pathname)
    await counted(1, 0)
  })

  it('the uses count no redirect beyond the maximum', async () => {
    const { id, url } = await site.create({ kind: 'shortlink', target, shortlink: { max_uses: 1 } })
    const { pathname } = new URL(url)
    await use('GET', pathname)
    expect((await onContent(site, 'GET', pathname)).status).toBe(404)
    expect(await usesOf(id, '?days=1')).toEqual([1])
  })

  it('the uses end with the deployment', async () => {
    const { id, url } = await site.create({ kind: 'form' })
    await use('POST', new URL(url).pathname)
    expect(await rowsOf(id)).toHaveLength(1)
    expect(await hourRowsOf(id)).toHaveLength(1)
    await site.ada.call('POST', '/deployments/delete', { body: { id } })
    expect((await read(id)).status).toBe(404)
    expect([...(await rowsOf(id)), ...(await hourRowsOf(id))]).toEqual([])
  })

  it('403 for a deployment of another account, 404 for an unknown one', async () => {
    const { id } = await site.create({ kind: 'form' })
    await site.account('eve@example.com')
    const eve = await site.browser('eve@example.com')
    expect([(await read(id, '', eve)).status, (await read(999_999)).status]).toEqual([403, 404])
  })

  it.each(['days=0', 'days=91', 'days=x', 'days='])('400 for the query %s', async (query) => {
    const { id } = await site.create({ kind: 'form' })
    expect((await read(id, `?${query}`)).status).toBe(400)
  })

  it('the uses of all deployments are kept for 90 days', async () => {
    const { id } = await site.create({ kind: 'form' })
    // More than one transaction removes.
    await site.sql(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
      insert into deployment (account_id, kind, slug, enabled, uses, kept, settings, created_at, updated_at)
        select account_id, 'form', 'many-' || i, 1, 0, 0, '{}', 1, 1 from n, deployment where deployment.id = ${String(id)}`)
    const insert = (day: number, condition: string) =>
      site.sql(
        `insert into deployment_use_day (deployment_id, day, uses) select id, ${String(day)}, 7 from deployment where ${condition}`,
      )
    await insert(today() - 91, `slug like 'many-%'`)
    for (const ago of [91, 90, 89]) await insert(today() - ago, `id = ${String(id)}`)
    const job = useRetentionJob(site.app.database)
    const old = async () =>
      (await site.sql(`select * from deployment_use_day where day < ${String(today() - 90)}`)).length
    await job.run(AbortSignal.abort())
    expect(await old()).toBe(1_101)
    await job.run(new AbortController().signal)
    expect(await old()).toBe(0)
    expect(await usesOf(id, '?days=90')).toEqual([7, ...Array<number>(89).fill(0)])
    expect(await rowsOf(id)).toHaveLength(2)
  })
})
