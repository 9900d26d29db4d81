import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventReader } from '../../test/account-events.js'
import { databaseKinds } from '../../test/app.js'
import { startSite, type Site } from '../../test/site.js'
import type { Account } from '../shared/account.js'
import { eventRetention, type EventLimits } from './retention.js'
import { keptEvents } from './retention-store.js'

const dayMs = 86_400_000

describe.each(databaseKinds)('the retention of events on %s', (kind) => {
  let site: Site
  let account: Account
  let events: Awaited<ReturnType<typeof eventReader>>
  let count = 0
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())
  beforeEach(async () => {
    account = await site.account(`ada${String(++count)}@example.com`)
    events = await eventReader(site, account)
    await site.sql('delete from account_event')
    await site.sql('delete from operator_event')
  })

  const run = (limits: EventLimits, signal = new AbortController().signal) =>
    eventRetention(site.app.database, limits).run(signal)
  const add = async (ages: readonly number[], id = account.id, area = 'dns') => {
    const rows = ages.map(
      (days) =>
        `(${String(id)}, ${String(Date.now() - days * dayMs)}, '${area}', 'sign_in', '${String(days)}', 'session', 'console')`,
    )
    await site.sql(
      `insert into account_event (account_id, at, area, action, object, actor_kind, actor_name) values ${rows.join()}`,
    )
  }
  const objects = async () => (await events.all()).map(({ object }) => object)

  it('removes events that are older than the setting, also behind one that was written while the clock was ahead', async () => {
    await add([40, -40, 35, 31, 20, 1])
    await run({ historyDays: 36 })
    expect(await objects()).toEqual(['1', '20', '31', '35', '-40'])
    await run({ historyDays: 30 })
    expect(await objects()).toEqual(['1', '20', '-40'])
  })

  it('removes more than one transaction does', async () => {
    await add(Array.from({ length: 1_700 }, () => 40))
    await add([1])
    await run({ historyDays: 30 })
    expect(await objects()).toEqual(['1'])
  })

  it('removes the oldest events of an account that has too many, and none of the others', async () => {
    const other = await site.account(`bob${String(count)}@example.com`)
    await site.sql('delete from account_event')
    await add([9, 8])
    await add([9], other.id)
    await add(Array.from({ length: 1_200 }, () => 2))
    await add([1])
    await run({ historyDays: 0, eventsMax: 1_201 })
    expect(await objects()).toHaveLength(1_000)
    expect((await events.all('?limit=1'))[0]!.object).toBe('1')
    expect(await keptEvents(site.app.database, 'account_event')).toMatchObject({ count: 1_202 })
    expect(await site.sql(`select object from account_event where account_id = ${String(other.id)}`)).toEqual([
      { object: '9' },
    ])
    await run({ historyDays: 0, eventsMax: 3 })
    expect(await objects()).toEqual(['1', '2', '2'])
  })

  it('keeps sign-ins and tokens behind the newest events of an account, and of those the newest ones', async () => {
    const limits = { historyDays: 0, eventsMax: 1_000, olderMax: 700 }
    await add(
      Array.from({ length: 900 }, (_, i) => 3_000 - i),
      account.id,
      'account',
    )
    await add(Array.from({ length: 1_100 }, () => 1))
    await run(limits)
    const kept = await site.sql('select area, count(*) as n from account_event group by area order by area')
    expect(kept.map(({ area, n }) => [area, Number(n)])).toEqual([
      ['account', 700],
      ['dns', 1_000],
    ])
    const [oldest] = await site.sql("select object from account_event where area = 'account' order by id limit 1")
    expect(oldest).toEqual({ object: '2800' })
    await run(limits)
    expect(await keptEvents(site.app.database, 'account_event')).toMatchObject({ count: 1_700 })
  })

  it("removes old events of the operator's commands", async () => {
    const at = (days: number) => String(Date.now() - days * dayMs)
    await site.sql(`insert into operator_event (at, command, object, os_user) values
      (${at(40)}, 'svc plan set', 'a', 'root'), (${at(1)}, 'svc plan set', 'b', 'root')`)
    await run({ historyDays: 30 })
    expect(await site.sql('select object from operator_event')).toEqual([{ object: 'b' }])
  })

  it("keeps the newest rows of the operator's journal", async () => {
    const values = Array.from({ length: 1_210 }, (_, i) => `(1, 'svc plan set', '${String(i)}', 'root')`)
    await site.sql(`insert into operator_event (at, command, object, os_user) values ${values.join()}`)
    await run({ historyDays: 0, operatorMax: 10 })
    const left = await site.sql('select object from operator_event order by id')
    expect(left.map(({ object }) => object)).toEqual(Array.from({ length: 10 }, (_, i) => String(1_200 + i)))
  })

  it('removes events of accounts that do not exist, and none of others', async () => {
    const gone = await site.account(`gone${String(count)}@example.com`)
    const last = await site.account(`last${String(count)}@example.com`)
    await site.sql(`delete from account where id = ${String(gone.id)}`)
    await site.sql('delete from account_event')
    await add([3, 2, 1])
    await add(
      Array.from({ length: 1_100 }, () => 1),
      gone.id,
    )
    for (const id of [last.id + 1, last.id + 2, last.id + 1_000_000]) await add([1], id)
    await run({ historyDays: 0 })
    expect(await site.sql('select distinct account_id from account_event')).toHaveLength(1)
    expect(await objects()).toEqual(['1', '2', '3'])
  })

  it('keeps everything with the setting 0, and stops when the server stops', async () => {
    await add([4_000, 1])
    await run({ historyDays: 0 })
    await run({ historyDays: 1, eventsMax: 1 }, AbortSignal.abort())
    expect(await objects()).toEqual(['1', '4000'])
  })
})
