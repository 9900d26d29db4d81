import ICAL from 'ical.js'
import { expect, it } from 'vitest'
import type { Expiry } from './calendar-store.js'
import { Feeds } from './feeds.js'

const day = 24 * 60 * 60_000
const today = Date.UTC(2026, 10, 20, 13)

const expiry = (n: number): Expiry => ({
  ...{ name: `domain-${String(n).padStart(6, '0')}.com`, note: 'Größe', registrar: 'Example, Inc.' },
  ...{ expires_at: today + n * day, revision: 1, changed_at: today },
})

/** Pages of domains, like those of the database. */
const pagesOf = (domains: readonly Expiry[]) => {
  const asked: number[] = []
  const page = (accountId: number, since: number, after: string, limit: number) => {
    asked.push(accountId)
    const found = domains.filter(({ name, expires_at }) => name > after && expires_at >= since)
    return Promise.resolve(found.slice(0, limit))
  }
  return { page, asked }
}

const namesIn = (bytes: Buffer) =>
  new ICAL.Component(ICAL.parse(bytes.toString()) as unknown[])
    .getAllSubcomponents('vevent')
    .map((event) => String(event.getFirstPropertyValue('summary')).split(' ')[0])

it.each([0, 1, 199, 200, 201, 400])('a calendar has all of its %i domains, once', async (count) => {
  const domains = Array.from({ length: count }, (_, n) => expiry(n))
  const { bytes } = await new Feeds(pagesOf(domains), () => today).get({ accountId: 1, version: 'a' })
  expect(namesIn(bytes)).toEqual(domains.map(({ name }) => name))
})

it('makes a calendar once for all requests until its version changes', async () => {
  const pages = pagesOf([expiry(1)])
  const feeds = new Feeds(pages, () => today)
  const get = (accountId: number, version: string) => feeds.get({ accountId, version })
  const [first, same] = await Promise.all([get(1, 'a'), get(1, 'a'), get(2, 'a')])
  expect([same === first, (await get(1, 'a')) === first, pages.asked]).toEqual([true, true, [1, 2]])
  expect((await get(1, 'b')).etag).toBe(first.etag)
  expect(pages.asked).toEqual([1, 2, 1])
})

it('drops a domain 30 days after its expiry, although no domain has changed', async () => {
  let now = today
  const feeds = new Feeds(pagesOf([expiry(0), expiry(1)]), () => now)
  const names = async () => namesIn((await feeds.get({ accountId: 1, version: 'a' })).bytes)
  now = today + 30 * day
  expect(await names()).toHaveLength(2)
  now = today + 31 * day
  expect(await names()).toHaveLength(1)
})

it('a failed read fails its requests only', async () => {
  const pages = pagesOf([expiry(1)])
  let isFailing = true
  const page: typeof pages.page = (...key) => (isFailing ? Promise.reject(new Error('gone')) : pages.page(...key))
  const feeds = new Feeds({ page }, () => today)
  const failing = Promise.allSettled([1, 2].map((accountId) => feeds.get({ accountId, version: 'a' })))
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isFailing = false
  expect(namesIn((await feeds.get({ accountId: 1, version: 'a' })).bytes)).toHaveLength(1)
})

it('makes a calendar of 10,000 domains in slices', async () => {
  const feeds = new Feeds(pagesOf(Array.from({ length: 10_000 }, (_, n) => expiry(n))), () => today)
  let turns = 0
  const count = setInterval(() => turns++, 0)
  await feeds.get({ accountId: 1, version: 'a' })
  clearInterval(count)
  expect(turns).toBeGreaterThan(20)
})
