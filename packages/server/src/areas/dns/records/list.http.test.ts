import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, startApp, type Envelope } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { expectEnvelope, expectError, send } from '../../../../test/raw-http.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'

/** Texts that a database could encode incorrectly as JSON. */
const texts = [
  'plain',
  'quotes " inside "" and \\ backslashes \\" \\\\ \\n \\u0041',
  '{"looks":"like json"}',
  '[1,2]',
  'null',
  '</script><!-- & \u2028 \u2029',
  'tab\tinside',
  'grüße 漢字 🦉 e\u0301 \u202e \ufeff \u{10ffff}',
  "single ' and `backtick` and $1 ?1 :zone",
  'x'.repeat(5000),
]

const records = ({ body }: { body: Envelope }): Envelope[] => body['data'].records

describe.each(databaseKinds)('listing records on %s', (kind) => {
  let app: Site
  let owner: Owner
  let zone: ZoneClient
  const added: Envelope[] = []
  beforeAll(async () => {
    app = await startSite(kind)
    owner = await ownerOn(app)
    zone = await owner.claim()
    for (const value of texts) added.push(await zone.add({ type: 'TXT', host: 'text', value }))
    added.push(await zone.add({ type: 'MX', value: 'mail.example.net', priority: 10 }))
    added.push(await zone.add({ type: 'A', host: '*', value: '192.0.2.1' }))
    added.push(await zone.add({ type: 'A', host: 'bücher', value: '192.0.2.2' }))
    added.push(await zone.add({ type: 'CAA', value: '0 issue "ca.example.net; policy=\\"x\\""' }))
  })
  afterAll(() => app.stop())

  it('has every record exactly as the creation answered it, in the order of creation', async () => {
    const answer = await zone.list()
    expectEnvelope(answer)
    expect(answer.body['data']).toEqual({ zone: zone.zone, records: added })
    expect(texts).toEqual(added.slice(0, texts.length).map(({ value }) => value))
    expect(Object.keys(records(answer)[0] ?? {})).toEqual(Object.keys(added[0] ?? {}))
  })

  it('keeps the order of creation when records change', async () => {
    const other = await owner.claim()
    const ids: unknown[] = []
    for (const host of ['c', 'a', 'b']) ids.push((await other.add({ type: 'A', host, value: '192.0.2.1' }))['id'])
    await other.update(ids[0], { host: 'z', value: '192.0.2.9' })
    await other.remove(ids[1])
    await other.add({ type: 'A', host: 'a', value: '192.0.2.1' })
    expect(records(await other.list()).map(({ id, host }) => [id, host])).toEqual([
      [1, 'z'],
      [3, 'b'],
      [4, 'a'],
    ])
  })

  it.each(['A', 'TXT', 'MX', 'CAA', 'CNAME', 'SPF'])('has only records of type %s when filtered', async (type) => {
    const expected = added.filter((record) => record['type'] === type)
    expect((await zone.list(`?type=${type}`)).body['data']).toEqual({ zone: zone.zone, records: expected })
  })

  describe('filtered by host', () => {
    const hostsOf = async (query: string) => records(await zone.list(query))

    it.each([
      ['?host=text', 'text'],
      ['?host=@', '@'],
      ['?host=', '@'],
      ['?host=*', '*'],
      ['?host=TEXT', 'text'],
      [`?host=${encodeURIComponent('bücher')}`, 'xn--bcher-kva'],
      ['?name=ZONE', '@'],
      ['?name=text.ZONE.', 'text'],
      ['?name=*.ZONE', '*'],
      [`?name=${encodeURIComponent('bücher')}.ZONE`, 'xn--bcher-kva'],
    ])('%s lists the records of that host, as the whole list has them', async (query, host) => {
      const expected = added.filter((record) => record['host'] === host)
      expect(expected.length).toBeGreaterThan(0)
      expect(await hostsOf(query.replace('ZONE', zone.zone))).toEqual(expected)
    })

    it('lists only records of the type, and none for a host without records', async () => {
      expect(await hostsOf('?host=@&type=MX')).toMatchObject([{ host: '@', type: 'MX' }])
      expect(await hostsOf('?host=text&type=MX')).toEqual([])
      expect(await hostsOf('?host=nothing')).toEqual([])
    })

    it.each([
      ['?name=www', 'name must be ZONE or a full name below it, not "www": send a name without the zone as host.'],
      ['?name=www.elsewhere.example', /^name must be ZONE or a full name below it, not "www.elsewhere.example"/],
      ['?name=notZONE', /^name must be ZONE or a full name below it/],
      ['?name=', /^name must be ZONE or a full name below it, not ""/],
      ['?host=www.ZONE', /^host must be relative to the zone, without ZONE at its end: www, not/],
      ['?host=a&name=a.ZONE', 'name cannot be combined with host: send one of them.'],
      ['?hostname=www', 'hostname is not known in this query: it takes type, host, name, limit, before.'],
    ])('400 for %s, instead of all records', async (query, message) => {
      const answer = await zone.list(query.replace('ZONE', zone.zone))
      expectError(answer, 'bad_request')
      const expected = typeof message === 'string' ? message : message.source
      expect(answer.body['message']).toMatch(
        typeof message === 'string'
          ? message.replace('ZONE', zone.zone)
          : new RegExp(expected.replaceAll('ZONE', zone.zone)),
      )
    })

    it('403 forbidden_zone for a zone of another account, also for an invalid host', async () => {
      const other = await ownerOn(app)
      for (const query of ['?host=www', '?host=..', '?name=x'])
        expectError(await other.call('GET', `${zone.path}${query}`), 'forbidden_zone')
    })
  })

  it('the list is empty for a zone without records', async () => {
    const empty = await owner.claim()
    expect((await empty.list()).body['data']).toEqual({ zone: empty.zone, records: [] })
  })

  it.each(['?type=DS', '?type=a', '?type=', '?type=A&type=TXT', '?type=null', '?type=A,TXT'])(
    '400 for the query %s',
    async (query) => {
      const answer = await zone.list(query)
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toMatch(/^type /)
    },
  )

  it('accepts any spelling of the zone, and answers the canonical name', async () => {
    for (const spelling of [zone.zone.toUpperCase(), `${zone.zone}.`]) {
      const answer = await owner.call('GET', `/v1/dns/zones/${spelling}/records?type=MX`)
      expect(answer.body['data']).toMatchObject({ zone: zone.zone, records: [{ zone: zone.zone, name: zone.zone }] })
    }
  })

  it('has all records of many pages, also by type, for HEAD and during changes', async () => {
    const long = await owner.claim()
    const value = (i: number) => `${'\\ "ü'.repeat(3000)}${i}`
    for (let i = 1; i <= 45; i++) await long.add({ type: i % 3 === 0 ? 'SPF' : 'TXT', host: `h${i}`, value: value(i) })
    await long.add({ type: 'A', value: '192.0.2.1' })
    const answer = await long.list()
    expect(Buffer.byteLength(answer.text)).toBeGreaterThan(800_000)
    expect(Object.fromEntries(answer.headers)).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    expect(records(answer).map(({ id, value: text }) => [id, text])).toEqual([
      ...Array.from({ length: 45 }, (_, i) => [i + 1, value(i + 1)]),
      [46, '192.0.2.1'],
    ])
    expect(records(await long.list('?type=SPF'))).toHaveLength(15)
    expect(records(await long.list('?type=A'))).toMatchObject([{ id: 46, name: long.zone }])
    expect(records(await long.list('?type=MX'))).toEqual([])
    const plain = { headers: { authorization: `Bearer ${owner.token}` } }
    const whole = await send(app.url, 'GET', long.path, plain)
    expect(whole.body['data']).toEqual(answer.body['data'])
    expect(whole.headers).not.toHaveProperty('content-encoding')
    expect(whole.headers['content-length']).toBe(String(Buffer.byteLength(whole.text)))
    const head = await send(app.url, 'HEAD', long.path, plain)
    expect([head.status, head.headers['content-length']]).toEqual([200, whole.headers['content-length']])

    // Every list is a snapshot: record 1 is always changed before record 46, so its ttl is never behind.
    const changes = (async () => {
      for (let i = 0; i < 30; i++) for (const id of [1, 46]) await long.update(id, { ttl: 100 + i })
    })()
    for (let i = 0; i < 10; i++) {
      const ttls = new Map(records(await long.list()).map(({ id, ttl }) => [id, ttl as number]))
      const [first, last] = [ttls.get(1)!, ttls.get(46)!]
      if (first < 3600 && last < 3600) expect(first - last === 0 || first - last === 1).toBe(true)
    }
    await changes
  })

  it('answers 10,000 records at once, in less than a second', async () => {
    const large = await owner.claim()
    await app.sql(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
      insert into dns_record (zone_id, account_id, id, type, host, value, ttl, created_at, updated_at)
      select zone.id, zone.holder_id, i, 'TXT', 'host' || i, 'text ' || i, 3600, '2026-11-20T09:30:00.000Z', '2026-11-20T09:30:00.000Z'
      from n, dns_zone zone where zone.name = '${large.zone}'`)
    await large.list()
    const from = process.cpuUsage()
    const answer = await large.list()
    expect(process.cpuUsage(from).user / 1000).toBeLessThan(1000)
    const hosts = records(answer).map(({ host }) => host)
    expect(hosts).toHaveLength(10_000)
    expect(new Set(hosts).size).toBe(10_000)
    expect(records(answer).map(({ id }) => id)).toEqual(Array.from({ length: 10_000 }, (_, i) => i + 1))
  })
})

it('lists the same JSON on both databases', async () => {
  const answers: Envelope[] = []
  for (const kind of databaseKinds) {
    const app = await startApp(kind)
    const zone = await (await ownerOn(app)).claim('same.example')
    for (const value of texts) await zone.add({ type: 'TXT', host: 'text', value })
    await zone.add({ type: 'SRV', host: '_sip._tcp', value: '1 2 x.example.net', priority: 0 })
    const answer = await zone.list()
    answers.push(
      records(answer).map(({ created_at, updated_at, ...rest }) => {
        expect(updated_at >= created_at).toBe(true)
        return rest
      }),
    )
    await app.stop()
  }
  expect(answers[0]).toHaveLength(texts.length + 1)
  expect(JSON.stringify(answers[0])).toBe(JSON.stringify(answers[1]))
})
