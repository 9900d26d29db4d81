import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { problem, startDomains, type Domains } from '../../../../test/domain-site.js'
import { getPage } from '../../../../test/site-host.js'
import { dataOf } from '../../../../test/zone-site.js'

describe.each(databaseKinds)('own domains of sites on %s', (kind) => {
  let domains: Domains
  beforeAll(async () => {
    domains = await startDomains(kind)
    const { deploy, zones } = domains
    for (const name of ['docs', 'blog']) await deploy('ada', name)
    await deploy('bob', 'bobs')
    for (const zone of ['ada.com', 'moving.com', 'deleted.com']) await zones.claim('ada', zone)
    await zones.claim('bob', 'bob.com')
  })
  afterAll(() => domains.zones.stop())

  it('a domain is served at once, with its DNS record, until it is removed', async () => {
    const { add, dig, list, page, remove } = domains
    expect(await page('www.ada.com')).toBe('404')
    const added = dataOf(await add('ada', 'docs', 'WWW.Ada.com.'))
    expect(added).toMatchObject({
      host: 'www.ada.com',
      name: 'docs',
      zone: 'ada.com',
      active: true,
      records: [{ type: 'CNAME', value: 'docs.sites.example' }],
    })
    expect(await list('ada')).toEqual([added])
    expect(await list('bob')).toEqual([])
    expect([await page('www.ada.com:8080'), await page('docs.sites.example')]).toEqual(['page of docs', 'page of docs'])
    expect(await dig('www.ada.com', 'A')).toEqual(['CNAME docs.sites.example'])
    expect(dataOf(await add('ada', 'docs', 'www.ada.com'))).toEqual(added)
    expect(dataOf(await remove('ada', 'www.ada.com'))).toEqual({ host: 'www.ada.com', deleted: true })
    expect([await page('www.ada.com'), await dig('www.ada.com', 'A'), await list('ada')]).toEqual(['404', [], []])
  })

  it('the history of the zone has the record of a domain, and who added and removed it', async () => {
    const { add, browsers, remove } = domains
    dataOf(await add('ada', 'docs', 'history.ada.com'))
    dataOf(await remove('ada', 'history.ada.com'))
    const set = { host: 'history', type: 'CNAME', ttl: 3600, values: ['docs.sites.example'] }
    const actor = { kind: 'session', name: 'console', id: null }
    expect(dataOf(await browsers.ada.call('GET', '/dns/zones/ada.com/history?host=history'))['changes']).toMatchObject([
      { actor, removed: [set], added: [] },
      { actor, removed: [], added: [set] },
    ])
  })

  it('a page of the domain gets no answer of the API', async () => {
    const { add, remove, zones } = domains
    dataOf(await add('ada', 'docs', 'isolated.ada.com'))
    const answer = await getPage(zones.site.url, 'isolated.ada.com', '/v1')
    expect([answer.status, answer.text]).toEqual([404, expect.stringMatching(/^There is nothing at this address/)])
    dataOf(await remove('ada', 'isolated.ada.com'))
    expect((await getPage(zones.site.url, 'isolated.ada.com', '/v1')).body).toMatchObject({ success: true })
  })

  it.each([
    ['docs.sites.example', 'is: use a host in your own zone'],
    ['sites.example', 'is: use a host in your own zone'],
    ['ns1.svc.example', 'is: use a host in your own zone'],
    ['192.0.2.1', 'it is an IP address'],
    ['*.ada.com', 'has other characters'],
    ['a..com', 'a label is empty'],
    ['com', 'it is not in a zone that an account can verify'],
    ['ada.com', 'is the zone ada.com itself, which cannot be a CNAME'],
  ])('400 for the host %s', async (host, message) => {
    expect(problem(await domains.add('ada', 'docs', host))).toEqual([
      400,
      'bad_request',
      expect.stringContaining(message),
    ])
  })

  it('refuses a zone that is not verified for the account, and a site of another account', async () => {
    const { add, remove, list } = domains
    const other = await add('ada', 'docs', 'www.bob.com')
    expect(problem(other)).toEqual([403, 'forbidden_zone', expect.stringContaining('verify bob.com first')])
    expect(other.body['zone']).toBe('bob.com')
    // A zone itself too: without the zone, nothing that the operator sets would help.
    const apex = problem(await add('ada', 'docs', 'bob.com'))
    expect(apex).toEqual([403, 'forbidden_zone', expect.stringContaining('verify bob.com first')])
    expect(problem(await add('ada', 'docs', 'www.nowhere.com'))).toEqual([403, 'forbidden_zone', expect.anything()])
    expect(problem(await add('ada', 'bobs', 'www.ada.com'))).toEqual([403, 'forbidden', expect.anything()])
    expect(problem(await add('ada', 'missing', 'www.ada.com'))).toEqual([404, 'not_found', expect.anything()])
    expect(problem(await remove('ada', 'nowhere.ada.com'))).toEqual([
      404,
      'not_found',
      'There is no domain nowhere.ada.com.',
    ])
    expect(await list('ada')).toEqual([])
  })

  it('a host belongs to one account and to one of its sites', async () => {
    const { add, remove, page } = domains
    dataOf(await add('ada', 'docs', 'one.ada.com'))
    expect(problem(await add('ada', 'blog', 'one.ada.com'))).toEqual([
      ...[400, 'bad_request', 'host is the domain of another site of this account: remove one.ada.com there first.'],
    ])
    expect(problem(await add('bob', 'bobs', 'one.ada.com'))).toEqual([403, 'forbidden_zone', expect.anything()])
    expect(problem(await remove('bob', 'one.ada.com'))).toEqual([403, 'forbidden', expect.anything()])
    expect(await page('one.ada.com')).toBe('page of docs')
    dataOf(await remove('ada', 'one.ada.com'))
  })

  it('a conflict with another record: the message of the zone, and nothing is left', async () => {
    const { add, page, dig, list, zones } = domains
    dataOf(await zones.call('ada', 'POST', '/ada.com/records', { host: 'taken', type: 'A', value: '192.0.2.9' }))
    const [status, error, message] = problem(await add('ada', 'docs', 'taken.ada.com')) as string[]
    expect([status, error]).toEqual([400, 'bad_request'])
    expect(message).toContain('A CNAME cannot share a name with other records')
    expect([await page('taken.ada.com'), await list('ada')]).toEqual(['404', []])
    expect(await dig('taken.ada.com', 'A')).toEqual(['A 192.0.2.9'])
  })

  it('a domain without its record, as after a crash, can be added again', async () => {
    const { add, dig, zones } = domains
    const { accounts, site } = zones
    const [row] = await site.sql(`select id from site where name = 'docs'`)
    await site.sql(
      `insert into site_domain (host, site_id, account_id, zone, records, created_at)
       values ('crashed.ada.com', ${String(row?.['id'])}, ${accounts.ada.id}, 'ada.com', '[]', 0)`,
    )
    dataOf(await add('ada', 'docs', 'crashed.ada.com'))
    expect(await dig('crashed.ada.com', 'A')).toEqual(['CNAME docs.sites.example'])
    dataOf(await domains.remove('ada', 'crashed.ada.com'))
    expect(await dig('crashed.ada.com', 'A')).toEqual([])
  })

  it('a domain that was not finished, as after a crash, is removed with its record', async () => {
    const { add, dig, remove, zones } = domains
    dataOf(await add('ada', 'docs', 'half.ada.com'))
    await zones.site.sql(
      `update site_domain set records = '[{"type":"CNAME","value":"docs.sites.example"}]' where host = 'half.ada.com'`,
    )
    dataOf(await remove('ada', 'half.ada.com'))
    expect(await dig('half.ada.com', 'A')).toEqual([])
  })

  it('takes a host over only from an account that has lost its zone', async () => {
    const { add, page, zones } = domains
    const [row] = await zones.site.sql(`select id from site where name = 'bobs'`)
    await zones.site.sql(
      `insert into site_domain (host, site_id, account_id, zone, records, created_at)
       values ('held.ada.com', ${String(row?.['id'])}, ${zones.accounts.bob.id}, 'bob.com', '[]', 0)`,
    )
    expect(problem(await add('ada', 'docs', 'held.ada.com'))).toEqual([403, 'forbidden', expect.anything()])
    expect(await page('held.ada.com')).toBe('page of bobs')
    dataOf(await domains.remove('bob', 'held.ada.com'))
  })

  it('keeps a record that the user has moved to another host', async () => {
    const { add, dig, remove, zones } = domains
    dataOf(await add('ada', 'docs', 'moved.ada.com'))
    const { records } = dataOf(await zones.call('ada', 'GET', '/ada.com/records?type=CNAME')) as {
      records: { id: number; host: string }[]
    }
    const id = records.find(({ host }) => host === 'moved')?.id
    dataOf(await zones.call('ada', 'PATCH', `/ada.com/records/${String(id)}`, { host: 'kept' }))
    dataOf(await remove('ada', 'moved.ada.com'))
    expect(await dig('kept.ada.com', 'A')).toEqual(['CNAME docs.sites.example'])
  })

  it('keeps a record that the user has changed, and removes a domain whose record is gone', async () => {
    const { add, dig, remove, zones } = domains
    for (const host of ['changed.ada.com', 'gone.ada.com']) dataOf(await add('ada', 'docs', host))
    const list = dataOf(await zones.call('ada', 'GET', '/ada.com/records?type=CNAME'))['records']
    const idOf = (host: string) => (list as { id: number; host: string }[]).find((record) => record.host === host)?.id
    const path = (host: string) => `/ada.com/records/${String(idOf(host))}`
    dataOf(await zones.call('ada', 'PATCH', path('changed'), { value: 'elsewhere.example' }))
    dataOf(await zones.call('ada', 'DELETE', path('gone')))
    for (const host of ['changed.ada.com', 'gone.ada.com']) dataOf(await remove('ada', host))
    expect(await dig('changed.ada.com', 'A')).toEqual(['CNAME elsewhere.example'])
  })

  it('deleting a site removes its domains and their records, not those of other sites', async () => {
    const { add, deploy, dig, list, page, zones } = domains
    await deploy('ada', 'short')
    dataOf(await add('ada', 'short', 'short.deleted.com'))
    dataOf(await add('ada', 'docs', 'docs.deleted.com'))
    const token = await zones.site.token(zones.accounts.ada, 'sites:write')
    dataOf(await zones.site.call('POST', '/v1/sites/delete', { token, body: { name: 'short' } }))
    expect([await dig('short.deleted.com', 'A'), await page('short.deleted.com')]).toEqual([[], '404'])
    expect([await dig('docs.deleted.com', 'A'), await page('docs.deleted.com')]).toEqual([
      ...[['CNAME docs.sites.example'], 'page of docs'],
    ])
    expect(await list('ada')).toMatchObject([{ host: 'docs.deleted.com' }])
    dataOf(await domains.remove('ada', 'docs.deleted.com'))
  })

  it('a zone that moves to another account: its hosts are not served until the new holder adds them', async () => {
    const { add, dig, list, page, remove, zones } = domains
    dataOf(await add('ada', 'docs', 'www.moving.com'))
    expect(await page('www.moving.com')).toBe('page of docs')
    const claim = dataOf(await zones.claim('bob', 'moving.com'))
    zones.publish('moving.com', [(claim['verification'] as { value: string }).value])
    expect(dataOf(await zones.verify('bob', 'moving.com'))['status']).toBe('verified')
    await expect.poll(() => page('www.moving.com'), { timeout: 10_000 }).toBe('404')
    expect(await list('ada')).toMatchObject([{ host: 'www.moving.com', active: false }])
    dataOf(await add('bob', 'bobs', 'www.moving.com'))
    expect(await page('www.moving.com')).toBe('page of bobs')
    expect(await dig('www.moving.com', 'A')).toEqual(['CNAME bobs.sites.example'])
    expect(await list('ada')).toEqual([])
    expect(problem(await remove('ada', 'www.moving.com'))).toEqual([403, 'forbidden', expect.anything()])
    expect(dataOf(await zones.release('bob', 'moving.com'))).toBeDefined()
    await expect.poll(() => page('www.moving.com'), { timeout: 10_000 }).toBe('404')
    dataOf(await remove('bob', 'www.moving.com'))
  })

  it('two sites that ask for one host at once: one gets it', async () => {
    const { add, remove } = domains
    const answers = await Promise.all(['docs', 'blog', 'docs', 'blog'].map((name) => add('ada', name, 'race.ada.com')))
    const names = answers.filter(({ status }) => status === 200).map(({ body }) => body['data'].name as string)
    expect(new Set(names).size).toBe(1)
    expect(names).toHaveLength(2)
    dataOf(await remove('ada', 'race.ada.com'))
  })

  it('refuses more domains than an account may have', async () => {
    const { add, zones } = domains
    const [row] = await zones.site.sql(`select id, account_id from site where name = 'docs'`)
    const values = Array.from(
      { length: 100 },
      (_, n) => `('n${n}.ada.com', ${String(row?.['id'])}, ${String(row?.['account_id'])}, 'ada.com', '[]', 0)`,
    )
    const columns = 'host, site_id, account_id, zone, records, created_at'
    await zones.site.sql(`insert into site_domain (${columns}) values ${values.join()}`)
    expect(problem(await add('ada', 'docs', 'more.ada.com'))).toEqual([
      ...[400, 'bad_request', 'The account has 100 domains, which is the most: remove one first.'],
    ])
    expect((await add('ada', 'docs', 'n5.ada.com')).status).toBe(200)
    await zones.site.sql(`delete from site_domain where host like 'n%.ada.com'`)
  })

  it('the proxy for TLS learns which hosts are served', async () => {
    const { add, remove, zones } = domains
    dataOf(await add('ada', 'docs', 'tls.ada.com'))
    const status = async (query: string) => (await zones.site.call('GET', `/sites/ask${query}`)).status
    for (const host of ['tls.ada.com', 'TLS.ada.com.', 'docs.sites.example', 'content.sites.example', '127.0.0.1'])
      expect([host, await status(`?domain=${host}`)]).toEqual([host, 200])
    for (const query of [
      '',
      '?domain=',
      '?domain=x.ada.com',
      '?domain=none.sites.example',
      '?domain=tls.ada.com&domain=a',
      '?domain=a%00b.ada.com',
      `?domain=${'a.'.repeat(4_000)}ada.com`,
    ])
      expect([query, await status(query)]).toEqual([query, 404])
    dataOf(await remove('ada', 'tls.ada.com'))
  })
})

