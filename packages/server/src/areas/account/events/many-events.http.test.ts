import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventReader } from '../../../../test/account-events.js'
import { databaseKinds, type DatabaseKind } from '../../../../test/app.js'
import { openSocket } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'
import type { Account } from '../../../shared/account.js'
import { tokenStore } from '../tokens/store.js'

const count = 100_000
/** How many events another account has for each one of the account. */
const othersForEach = process.env['SVC_TEST_LONG'] === '1' ? 10 : 1

/** Events of two accounts, so that their ids alternate. The token of the second one is 4242. */
const fill = (kind: DatabaseKind, one: number, two: number) => {
  const all = String((1 + othersForEach) * count)
  const numbers =
    kind === 'postgres'
      ? `generate_series(1, ${all}) as numbers (i)`
      : `(with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${all}) select i from numbers)`
  const of = (ada: string, other: string) =>
    `case when i % ${String(1 + othersForEach)} = 0 then ${ada} else ${other} end`
  return `insert into account_event (account_id, at, area, action, object, actor_kind, actor_name, actor_id, after)
    select ${of(String(one), String(two))}, ${String(Date.now())} + i, 'cred', 'credential_read', ${of("'own'", "'foreign'")},
      'token', 'deploy', ${of('7', '4242')}, '{"count":1}' from ${numbers} order by i`
}

/** Runs work. @returns the CPU time of its longest turn of the event loop, in milliseconds: other processes do not count in it */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let isOver = false
  let before = process.cpuUsage()
  const tick = () => {
    const { user, system } = process.cpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.cpuUsage()
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  await work()
  isOver = true
  return longest
}

describe.each(databaseKinds)('100,000 events among as many or more of another account on %s', (kind) => {
  let site: Site
  let ada: Account
  let events: Awaited<ReturnType<typeof eventReader>>
  let token: string
  beforeAll(async () => {
    site = await startSite(kind)
    ada = await site.account('ada@example.com')
    const bob = await site.account('bob@example.com')
    events = await eventReader(site, ada)
    ;({ token } = await tokenStore(site.app.database).create(ada, 'lists', ['account:read']))
    await site.sql(fill(kind, ada.id, bob.id))
    if (kind === 'postgres') await site.sql('vacuum analyze account_event')
  }, 120_000)
  afterAll(() => site.stop())

  const page = async (query: string) =>
    (await site.call('GET', `/v1/account/events${query}`, { token })).body['data'] as {
      events: { id: number; object: string }[]
      next: number | null
      total: number
    }

  it('no filter that selects nothing takes 20 ms of a turn of the event loop', async () => {
    for (const query of ['?object=nothing', '?area=cred&token=9&limit=1000']) {
      const list = async () => {
        expect(await page(query)).toEqual({ events: [], next: null, total: 0 })
      }
      let longest = Infinity
      // A collection of garbage may come in between, and a busy machine takes more CPU time for the same work.
      for (let i = 0; i < 10 && longest >= 20; i++) longest = Math.min(longest, await longestTurn(list))
      expect(longest, query).toBeLessThan(20)
    }
  })

  it('a list whose client leaves is read no further, so the next one of the account begins', async () => {
    const reads = vi.spyOn(site.app.database, 'all')
    const slices = () => reads.mock.calls.filter(([, params]) => (params as { rows?: number }).rows === 500).length
    const socket = await openSocket(site.url)
    socket.on('error', () => socket.destroy())
    const head = `GET /v1/account/events?object=nothing HTTP/1.1\r\nHost: ${new URL(site.url).host}`
    socket.write(`${head}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    await vi.waitUntil(() => slices() >= 3, { interval: 1 })
    socket.resetAndDestroy()
    expect((await page('?object=nothing')).total).toBe(0)
    // A list reads 201 slices.
    expect(slices()).toBeGreaterThan(200)
    expect(slices()).toBeLessThan(350)
    reads.mockRestore()
  })

  it('no filter and no id shows an event of the other account', async () => {
    expect((await page('?object=foreign')).total).toBe(0)
    expect((await page('?token=4242')).total).toBe(0)
    for (const area of ['account', 'cred', 'dns'] as const) {
      const { total, events: shown } = await page(`?area=${area}&limit=1000`)
      expect(total).toBe(area === 'cred' ? count : area === 'account' ? 3 : 0)
      expect(shown.filter(({ object }) => object === 'foreign')).toEqual([])
    }
    const [newest] = await events.all('?area=cred&limit=1')
    for (const before of [newest!.id + 1, newest!.id, newest!.id - 1, newest!.id - 100_001]) {
      const shown = await events.all(`?area=cred&limit=3&before=${String(before)}`)
      expect(shown.map(({ object }) => object)).toEqual(['own', 'own', 'own'])
    }
  })
})
