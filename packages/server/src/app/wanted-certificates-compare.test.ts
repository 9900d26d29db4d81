import { expect, it } from 'vitest'
import { compareWanted } from './wanted-certificates-compare.js'

const now = 1_000
const zone = 'example.com'
const wildcard = JSON.stringify([`*.${zone}`, zone])
const ofZone = { accountId: 1, zone, site: null, host: null }
const ofSite = (host: string, site = 'docs', accountId = 1) => ({ accountId, zone, site, host })
const stored = (names: string, fields: object = {}) => ({
  ...{ id: 7, accountId: 1, site: null, names, wanted: 1, failures: 0, notAfter: null },
  ...fields,
})
const missing = (...given: Parameters<typeof compareWanted>) =>
  compareWanted(...given).missing.map(({ accountId, names }) => [accountId, names])

it('a wanted wildcard covers the zone and hosts one label below, of its account only', () => {
  const wanted = [ofZone, ofSite(zone), ofSite('www.example.com'), ofSite('a.b.example.com')]
  expect(missing([...wanted, ofSite('www.example.com', 'docs', 2)], [], now)).toEqual([
    [1, wildcard],
    [1, '["a.b.example.com"]'],
    [2, '["www.example.com"]'],
  ])
})

it.each([
  ['without an order yet', {}, []],
  ['that is valid', { failures: 3, notAfter: now + 1 }, []],
  ['that could not be ordered', { failures: 3 }, [[1, '["www.example.com"]']]],
  ['that expired', { failures: 3, notAfter: now }, [[1, '["www.example.com"]']]],
])('a host below a wildcard %s', (_, fields, expected) => {
  expect(missing([ofZone, ofSite('www.example.com')], [stored(wildcard, fields)], now)).toEqual(expected)
})

it('an existing certificate changes only if it is wanted again, is for another site, or is no longer wanted', () => {
  const host = '["www.example.com"]'
  const compare = (...existing: ReturnType<typeof stored>[]) =>
    compareWanted([ofSite('www.example.com')], existing, now)
  expect(compare(stored(host, { site: 'docs' }))).toEqual({ missing: [], again: [], unwanted: [] })
  expect(compare(stored(host, { site: 'blog' }))).toMatchObject({ again: [{ id: 7, site: 'docs' }], unwanted: [] })
  expect(compare(stored(host, { site: 'docs', wanted: 0 }))).toMatchObject({ again: [{ id: 7, site: 'docs' }] })
  expect(compare(stored(host, { accountId: 2, site: 'docs' }))).toMatchObject({ again: [], unwanted: [7] })
  expect(compare(stored(host, { accountId: 2, wanted: 0 }))).toMatchObject({ unwanted: [] })
})