describe('with the addresses of the server', () => {
  let domains: Domains
  beforeAll(async () => {
    domains = await startDomains('sqlite', { sitesAddresses: ['192.0.2.1', '2001:DB8::1'] })
    await domains.deploy('ada', 'docs')
    await domains.zones.claim('ada', 'ada.com')
  })
  afterAll(() => domains.zones.stop())

  it('a zone itself is a domain, with a record for each address', async () => {
    const { add, dig, page, remove } = domains
    expect(dataOf(await add('ada', 'docs', 'ada.com'))['records']).toEqual([
      { type: 'A', value: '192.0.2.1' },
      { type: 'AAAA', value: '2001:db8::1' },
    ])
    expect([await dig('ada.com', 'A'), await dig('ada.com', 'AAAA')]).toEqual([['A 192.0.2.1'], ['AAAA 2001:db8::1']])
    expect(await page('ada.com')).toBe('page of docs')
    dataOf(await remove('ada', 'ada.com'))
    expect([await dig('ada.com', 'A'), await dig('ada.com', 'AAAA')]).toEqual([[], []])
  })

  it('refuses a host that has another address', async () => {
    const { add, dig, zones } = domains
    dataOf(await zones.call('ada', 'POST', '/ada.com/records', { host: 'other', type: 'A', value: '192.0.2.9' }))
    expect(problem(await add('ada', 'docs', 'other.ada.com'))).toEqual([
      ...[400, 'bad_request', 'host has another address: other has an A record (id 3, 192.0.2.9), delete it first.'],
    ])
    expect(await dig('other.ada.com', 'A')).toEqual(['A 192.0.2.9'])
  })

  it('a failure at the second record removes the first, but not one that was there before', async () => {
    const { add, dig, zones } = domains
    const { body } = await zones.call('ada', 'GET', '/ada.com/records')
    const free = 100 - (body['data'].records as unknown[]).length
    for (let n = 0; n < free - 1; n++)
      dataOf(await zones.call('ada', 'POST', '/ada.com/records', { host: `n${n}`, type: 'A', value: '192.0.2.9' }))
    expect(problem(await add('ada', 'docs', 'full.ada.com'))).toEqual([
      400,
      'bad_request',
      expect.stringContaining('100 records'),
    ])
    expect(await dig('full.ada.com', 'A')).toEqual([])
    dataOf(await zones.call('ada', 'POST', '/ada.com/records', { host: 'full', type: 'A', value: '192.0.2.1' }))
    expect((await add('ada', 'docs', 'full.ada.com')).status).toBe(400)
    expect(await dig('full.ada.com', 'A')).toEqual(['A 192.0.2.1'])
  })
})
