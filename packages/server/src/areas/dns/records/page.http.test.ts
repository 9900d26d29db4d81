import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer, type Envelope } from '../../../../test/app.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import type { Rules } from '../../../shared/rules.js'

/** Pages of zones and records, which come whole without `limit` and `before`. */

const dataOf = ({ status, text, body }: Answer): Envelope => {
  expect(status, text).toBe(200)
  return body['data'] as Envelope
}

describe.each(databaseKinds)('pages of zones and records on %s', (kind) => {
  let app: Site
  let browser: Browser
  let owner: Owner
  let zone: ZoneClient
  beforeAll(async () => {
    app = await startSite(kind)
    owner = await ownerOn(app)
    browser = await app.browser(owner.account.email)
    for (let i = 0; i < 4; i++) await owner.claim()
    zone = await owner.claim()
    for (let i = 0; i < 7; i++)
      await zone.add(
        i % 3 === 0
          ? { type: 'TXT', host: 'text', value: `value ${String(i)}` }
          : { type: 'A', host: `h${String(i)}`, value: '192.0.2.1' },
      )
    await zone.remove(4)
  })
  afterAll(() => app.stop())

  let tokens = 0
  const withRules = async (rules: Rules) => {
    const body = { name: `token ${String(++tokens)}`, scopes: ['dns:read'], rules }
    return dataOf(await browser.call('POST', '/keys', { body }))['token'] as string
  }

  /** All pages of a list, and the totals that they name. */
  async function pages(path: string, list: string, limit: number, token = owner.token) {
    const found: Envelope[][] = []
    const totals = new Set<unknown>()
    for (let before = ''; ;) {
      const separator = path.includes('?') ? '&' : '?'
      const answer = await app.call('GET', `${path}${separator}limit=${String(limit)}${before}`, { token })
      const data = dataOf(answer)
      found.push(data[list])
      totals.add(data['total'])
      if (data['next'] === null) return { pages: found, totals: [...totals] }
      before = `&before=${String(data['next'])}`
    }
  }
  const whole = async (path: string, list: string, token = owner.token): Promise<Envelope[]> => {
    const data = dataOf(await app.call('GET', path, { token }))
    expect(Object.keys(data)).not.toContain('next')
    expect(Object.keys(data)).not.toContain('total')
    return data[list] as Envelope[]
  }
  const ids = (list: readonly Envelope[]) => list.map(({ id }) => id as number)

  it.each([
    [
      '',
      [
        [7, 6],
        [5, 3],
        [2, 1],
      ],
    ],
    [
      '?type=A',
      [
        [6, 5],
        [3, 2],
      ],
    ],
    ['?type=TXT', [[7, 1]]],
    ['?type=MX', [[]]],
    ['?host=text', [[7, 1]]],
    ['?host=h1', [[2]]],
  ] as const)('records%s have pages, newest first, of the same records as the whole list', async (query, expected) => {
    const read = await pages(`${zone.path}${query}`, 'records', 2)
    const all = await whole(`${zone.path}${query}`, 'records')
    expect(read.pages.map(ids)).toEqual(expected)
    expect(read.pages.flat()).toEqual(all.toReversed())
    expect(read.totals).toEqual([all.length])
  })

  it('records that rules allow have pages', async () => {
    const rules: Rules = [{ kind: 'zone', name: zone.zone, hosts: ['text', 'h2', 'h5'], access: 'read' }]
    const token = await withRules(rules)
    for (const query of ['', '?type=A', '?host=text', '?host=h1']) {
      const read = await pages(`${zone.path}${query}`, 'records', 2, token)
      const all = await whole(`${zone.path}${query}`, 'records', token)
      expect(read.pages.flat()).toEqual(all.toReversed())
      expect(read.totals).toEqual([all.length])
    }
    expect((await pages(zone.path, 'records', 2, token)).pages.map(ids)).toEqual([
      [7, 6],
      [3, 1],
    ])
  })

  it('a page of long records has fewer than asked for, and the next pages have the others', async () => {
    const large = await owner.claim()
    for (let i = 0; i < 5; i++) await large.add({ type: 'TXT', host: `h${String(i)}`, value: String(i).repeat(60_000) })
    const rules: Rules = [{ kind: 'zone', name: large.zone, types: ['TXT'], access: 'read' }]
    for (const token of [owner.token, await withRules(rules)]) {
      for (let i = 5; i < 12; i++)
        await large.add({ type: 'TXT', host: `h${String(i)}`, value: String(i).repeat(30_000) })
      const read = await pages(large.path, 'records', 1000, token)
      expect(read.pages.length).toBeGreaterThan(1)
      expect(ids(read.pages.flat())).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
      expect(read.totals).toEqual([12])
    }
  })

  it('zones have pages, newest first, of the same zones as the whole list', async () => {
    for (const query of ['', '?status=verified', '?status=pending']) {
      const all = await whole(`/v1/dns/zones${query}`, 'zones')
      const read = await pages(`/v1/dns/zones${query}`, 'zones', 2)
      const byName = (one: Envelope, other: Envelope) => (String(one['zone']) < String(other['zone']) ? -1 : 1)
      expect(read.pages.flat().toSorted(byName)).toEqual(all)
      expect(read.totals).toEqual([all.length])
    }
    const newest = (await pages('/v1/dns/zones', 'zones', 1)).pages.flat().map((one) => one['zone'] as string)
    const claimed = await owner.claim()
    expect((await pages('/v1/dns/zones', 'zones', 1)).pages.flat().map((one) => one['zone'])).toEqual([
      claimed.zone,
      ...newest,
    ])
  })

  it('zones that rules name have pages', async () => {
    const other = await owner.claim()
    const names = [other.zone, 'elsewhere.example', zone.zone]
    const token = await withRules(names.map((name) => ({ kind: 'zone', name, access: 'read' })))
    const read = await pages('/v1/dns/zones', 'zones', 1, token)
    expect(read.pages.map((page) => page.map((one) => one['zone'] as string))).toEqual([[other.zone], [zone.zone]])
    expect(read.totals).toEqual([2])
  })

  it('pages have only zones and records of the caller', async () => {
    const bob = await ownerOn(app)
    expect((await pages('/v1/dns/zones', 'zones', 2, bob.token)).pages).toEqual([[]])
    expect((await bob.call('GET', `${zone.path}?limit=2`)).status).toBe(403)
  })

  it('400 for a limit or a place outside the accepted values', async () => {
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'before=0', 'before='])
      for (const path of ['/v1/dns/zones', zone.path])
        expect((await owner.call('GET', `${path}?${query}`)).body['error']).toBe('bad_request')
  })
})
