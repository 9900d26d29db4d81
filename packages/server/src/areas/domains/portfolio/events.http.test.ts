import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventReader } from '../../../../test/account-events.js'
import { databaseKinds } from '../../../../test/app.js'
import { dataOf, startPortfolio, type PortfolioSite } from '../../../../test/portfolio-site.js'

describe.each(databaseKinds)('the events of domains on %s', (kind) => {
  let portfolio: PortfolioSite
  let events: Awaited<ReturnType<typeof eventReader>>
  beforeAll(async () => {
    portfolio = await startPortfolio(kind, { domainsMax: 4 })
    events = await eventReader(portfolio.site, portfolio.accounts.ada)
  })
  afterAll(() => portfolio.stop())

  it('show domains that were added, annotated and removed; several that were added together are one event', async () => {
    const { add, annotate, remove } = portfolio
    const [zebra] = dataOf(await add('ada', 'zebra.com'))['domains']
    await add('ada', 'zebra.com', 'one.com', 'two.com')
    await add('ada', 'zebra.com')
    await annotate('ada', zebra.id, 'canary note')
    await annotate('ada', zebra.id, 'canary note')
    await remove('ada', zebra.id)
    expect(await events.actions()).toEqual([
      { action: 'domain_add', object: 'zebra.com', before: null, after: null },
      { action: 'domain_add', object: '', before: null, after: { count: 2, domains: ['one.com', 'two.com'] } },
      { action: 'domain_change', object: 'zebra.com', before: null, after: { changed: ['note'] } },
      { action: 'domain_remove', object: 'zebra.com', before: null, after: null },
    ])
    expect(JSON.stringify(await portfolio.site.sql('select * from account_event'))).not.toContain('canary')
  })

  it('show that the address of the calendar was made and deleted, without its key', async () => {
    const calendar = async (name: string) =>
      dataOf(await portfolio.browsers.ada.call('POST', `/domains/calendar/${name}`))
    const key = /calendar\/(\w+)\.ics/.exec((await calendar('create'))['url'] as string)?.[1]
    await calendar('delete')
    await calendar('delete')
    expect((await events.fresh()).map(({ action, object }) => [action, object])).toEqual([
      ['calendar_create', ''],
      ['calendar_delete', ''],
    ])
    expect(JSON.stringify(await events.all())).not.toContain(key)
  })

  it('do not exist of a call that fails, and in another account', async () => {
    const { add, remove } = portfolio
    expect((await add('ada', ...Array.from({ length: 9 }, (_, i) => `many${String(i)}.com`))).status).toBe(400)
    expect((await remove('ada', 999_999)).status).toBe(404)
    expect(await events.fresh()).toEqual([])
    const other = await eventReader(portfolio.site, portfolio.accounts.bob)
    expect(await other.all('?area=domains')).toEqual([])
  })
})
