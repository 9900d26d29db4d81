import { expect, it } from 'vitest'
import { headFor, isExpired, toLink, withQuery } from './link.js'

const row = { id: 1, target: 'https://example.com/?a=1', expiresAt: null, maxUses: null }
const settings = (status: number, forwards = false) => JSON.stringify({ status, forward_query: forwards })

it.each([
  ['https://example.com/', 'a=1', 'https://example.com/?a=1'],
  ['https://example.com/?a=1', 'b=2&c', 'https://example.com/?a=1&b=2&c'],
  ['https://example.com/?a=1', 'a=2&b=3&%61=4', 'https://example.com/?a=1&b=3'],
  ['https://example.com/?a=1', 'a=2', 'https://example.com/?a=1'],
  ['https://example.com/?a=x%20y', 'q=1%2B1+2', 'https://example.com/?a=x%20y&q=1%2B1+2'],
  ['https://example.com/#part', 'a=1', 'https://example.com/?a=1#part'],
  ['https://example.com/', '&&a=1&', 'https://example.com/?a=1'],
  ['https://example.com/', '%zz=%ff', 'https://example.com/?%zz=%ff'],
  ['https://example.com/', 'a=1?b=2', 'https://example.com/?a=1?b=2'],
  ['https://example.com/', 'a=é"<>', 'https://example.com/?a=%C3%A9%22%3C%3E'],
  ['https://example.com/', '=x', 'https://example.com/?=x'],
])('%s with the query %s becomes %s', (target, query, location) => {
  expect(withQuery(target, query)).toBe(location)
})

it('a long query is appended in linear time', () => {
  const query = 'a&'.repeat(30_000)
  const startedAt = process.cpuUsage()
  withQuery('https://example.com/?b=1', query)
  expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(1_000)
})

it.each([
  [302, null, null, 'no-store'],
  [301, null, null, 'public, max-age=86400'],
  [301, 5, null, 'no-store'],
  [301, null, 5, 'no-store'],
])(
  'a link with the status %i, expiry %s and maximum %s is cached as %s',
  (status, expiresAt, maxUses, cacheControl) => {
    const { head } = toLink({ ...row, settings: settings(status), expiresAt, maxUses })
    expect(head).toEqual({ status, headers: { location: row.target, 'cache-control': cacheControl } })
  },
)

it('the query is forwarded only if the link says so', () => {
  const location = (forwards: boolean, query: string) =>
    headFor(toLink({ ...row, settings: settings(302, forwards) }), query).headers['location']
  expect([location(false, 'b=2'), location(true, 'b=2'), location(true, '')]).toEqual([
    row.target,
    `${row.target}&b=2`,
    row.target,
  ])
})

it('a link expires at its time', () => {
  expect([null, Date.now() + 60_000, Date.now()].map((expiresAt) => isExpired({ expiresAt }))).toEqual([
    false,
    false,
    true,
  ])
})
