import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { portfolioStore, type PortfolioStore } from '../portfolio/store.js'
import type { FreshRegistration } from '../portfolio/registration.js'
import { refreshStore } from './refresh-store.js'

const at = Date.UTC(2026, 10, 20)
const fresh = (registrar: string): FreshRegistration => ({
  ...{ registrar, createdAt: null, expiresAt: at, nameservers: [], statuses: [] },
})

describe.each(databaseKinds)('answers of registries on %s', (kind) => {
  let site: TwoProcesses
  let portfolio: PortfolioStore
  beforeAll(async () => {
    site = await twoProcesses(kind)
    portfolio = portfolioStore(site.db, 10)
  })
  afterAll(() => site.stop())

  const registrarOf = async (person: number, name: string) =>
    (await portfolio.find(site.people[person]!, name)).registrar

  it('an older answer changes nothing, but gives a new row of another account what is known', async () => {
    const store = refreshStore(site.db)
    await portfolio.add(site.people[0]!, ['a.com'])
    await store.save('a.com', fresh('new'), at + 1, at)
    await portfolio.add(site.people[1]!, ['a.com'])
    await store.save('a.com', fresh('old'), at, at)
    expect([await registrarOf(0, 'a.com'), await registrarOf(1, 'a.com')]).toEqual(['new', 'new'])
    expect(await portfolio.find(site.people[1]!, 'a.com')).toMatchObject({ synced_at: '2026-11-20T00:00:00.001Z' })
  })

  it('finds the longest overdue domain of each top-level domain', async () => {
    const store = refreshStore(site.db)
    await portfolio.add(site.people[2]!, ['b.com', 'c.com', 'b.net', 'b.org', 'b.dev'])
    const plans = { 'a.com': 30, 'b.com': 20, 'c.com': 10, 'b.net': 40, 'b.org': 60, 'b.dev': 1_000 }
    for (const [name, dueAt] of Object.entries(plans)) await store.plan(name, 0, dueAt)
    const names = async (now: number) => (await store.due(now, 500)).map(({ name }) => name)
    expect(await names(0)).toEqual(['b.dev'])
    expect(await names(50)).toEqual(['c.com', 'b.net', 'b.dev'])
  })

  it('a new domain comes before those that are due for less than a day', async () => {
    const store = refreshStore(site.db)
    const [now, hour] = [Date.now(), 60 * 60_000]
    await portfolio.add(site.people[3]!, ['waiting.io', 'new.io'])
    const first = async () => (await store.due(now + hour, now + 100 * hour)).find(({ tld }) => tld === 'io')?.name
    await store.plan('waiting.io', 0, now - 6 * hour)
    expect(await first()).toBe('new.io')
    await store.plan('waiting.io', 0, now - 30 * hour)
    expect(await first()).toBe('waiting.io')
  })
})
