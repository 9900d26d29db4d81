import ICAL from 'ical.js'
import { expect, it } from 'vitest'
import { CalendarCache } from './calendar-cache.js'
import type { CalendarDomain } from './calendar-store.js'

const day = 24 * 60 * 60_000
const today = Date.UTC(2026, 10, 20, 13)

const expiry = (n: number): CalendarDomain => ({
  name: `domain-${String(n).padStart(6, '0')}.com`,
  note: 'Größe',
  registrar: 'Example, Inc.',
  expires_at: today + n * day,
  changed_at: today,
})

/** Pages of domains, like those of the database. */
const pagesOf = (domains: readonly CalendarDomain[]) => {
  const asked: number[] = []
  const page = (accountId: number, since: number, after: string, limit: number) => {
    asked.push(accountId)
    const found = domains.filter(({ name, expires_at }) => name > after && expires_at >= since)
    return Promise.resolve(found.slice(0, limit))
  }
  return { page, asked }
}

/** A client that has not left. */
const stays = () => false

const namesIn = (bytes: Buffer) =>
  new ICAL.Component(ICAL.parse(bytes.toString()) as unknown[])
    .getAllSubcomponents('vevent')
    .map((event) => String(event.getFirstPropertyValue('summary')).split(' ')[0])

it.each([0, 1, 199, 200, 201, 400])('a calendar has all of its %i domains, once', async (count) => {
  const domains = Array.from({ length: count }, (_, n) => expiry(n))
  const { bytes } = await new CalendarCache(pagesOf(domains), () => today).get({ accountId: 1, version: 'a' }, stays)
  expect(namesIn(bytes)).toEqual(domains.map(({ name }) => name))
})

it('makes a calendar once for all requests until its version changes', async () => {
  const pages = pagesOf([expiry(1)])
  const cache = new CalendarCache(pages, () => today)
  const get = (accountId: number, version: string) => cache.get({ accountId, version }, stays)
  const [first, same] = await Promise.all([get(1, 'a'), get(1, 'a'), get(2, 'a')])
  expect([same === first, (await get(1, 'a')) === first, pages.asked]).toEqual([true, true, [1, 2]])
  expect((await get(1, 'b')).etag).toBe(first.etag)
  expect(pages.asked).toEqual([1, 2, 1])
})

it('drops a domain 30 days after its expiry, although no domain has changed', async () => {
  let now = today
  const cache = new CalendarCache(pagesOf([expiry(0), expiry(1)]), () => now)
  const names = async () => namesIn((await cache.get({ accountId: 1, version: 'a' }, stays)).bytes)
  now = today + 30 * day
  expect(await names()).toHaveLength(2)
  now = today + 31 * day
  expect(await names()).toHaveLength(1)
})

it('a failed read fails the requests for its calendar only', async () => {
  const pages = pagesOf([expiry(1)])
  const page: typeof pages.page = (accountId, ...key) =>
    accountId === 1 ? Promise.reject(new Error('gone')) : pages.page(accountId, ...key)
  const cache = new CalendarCache({ page }, () => today)
  const outcomes = await Promise.allSettled([1, 2].map((accountId) => cache.get({ accountId, version: 'a' }, stays)))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

it('creates the newest version only, and another account does not wait for a second calendar', async () => {
  const pages = pagesOf([expiry(1)])
  const cache = new CalendarCache(pages, () => today)
  const get = (accountId: number, version: string) => cache.get({ accountId, version }, stays)
  const ofBusy = Array.from({ length: 12 }, (_, n) => get(1, `change ${String(n)}`))
  const ofOther = get(2, 'a')
  await ofOther
  expect(pages.asked.slice(0, 2)).toEqual([1, 2])
  const texts = await Promise.all(ofBusy)
  expect([await get(1, 'change 11'), pages.asked]).toEqual([texts[11], [1, 2, 1]])
})

it('does not create a calendar whose clients have left, unless another client waits for it', async () => {
  const pages = pagesOf([expiry(1)])
  const cache = new CalendarCache(pages, () => today)
  const first = cache.get({ accountId: 1, version: 'a' }, stays)
  const leaves = () => true
  const outcomes = await Promise.allSettled([
    cache.get({ accountId: 2, version: 'a' }, leaves),
    cache.get({ accountId: 3, version: 'a' }, leaves),
    cache.get({ accountId: 3, version: 'a' }, stays),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  await first
  expect(pages.asked).toEqual([1, 3])
})

it('makes a calendar of 10,000 domains in slices', async () => {
  const cache = new CalendarCache(pagesOf(Array.from({ length: 10_000 }, (_, n) => expiry(n))), () => today)
  let turns = 0
  const count = setInterval(() => turns++, 0)
  await cache.get({ accountId: 1, version: 'a' }, stays)
  clearInterval(count)
  expect(turns).toBeGreaterThan(20)
})
