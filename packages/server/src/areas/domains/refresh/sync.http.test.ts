import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closedServer, databaseKinds, type Envelope } from '../../../../test/app.js'
import { dataOf, problemOf, startPortfolio, type PortfolioSite } from '../../../../test/portfolio-site.js'
import { rdapDocument, startRdap, type RdapServer } from '../../../../test/registry-servers.js'

/** A document without what some registries leave out. */
const bare = (domain: string) => rdapDocument(domain, { events: [], nameservers: [], entities: [] })

const shown = {
  registrar: 'Example Registrar, Inc.',
  registered_at: '1995-08-14T04:00:00.000Z',
  expires_at: '2027-08-13T04:00:00.000Z',
  nameservers: ['ns1.example.net', 'ns2.example.net'],
  statuses: ['client transfer prohibited'],
}

describe.each(databaseKinds)('domains and their registry on %s', (kind) => {
  let rdap: RdapServer
  let portfolio: PortfolioSite
  beforeAll(async () => {
    rdap = await startRdap()
    portfolio = await startPortfolio(kind, { registries: { rdapUrl: rdap.url, whois: closedServer } })
  })
  afterAll(async () => {
    await portfolio.stop()
    await rdap.stop()
  })
  beforeEach(() => {
    rdap.respond = undefined
    rdap.requests.length = 0
  })

  const ofAda = async (name: string): Promise<Envelope | undefined> =>
    (await portfolio.list('ada')).find(({ domain }) => domain === name)
  const isSynced = async (name: string) => typeof (await ofAda(name))?.['synced_at'] === 'string'
  /** The next refresh asks the registry again. */
  const passMinute = () =>
    portfolio.site.sql('update registration set fetched_at = fetched_at - 60000, failed_at = null')
  const lookUpsOf = (name: string) => rdap.requests.filter((path) => path.endsWith(`/${name}`)).length

  it('a new domain gets its data within seconds, with one look-up for all accounts', async () => {
    rdap.documents.set('new.com', rdapDocument('new.com'))
    const added = dataOf(await portfolio.add('ada', 'new.com'))['domains'][0]
    expect(added).toMatchObject({ domain: 'new.com', expires_at: null, synced_at: null })
    dataOf(await portfolio.add('bob', 'new.com'))
    await expect.poll(() => isSynced('new.com'), { timeout: 30_000 }).toBe(true)
    expect(await ofAda('new.com')).toMatchObject({ id: added.id, ...shown })
    expect((await portfolio.list('bob'))[0]).toMatchObject({ domain: 'new.com', ...shown })
    expect(lookUpsOf('new.com')).toBe(1)
  })

  it('whois-sync asks now, and refreshes the domain of all accounts', async () => {
    rdap.documents.set('both.com', rdapDocument('both.com'))
    for (const owner of ['ada', 'bob'] as const) dataOf(await portfolio.add(owner, 'both.com'))
    const first = dataOf(await portfolio.sync('ada', 'Both.com'))
    expect(first).toMatchObject({ domain: 'both.com', note: '', ...shown })
    const renewed = rdapDocument('both.com', {
      events: [{ eventAction: 'expiration', eventDate: '2037-01-01T00:00:00Z' }],
    })
    rdap.documents.set('both.com', renewed)
    await passMinute()
    const second = dataOf(await portfolio.sync('bob', 'both.com'))
    expect(second).toMatchObject({ ...shown, expires_at: '2037-01-01T00:00:00.000Z' })
    expect(await ofAda('both.com')).toEqual({ ...second, id: first['id'] })
  })

  it('a refresh within a minute after another gets the same data, without a look-up', async () => {
    rdap.documents.set('often.com', rdapDocument('often.com'))
    for (const owner of ['ada', 'bob'] as const) dataOf(await portfolio.add(owner, 'often.com'))
    const first = dataOf(await portfolio.sync('ada', 'often.com'))
    expect(dataOf(await portfolio.sync('ada', 'often.com'))).toEqual(first)
    expect(dataOf(await portfolio.sync('bob', 'often.com'))).toEqual({ ...first, id: expect.any(Number) as number })
    expect(lookUpsOf('often.com')).toBe(1)
  })

  it('an answer with fewer values keeps the known ones', async () => {
    rdap.documents.set('less.com', rdapDocument('less.com'))
    dataOf(await portfolio.add('ada', 'less.com'))
    const before = dataOf(await portfolio.sync('ada', 'less.com'))
    rdap.documents.set('less.com', bare('less.com'))
    await passMinute()
    const after = dataOf(await portfolio.sync('ada', 'less.com'))
    expect(after).toEqual({ ...before, synced_at: after['synced_at'] })
    expect(Date.parse(after['synced_at'] as string)).toBeGreaterThan(Date.parse(before['synced_at'] as string))
  })

  it.each([
    ['fails', (status: number) => status],
    ['sends no JSON', () => 200],
  ])('502, and nothing changes, when the registry %s', async (label, statusOf) => {
    const name = `${label.replaceAll(' ', '-').toLowerCase()}.com`
    rdap.documents.set(name, rdapDocument(name))
    dataOf(await portfolio.add('ada', name))
    const before = dataOf(await portfolio.sync('ada', name))
    await passMinute()
    rdap.respond = (_request, response) => {
      response.writeHead(statusOf(500)).end('<html>')
    }
    expect((await portfolio.sync('ada', name)).status).toBe(502)
    expect(await ofAda(name)).toEqual(before)
  })

  it('404 for a domain that is not registered any more, whose data is kept', async () => {
    rdap.documents.set('dropped.com', rdapDocument('dropped.com'))
    dataOf(await portfolio.add('ada', 'dropped.com'))
    const before = dataOf(await portfolio.sync('ada', 'dropped.com'))
    rdap.documents.delete('dropped.com')
    await passMinute()
    expect(problemOf(await portfolio.sync('ada', 'dropped.com'))).toEqual([
      ...[404, 'not_found'],
      'dropped.com is not registered. The portfolio keeps the data of its last registration.',
    ])
    expect(await ofAda('dropped.com')).toEqual(before)
  })

  it('no look-up for a domain of no account (404), or only of another account (403)', async () => {
    dataOf(await portfolio.add('bob', 'of-bob.info'))
    await expect.poll(() => lookUpsOf('of-bob.info'), { timeout: 30_000 }).toBe(1)
    expect(problemOf(await portfolio.sync('ada', 'of-bob.info'))).toEqual([
      ...[403, 'forbidden', 'This domain belongs to another account.'],
    ])
    expect(problemOf(await portfolio.sync('ada', 'of-none.com'))).toEqual([
      ...[404, 'not_found', 'There is no domain of-none.com in the portfolio.'],
    ])
    expect([lookUpsOf('of-bob.info'), lookUpsOf('of-none.com')]).toEqual([1, 0])
  })

  it('400 that names the domain of a subdomain', async () => {
    const [status, code, message] = problemOf(await portfolio.sync('ada', 'www.new.com'))
    expect([status, code]).toEqual([400, 'bad_request'])
    expect(message).toMatch(/^domain must be .*new\.com, not its subdomain "www\.new\.com"/)
  })

  it('two servers on one database ask once for each new domain', async () => {
    const names = ['first.org', 'second.dev', 'third.net']
    for (const name of names) rdap.documents.set(name, rdapDocument(name))
    const other = await portfolio.site.another()
    dataOf(await portfolio.add('ada', ...names))
    for (const name of names) await expect.poll(() => isSynced(name), { timeout: 30_000 }).toBe(true)
    expect(names.map(lookUpsOf)).toEqual([1, 1, 1])
    await other.stop()
  })

  it('a domain that is removed while the registry answers: 404', async () => {
    rdap.documents.set('brief.app', rdapDocument('brief.app'))
    const { id } = dataOf(await portfolio.add('ada', 'brief.app'))['domains'][0]
    await expect.poll(() => isSynced('brief.app'), { timeout: 30_000 }).toBe(true)
    await passMinute()
    let answer = (): void => undefined
    rdap.respond = (_request, response) => {
      answer = () => response.end(JSON.stringify(rdapDocument('brief.app')))
    }
    const asked = rdap.requests.length
    const syncing = portfolio.sync('ada', 'brief.app')
    await expect.poll(() => rdap.requests.length, { timeout: 30_000 }).toBeGreaterThan(asked)
    dataOf(await portfolio.remove('ada', id as number))
    answer()
    expect((await syncing).status).toBe(404)
  })
})
