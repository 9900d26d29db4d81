import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The page with the queries for a zone. */

const zone = 'queries.example'
const outcomes = 'answers, no_data, nxdomain, referrals, truncated, limited, refused, transfers, updates'

let site: ConsoleSite
let page: Page
beforeAll(async () => {
  site = await startConsole()
  await site.account('ada@example.com')
  page = await site.open('ada@example.com', 'dns')
  const ada = await site.browser('ada@example.com')
  expect((await ada.call('POST', '/dns/zones', { body: { zone } })).status).toBe(200)
})
afterAll(() => site.close())

it('opens from the page of the zone, and says that there were no queries', async () => {
  await page.goto(`${site.url}/console/dns/${zone}`)
  await page.getByRole('link', { name: 'Queries' }).click()
  await page.getByText('No queries in the last 30 days. Each query is counted once, within a minute.').waitFor()
  await inspect(page, 'dns-queries-none')
})

it('shows the queries by day and by hour, and what they got', async () => {
  const hour = Math.floor(Date.now() / 3_600_000) - 1
  const count = async (at: number, counts: readonly number[]) => {
    const of = `select zone.id, holder_id, ${String(Math.floor(at / 24))}`
    const from = `${counts.join()} from dns_zone as zone where name = '${zone}'`
    await site.sql(`insert into dns_query_day (zone_id, account_id, day, ${outcomes}) ${of}, ${from}`)
    await site.sql(
      `insert into dns_query_hour (zone_id, account_id, day, hour, ${outcomes}) ${of}, ${String(at % 24)}, ${from}`,
    )
  }
  await count(hour, [4000, 200, 30, 5, 4, 0, 1, 2, 3])
  await count(hour - 7 * 24, [1000, 0, 0, 0, 0, 0, 0, 0, 0])
  for (let day = 2; day < 6; day++) await count(hour - day * 24, [2000 + 300 * day, 100, 50 * day, 0, 0, 0, 0, 1, 0])

  await page.goto(`${site.url}/console/dns/${zone}/queries?days=7`)
  const chart = page.getByRole('img', { name: /^Queries by day: [\d,]+ queries in the last 7 days, / })
  await chart.getByText('Nonexistent names').waitFor()
  const table = page.getByRole('table', { name: 'Queries by outcome' })
  await table.getByRole('row', { name: /^Updates by RFC 2136 3$/ }).waitFor()
  await inspect(page, 'dns-queries')

  await page.getByText('24 hours', { exact: true }).click()
  await page
    .getByRole('img', { name: /^Queries by hour: 4,245 queries in the last 24 hours, 1,000 a week before, / })
    .getByText('A week before')
    .waitFor()
  await table.getByRole('row', { name: /^Answers with records 4,000$/ }).waitFor()
  await table.getByRole('row', { name: /^Updates by RFC 2136 3$/ }).waitFor()
  await inspect(page, 'dns-queries-hours')
})
