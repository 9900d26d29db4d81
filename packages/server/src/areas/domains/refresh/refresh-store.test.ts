import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { postgresSession } from '../../../../test/postgres-session.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { portfolioStore, type PortfolioStore } from '../portfolio/store.js'
import type { FreshRegistration } from '../portfolio/registration.js'
import { refreshStore } from './refresh-store.js'

const at = Date.UTC(2026, 10, 20)
const day = 24 * 60 * 60_000
const fresh = (registrar: string): FreshRegistration => ({
  registrar,
  createdAt: null,
  expiresAt: at,
  nameservers: [],
  statuses: [],
})

describe.each(databaseKinds)('answers of registries on %s', (kind) => {
  let site: TwoProcesses
  let portfolio: PortfolioStore
  let clock: number
  beforeAll(async () => {
    site = await twoProcesses(kind)
    portfolio = portfolioStore(site.db, 10)
  })
  afterAll(() => site.stop())
  beforeEach(async () => {
    clock = at + 10
    await runSql(site.config, 'delete from domain')
  })

  const registrarOf = async (person: number, name: string) =>
    (await portfolio.find(site.people[person]!, name)).registrar

  it('an older answer changes nothing, but a new row of another account gets the known data', async () => {
    const store = refreshStore(site.db, () => clock)
    await portfolio.add(site.people[0]!, ['a.com'])
    await store.save('a.com', fresh('new'), at + 1, at)
    await portfolio.add(site.people[1]!, ['a.com'])
    await store.save('a.com', fresh('old'), at, at)
    expect([await registrarOf(0, 'a.com'), await registrarOf(1, 'a.com')]).toEqual(['new', 'new'])
    expect(await portfolio.find(site.people[1]!, 'a.com')).toMatchObject({ synced_at: '2026-11-20T00:00:00.001Z' })
  })

  it('an answer replaces one whose time is in the future', async () => {
    const store = refreshStore(site.db, () => clock)
    await portfolio.add(site.people[0]!, ['ahead.com'])
    clock = at + 365 * day
    await store.save('ahead.com', fresh('ahead'), clock, at)
    clock = at + 1
    await store.save('ahead.com', fresh('now'), clock, at)
    expect(await portfolio.find(site.people[0]!, 'ahead.com')).toMatchObject({
      registrar: 'now',
      synced_at: '2026-11-20T00:00:00.001Z',
    })
  })

  // SQLite has one writer at a time.
  const withRowLocks = kind === 'postgres' ? [kind] : []
  it.each(withRowLocks)('an older answer waits for a newer one that is being saved on %s', async () => {
    const store = refreshStore(site.db, () => clock)
    await portfolio.add(site.people[0]!, ['race.com'])
    await store.save('race.com', fresh('first'), at, at)
    await using session = await postgresSession((site.config as { readonly url: string }).url)
    const newer = JSON.stringify({ ...(await portfolio.find(site.people[0]!, 'race.com')), registrar: 'newer' })
    await session.query('begin')
    await session.query(
      `update domain set synced_at = ${String(at + 5)}, registrar = 'newer', registration = '${newer}' where name = 'race.com'`,
    )
    const saving = store.save('race.com', fresh('older'), at + 1, at)
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(async () => (await session.query(waiting)).length, { timeout: 15_000 }).toBe(1)
    await session.query('commit')
    await saving
    expect(await registrarOf(0, 'race.com')).toBe('newer')
  })

  it('finds the longest overdue domain of each top-level domain', async () => {
    const store = refreshStore(site.db, () => clock)
    await portfolio.add(site.people[2]!, ['a.com', 'b.com', 'c.com', 'b.net', 'b.org', 'b.dev'])
    const plans = { 'a.com': 30, 'b.com': 20, 'c.com': 10, 'b.net': 40, 'b.org': 60, 'b.dev': 1_000 }
    for (const [name, dueAt] of Object.entries(plans)) await store.schedule(name, 0, dueAt)
    const names = async (now: number) => (await store.due(now, 500)).map(({ name }) => name)
    expect(await names(0)).toEqual(['b.dev'])
    expect(await names(50)).toEqual(['c.com', 'b.net', 'b.dev'])
  })

  it('a new domain comes before those that are due for less than a day', async () => {
    const store = refreshStore(site.db, () => clock)
    const [now, hour] = [Date.now(), 60 * 60_000]
    await portfolio.add(site.people[3]!, ['waiting.io', 'new.io'])
    const first = async () => (await store.due(now + hour, now + 100 * hour)).find(({ tld }) => tld === 'io')?.name
    await store.schedule('waiting.io', 0, now - 6 * hour)
    expect(await first()).toBe('new.io')
    await store.schedule('waiting.io', 0, now - 30 * hour)
    expect(await first()).toBe('waiting.io')
  })
})
