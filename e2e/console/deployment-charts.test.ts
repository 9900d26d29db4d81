import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send } from '../../packages/server/test/raw-http.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The charts of forms and webhooks, by day and by hour. */

const onContent = { host: 'content.localhost' }

let site: ConsoleSite
let page: Page
beforeAll(async () => {
  site = await startConsole()
  await site.account('ada@example.com')
  page = await site.open('ada@example.com', 'deployments')
})
afterAll(() => site.close())

it('compares the days of a chart with those before, and limits the list below to the day that is clicked', async () => {
  const ada = await site.browser('ada@example.com')
  const { id } = (await ada.call('POST', '/deployments/create', { body: { kind: 'form', slug: 'history' } })).body[
    'data'
  ]
  const headers = { ...onContent, 'content-type': 'application/json' }
  for (const email of ['yesterday@example.com', 'today@example.com']) {
    const sent = { headers, body: JSON.stringify({ email }) }
    expect((await send(site.url, 'POST', '/f/history', sent)).status).toBe(200)
  }
  const form = `deployment_id = ${String(id)}`
  const dayMs = 86_400_000
  const today = Math.floor(Date.now() / dayMs)
  await site.sql(`update form_submission set received_at = ${String((today - 1) * dayMs)} where ${form} and id = 1`)
  await site.sql(`delete from deployment_use_day where ${form}`)
  for (const [day, uses] of [
    [today, 1],
    [today - 1, 1],
    [today - 9, 5],
  ] as const)
    await site.sql(
      `insert into deployment_use_day (deployment_id, day, uses) values (${String(id)}, ${String(day)}, ${String(uses)})`,
    )
  const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10)

  await page.goto(`${site.url}/console/deployments/${String(id)}?days=7`)
  const chart = page.getByRole('img', {
    name: /^Submissions by day: 2 submissions in the last 7 days, 5 in the 7 days before, most on /,
  })
  await chart.getByText('The 7 days before').waitFor()
  const cells = page.getByRole('table', { name: 'Submissions' }).getByRole('cell', { name: /@example\.com$/ })
  await expect.poll(() => cells.allTextContents()).toEqual(['today@example.com', 'yesterday@example.com'])
  await chart.locator('.recharts-bar-rectangle path').first().click()
  await expect.poll(() => cells.allTextContents()).toEqual(['yesterday@example.com'])
  const choice = page.getByLabel('Day of the list, in UTC')
  expect(await choice.inputValue()).toBe(dateOf(today - 1))
  expect(new URL(page.url()).searchParams.get('day')).toBe(dateOf(today - 1))
  await inspect(page, 'deployments-day')
  await choice.selectOption(dateOf(today - 2))
  await page.getByText(/^No kept submissions of /).waitFor()
  await choice.selectOption('All days')
  await expect.poll(() => cells.count()).toBe(2)
  expect((await ada.call('POST', '/deployments/delete', { body: { id } })).status).toBe(200)
})

it('shows the last 24 hours of a webhook by hour, with those a week before and the failed attempts', async () => {
  const ada = await site.browser('ada@example.com')
  const webhook = { kind: 'webhook' }
  const { id } = (await ada.call('POST', '/deployments/create', { body: webhook })).body['data']
  // Not the current hour, which may end now.
  const hour = Math.floor(Date.now() / 3_600_000) - 2
  for (const [at, uses, failures] of [
    [hour, 3, 2],
    [hour - 7 * 24, 5, 0],
  ] as const)
    await site.sql(`insert into deployment_use_hour (deployment_id, slot, hour, uses, failures)
      values (${String(id)}, ${String(at % 192)}, ${String(at)}, ${String(uses)}, ${String(failures)})`)

  await page.goto(`${site.url}/console/deployments/${String(id)}`)
  await page.getByRole('heading', { name: 'Requests by day' }).waitFor()
  await page.getByText('24 hours', { exact: true }).click()
  const chart = page.getByRole('img', {
    name: /^Requests by hour: 3 requests in the last 24 hours, 5 a week before, 2 failed attempts to forward, most at /,
  })
  await chart.getByText('A week before').waitFor()
  await chart.getByText('Failed attempts').waitFor()
  expect(new URL(page.url()).searchParams.get('days')).toBe('24h')
  await inspect(page, 'deployments-hours')
  await page.getByText('(click an hour to list its whole day, in UTC)').waitFor()
  await chart.locator('.recharts-bar-rectangle path').first().click()
  const dateOf = new Date(hour * 3_600_000).toISOString().slice(0, 10)
  await expect.poll(() => page.getByLabel('Day of the list, in UTC').inputValue()).toBe(dateOf)
  expect((await ada.call('POST', '/deployments/delete', { body: { id } })).status).toBe(200)
})
