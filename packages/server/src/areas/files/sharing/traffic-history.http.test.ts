import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import { dateOf, dayOf } from '../../../shared/days.js'
import { trafficRetentionJob } from './traffic-day-store.js'
import { trafficStore } from './traffic-store.js'

/** Requests for shared files by day, as the console shows them. */

const one = { requests: 3, hits: 1, misses: 1, bytesServed: 10 }
const shown = { requests: 3, hits: 1, misses: 1, bytes_served: 10 }
const zero = { requests: 0, hits: 0, misses: 0, bytes_served: 0 }
const twice = { requests: 6, hits: 2, misses: 2, bytes_served: 20 }

describe.each(databaseKinds)('requests by day on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let ada: Browser
  let accounts = 0
  const newBrowser = async () => {
    const email = `ada${String(++accounts)}@example.com`
    await site.account(email)
    return site.browser(email)
  }
  beforeEach(async () => {
    ada = await newBrowser()
  })

  const share = async (browser = ada) => {
    const body = { name: 'a.txt', content: 'aGVsbG8=', shared: true }
    const made = (await browser.call('POST', '/files/upload', { body })).body['data']
    return { id: made.id as number, key: String(made.share_url).split('/').at(-2)! }
  }
  const count = (...ids: readonly number[]) => trafficStore(site.app.database).add(ids.map((id) => [id, one]))
  const read = (query = '', browser = ada) => browser.call('GET', `/files/traffic${query}`)
  const daysOf = async (query = '', browser = ada) => {
    const answer = await read(query, browser)
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'].days as Envelope[]
  }
  const today = () => dayOf(Date.now())
  /** Changes the day of today's counts of a file and of its account to an earlier one. */
  async function age(id: number, days: number): Promise<void> {
    await site.sql(`update file_traffic_day set day = day - ${String(days)} where file_id = ${String(id)}`)
    await site.sql(`update account_traffic_day set day = day - ${String(days)} where account_id =
      (select account_id from file where id = ${String(id)})`)
  }

  it('requests by day are zeros for the last 30 days, the oldest first, in an account without requests', async () => {
    const days = await daysOf()
    expect(days).toEqual(Array.from({ length: 30 }, (_, index) => ({ day: dateOf(today() - 29 + index), ...zero })))
  })

  it('requests by day are those of one file, and the sums of all files of the account', async () => {
    const [first, second, other] = [await share(), await share(), await share(await newBrowser())]
    await count(first.id)
    await age(first.id, 2)
    await count(first.id, second.id, other.id)
    await count(second.id)
    expect(await daysOf(`?days=4&id=${String(first.id)}`)).toMatchObject([zero, shown, zero, shown])
    expect(await daysOf(`?days=2&id=${String(second.id)}`)).toMatchObject([zero, twice])
    expect((await daysOf('?days=4')).map(({ requests }) => Number(requests))).toEqual([0, 3, 0, 9])
  })

  it('requests by day include those of the log of an edge', async () => {
    const { key } = await share()
    await trafficStore(site.app.database).addForLinks([[key, one]])
    expect(await daysOf('?days=1')).toEqual([{ day: dateOf(today()), ...shown }])
  })

  it('requests stay in the sums when the file is deleted', async () => {
    const { id } = await share()
    await count(id)
    await ada.call('POST', '/files/delete', { body: { id } })
    await count(id)
    expect(await daysOf('?days=1')).toMatchObject([shown])
    expect((await read(`?id=${String(id)}`)).status).toBe(404)
  })

  it('requests stay when the file is no longer shared', async () => {
    const { id } = await share()
    await count(id)
    await ada.call('POST', '/files/update', { body: { id, shared: false } })
    expect(await daysOf(`?days=1&id=${String(id)}`)).toMatchObject([shown])
  })

  it('403 for a file of another account, whose requests are in no other sum', async () => {
    const eve = await newBrowser()
    const { id } = await share(eve)
    await count(id)
    expect((await read(`?id=${String(id)}`)).status).toBe(403)
    expect(await daysOf('?days=1')).toMatchObject([zero])
  })

  it.each(['days=0', 'days=91', 'days=-1', 'days=x', 'days=1.5', 'days=', 'id=0', 'id=x'])(
    '400 for the query %s',
    async (query) => {
      expect((await read(`?${query}`)).status).toBe(400)
    },
  )

  it('requests by day are kept for 90 days', async () => {
    const { id } = await share()
    for (const days of [1, 3, 89]) {
      await count(id)
      await age(id, days)
    }
    // 93, 92 and 89 days ago.
    await count(id)
    const job = trafficRetentionJob(site.app.database)
    const rows = async (table: string) =>
      (await site.sql(`select day from ${table} where day < ${String(today() - 90)}`)).length
    await job.run(AbortSignal.abort())
    expect([await rows('file_traffic_day'), await rows('account_traffic_day')]).toEqual([2, 2])
    await job.run(new AbortController().signal)
    expect([await rows('file_traffic_day'), await rows('account_traffic_day')]).toEqual([0, 0])
    for (const query of ['?days=90', `?days=90&id=${String(id)}`]) {
      const days = await daysOf(query)
      expect([days.length, days[0], days.at(-1)]).toMatchObject([90, shown, shown])
    }
  })
})
