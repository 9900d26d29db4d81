import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { dataOf, problemOf, startPortfolio, type PortfolioSite } from '../../../../test/portfolio-site.js'

const unknown = {
  registrar: null,
  registered_at: null,
  expires_at: null,
  nameservers: [],
  statuses: [],
  synced_at: null,
}

describe.each(databaseKinds)('the domain portfolio on %s', (kind) => {
  let portfolio: PortfolioSite
  beforeAll(async () => {
    portfolio = await startPortfolio(kind, { domainsMax: 120 })
  })
  afterAll(() => portfolio.stop())

  const namesOf = (domains: readonly unknown[]) => domains.map((domain) => (domain as { domain: string }).domain)
  const clear = (owner: 'ada' | 'bob') =>
    portfolio.site.sql(`delete from domain where account_id = ${String(portfolio.accounts[owner].id)}`)

  it('adds domains in canonical form; adding one again answers the existing domain', async () => {
    const { add, annotate, list } = portfolio
    const { domains } = dataOf(await add('ada', 'Zebra.com', 'münchen.de', 'zebra.COM.'))
    expect(domains).toMatchObject([
      { domain: 'zebra.com', note: '', ...unknown },
      { domain: 'xn--mnchen-3ya.de', note: '', ...unknown },
    ])
    const noted = dataOf(await annotate('ada', domains[0].id, 'Größe "5" \\ 🦓'))
    expect(noted).toEqual({ ...domains[0], note: 'Größe "5" \\ 🦓' })
    expect(dataOf(await add('ada', 'zebra.com', 'new.com'))).toMatchObject({
      domains: [noted, { domain: 'new.com', note: '' }],
    })
    const listed = await list('ada')
    expect(namesOf(listed)).toEqual(['new.com', 'xn--mnchen-3ya.de', 'zebra.com'])
    expect(listed[2]).toEqual(noted)
    await clear('ada')
  })

  it('adds all domains or none, and names all invalid entries', async () => {
    const { add, list } = portfolio
    const answer = await add('ada', 'good.com', 'www.bad.com', 'com')
    expect(problemOf(answer)).toEqual([
      ...[400, 'bad_request'],
      expect.stringMatching(/^domains\[1\] must be .*bad\.com, .* domains\[2\] .*it has one label\.$/),
    ])
    expect(await list('ada')).toEqual([])
  })

  it('lists the soonest expiry first, unknown ones last, then by name', async () => {
    const { add, list, site } = portfolio
    const order = ['past.com', 'b-soon.com', 'c-soon.com', 'late.com', 'a-unknown.com', 'b.a', 'ba.a', 'z-unknown.com']
    dataOf(await add('ada', ...[...order].sort().reverse()))
    for (const [name, at] of Object.entries({
      'past.com': 1,
      'b-soon.com': 5e12,
      'c-soon.com': 5e12,
      'late.com': 6e12,
    }))
      await site.sql(`update domain set expires_at = ${String(at)} where name = '${name}'`)
    expect(namesOf(await list('ada'))).toEqual(order)
    expect(await list('bob')).toEqual([])
    await clear('ada')
  })

  it('an empty note removes the note, and one of several lines is refused', async () => {
    const { add, annotate } = portfolio
    const { id } = dataOf(await add('ada', 'noted.com'))['domains'][0]
    const noted = dataOf(await annotate('ada', id, 'a'))
    expect(dataOf(await annotate('ada', id, 'a'))).toEqual(noted)
    expect(dataOf(await annotate('ada', id, ''))['note']).toBe('')
    expect(problemOf(await annotate('ada', id, 'a\nb'))).toEqual([
      ...[400, 'bad_request', 'note must not contain control characters or invisible format characters.'],
    ])
    expect((await annotate('ada', id, 'x'.repeat(200))).status).toBe(200)
    expect((await annotate('ada', id, 'x'.repeat(201))).status).toBe(400)
    await clear('ada')
  })

  it('a domain of another account: 403 by its id, and each account has its own note', async () => {
    const { add, annotate, list, remove } = portfolio
    const ofAda = dataOf(await add('ada', 'both.com'))['domains'][0]
    const ofBob = dataOf(await add('bob', 'both.com'))['domains'][0]
    expect(ofBob.id).not.toBe(ofAda.id)
    dataOf(await annotate('bob', ofBob.id, 'of Bob'))
    for (const answer of [await remove('ada', ofBob.id), await annotate('ada', ofBob.id, 'mine')])
      expect(problemOf(answer)).toEqual([403, 'forbidden', 'This domain belongs to another account.'])
    expect(dataOf(await remove('ada', ofAda.id))).toEqual({ id: ofAda.id, deleted: true })
    expect(problemOf(await remove('ada', ofAda.id))).toEqual([404, 'not_found', `There is no domain ${ofAda.id}.`])
    expect([await list('ada'), await list('bob')]).toMatchObject([[], [{ domain: 'both.com', note: 'of Bob' }]])
    await clear('bob')
  })

  it('the limit of an account holds for parallel requests, and known domains do not count', async () => {
    const { add, list } = portfolio
    const hundred = (label: string) => Array.from({ length: 100 }, (_, n) => `${label}${String(n)}.com`)
    const answers = await Promise.all(['a', 'b', 'c'].map((label) => add('ada', ...hundred(label))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(problemOf(answers.find(({ status }) => status === 400)!)).toEqual([
      ...[400, 'bad_request'],
      'domains must have at most 20 new domains, not 100: the account has 100 of 120.',
    ])
    const listed = namesOf(await list('ada'))
    expect(listed).toHaveLength(100)
    expect((await add('ada', ...listed.slice(0, 90), 'x1.com', 'x2.com')).status).toBe(200)
    await clear('ada')
  })

  it('the same domain in parallel requests is added once', async () => {
    const { add, list } = portfolio
    const answers = await Promise.all([1, 2, 3, 4].map(() => add('ada', 'once.com')))
    expect(new Set(answers.map((answer) => dataOf(answer)['domains'][0].id as number)).size).toBe(1)
    expect(await list('ada')).toHaveLength(1)
    await clear('ada')
  })
})
