import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startDomains, type Domains } from '../../../../test/domain-site.js'

/** Own domains of sites, with tokens that have rules for zones: their records pass these too. */

let domains: Domains
beforeAll(async () => {
  domains = await startDomains('sqlite')
  for (const zone of ['ada.com', 'ada.org']) await domains.zones.claim('ada', zone)
})
afterAll(() => domains.zones.stop())

beforeEach(async () => {
  await domains.deploy('ada', 'docs')
})

let count = 0
const withRules = async (...rules: object[]) => {
  const body = { name: `rules ${String(++count)}`, scopes: ['sites:write'], rules }
  const token = (await domains.browsers.ada.call('POST', '/keys', { body })).body['data'].token as string
  return async (path: string, given: object) => {
    const answer = await domains.zones.site.call('POST', `/v1/sites/${path}`, { token, body: given })
    return answer.status === 200 ? 200 : answer.body['message']
  }
}
const site = { kind: 'site', name: 'docs', access: 'write' }
const ofZone = (fields: object = {}) => ({ kind: 'zone', name: 'ada.com', access: 'write', ...fields })
const refused = 'No zone rule of this token allows this.'
const docs = { name: 'docs', host: 'www.ada.com' }

it('a domain is added and removed only with a write rule for its records, if there are rules for zones', async () => {
  const allowed = await withRules(site, ofZone({ hosts: ['www'], types: ['CNAME'] }))
  for (const rule of [
    ofZone({ access: 'read' }),
    ofZone({ name: 'ada.org' }),
    ofZone({ hosts: ['*.www'] }),
    ofZone({ types: ['A'] }),
  ]) {
    const call = await withRules(site, rule)
    expect(await call('domains/add', docs)).toBe(refused)
    expect(await domains.list('ada')).toEqual([])
    expect(await allowed('domains/add', docs)).toBe(200)
    expect(await call('domains/remove', { host: docs.host })).toBe(refused)
    expect(await call('delete', { name: 'docs' })).toBe(refused)
    expect(await domains.list('ada')).toMatchObject([{ host: docs.host, active: true }])
    expect(await domains.dig(docs.host, 'CNAME')).toEqual(['CNAME docs.sites.example'])
    expect(await allowed('domains/remove', { host: docs.host })).toBe(200)
    expect(await domains.dig(docs.host, 'CNAME')).toEqual([])
  }
})

it('a site with domains in several zones is deleted only if all their records may be removed', async () => {
  await domains.add('ada', 'docs', 'www.ada.com')
  await domains.add('ada', 'docs', 'www.ada.org')
  const one = await withRules(site, ofZone())
  expect(await one('delete', { name: 'docs' })).toBe(refused)
  expect(await domains.list('ada')).toHaveLength(2)
  const both = await withRules(site, ofZone(), ofZone({ name: 'ada.org' }))
  expect(await both('delete', { name: 'docs' })).toBe(200)
  expect(await domains.list('ada')).toEqual([])
})

it('without rules for zones, a rule for the site is enough', async () => {
  const call = await withRules(site)
  expect(await call('domains/add', docs)).toBe(200)
  expect(await call('domains/remove', { host: docs.host })).toBe(200)
})
