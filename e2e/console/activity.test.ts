import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Browser } from '../../packages/server/test/site.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** What was done in the account, in the console. */

const email = 'ada@example.com'

let site: ConsoleSite
let ada: Browser
let [deploy, idle] = [0, 0]
let serial = 0
beforeAll(async () => {
  site = await startConsole()
  await site.account(email)
  ada = await site.browser(email)
  const create = async (name: string) =>
    (await ada.call('POST', '/keys', { body: { name, scopes: ['dns:write'] } })).body['data'] as {
      id: number
      token: string
    }
  const key = await create('deploy')
  ;[deploy, idle] = [key.id, (await create('idle')).id]
  const { token } = key
  await site.call('POST', '/v1/dns/zones', { token, body: { zone: 'example.com' } })
  const record = { type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 }
  await site.call('POST', '/v1/dns/zones/example.com/records', { token, body: record })
  await ada.call('POST', '/dns/zones', { body: { zone: 'example.org' } })
  await ada.call('POST', '/keys/update', { body: { id: deploy, name: 'deploy-2', scopes: ['dns:read', 'dns:write'] } })
  ;[{ serial }] = (await site.sql(`select serial from dns_zone where name = 'example.com'`)) as [{ serial: number }]
})
afterAll(() => site.close())

const eventsIn = (page: Page) => page.getByRole('region', { name: 'Today' }).getByRole('listitem')
const eventWith = (page: Page, text: string) => eventsIn(page).filter({ hasText: text })
const queryOf = (page: Page) => new URL(page.url()).search

it('shows each event as a sentence, with links to the API key and to the thing', async () => {
  const page = await site.open(email, 'activity')
  const change = eventWith(page, 'API key deploy changed the zone example.com')
  await change.getByText('from 127.0.0.0/24').waitFor()
  await change.getByText(/^request req_/).waitFor()
  await eventWith(page, 'You created the API key deploy').first().getByText('in the console').waitFor()
  await eventWith(page, 'You changed the API key deploy').waitFor()
  await inspect(page, 'activity')

  await change.getByRole('link', { name: 'example.com', exact: true }).click()
  await page.waitForURL('**/dns/example.com/history')
  await page.goBack()
  await change.getByRole('link', { name: 'API key deploy' }).click()
  await page.waitForURL(`${site.url}/console/account/keys?key=${String(deploy)}`)
})

it('shows fields before and after on demand, also by keys alone', async () => {
  const page = await site.open(email, 'activity')
  const change = eventWith(page, 'You changed the API key deploy')
  const details = change.getByRole('button', { name: /^Details: You changed the API key/ })
  await details.waitFor()
  expect(await details.getAttribute('aria-expanded')).toBe('false')
  await details.focus()
  await page.keyboard.press('Enter')
  expect(await details.getAttribute('aria-expanded')).toBe('true')
  const row = change.getByRole('row').filter({ hasText: 'Name' })
  expect(await row.getByRole('cell').allTextContents()).toEqual(['deploy', 'deploy-2'])
  const zone = eventWith(page, 'changed the zone example.com')
  await zone.getByRole('button', { name: /^Details/ }).click()
  await zone.getByText(`serial ${String(serial)}`).waitFor()
  await inspect(page, 'activity-details')
  await details.focus()
  await page.keyboard.press('Shift+Tab')
  await page.getByRole('tooltip').waitFor()
})

it('has its filter in the address, which can be opened again', async () => {
  const page = await site.open(email, 'activity')
  await page.getByLabel('Area', { exact: true }).selectOption('DNS')
  await expect.poll(() => queryOf(page)).toBe('?area=dns')
  await expect.poll(() => eventWith(page, 'created the API key').count()).toBe(0)
  await page.getByLabel('Name of the thing').fill('example.com')
  await page.keyboard.press('Enter')
  await expect.poll(() => queryOf(page)).toBe('?area=dns&object=example.com')
  await page.getByText('2 events', { exact: true }).waitFor()
  await page.getByLabel('API key', { exact: true }).selectOption('idle')
  await page.getByText(/^No event matches this filter/).waitFor()
  await inspect(page, 'activity-none')

  await page.goto(`${site.url}/console/activity?object=example.com&token=${String(deploy)}`)
  await page.getByText('2 events', { exact: true }).waitFor()
  expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe(String(deploy))
  expect(await page.getByLabel('Name of the thing').inputValue()).toBe('example.com')
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await expect.poll(() => queryOf(page)).toBe('')
  await eventWith(page, 'created the API key idle').waitFor()
})

it('pages of a zone, of keys and of the account, and the palette lead to their events', async () => {
  const page = await site.open(email, 'dns/example.com')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Activity' }).click()
  await page.waitForURL(`${site.url}/console/activity?object=example.com`)
  await page.getByText('2 events', { exact: true }).waitFor()

  await page.goto(`${site.url}/console/account/keys`)
  await page.getByRole('button', { name: 'Actions for idle' }).click()
  await page.getByRole('menuitem', { name: 'Activity' }).click()
  await page.waitForURL(`${site.url}/console/activity?token=${String(idle)}`)
  await page.getByText(/^No event matches this filter/).waitFor()

  await page.keyboard.press('Control+k')
  const palette = page.locator('[data-palette]')
  await palette.getByLabel('Search').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('audit zones')
  await palette.getByText('Show changes of zones').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${site.url}/console/activity?area=dns`)
  await page.getByRole('navigation').getByRole('link', { name: 'Account', exact: true }).click()
  await page.getByRole('main').getByRole('link', { name: 'Activity' }).click()
  await page.waitForURL(`${site.url}/console/activity`)
})

it('the overview has the latest events', async () => {
  const page = await site.open(email, '')
  const card = page.getByRole('region', { name: 'Recent activity' })
  await card
    .getByText(/^You signed in/)
    .first()
    .waitFor()
  await card.getByRole('link', { name: 'All activity' }).click()
  await page.waitForURL(`${site.url}/console/activity`)
})

it('says why the events cannot be read, and reads them again', async () => {
  const page = await site.open(email, 'account/keys')
  const envelope = { success: false, error: 'internal_error', message: 'The database failed.', request_id: 'req_1' }
  const path = '**/console/api/account/events*'
  await page.route(path, (route) => route.fulfill({ status: 500, json: envelope }))
  await page.goto(`${site.url}/console/activity`)
  await page.getByRole('alert').getByText('The database failed.').waitFor()
  await inspect(page, 'activity-failure')
  await page.unroute(path)
  await page.getByRole('button', { name: 'Try again' }).click()
  await eventWith(page, 'created the API key idle').waitFor()
})

it('an account without events says what appears here', async () => {
  await site.account('new@example.com')
  const page = await site.open('new@example.com', 'none')
  // Later versions may record the sign-in of the test.
  await site.sql(
    "delete from account_event where account_id = (select id from account where email = 'new@example.com')",
  )
  await page.goto(`${site.url}/console/activity`)
  await page.getByRole('heading', { name: 'No events yet' }).waitFor()
  await inspect(page, 'activity-empty')
})

it('loads older events, and downloads all of them as CSV', async () => {
  const { id } = await site.account('bob@example.com')
  const [first, last] = [1, 1_250]
  await site.sql(
    `insert into account_event (account_id, at, area, action, object, actor_kind, actor_name)
    with recursive numbers(n) as (select ${String(first)} union all select n + 1 from numbers where n < ${String(last)})
    select ${String(id)}, ${String(Date.now() - 86_400_000 * 2)} + n, 'account', 'token_create', case n when 7 then '=cmd' else 'key-' || n end, 'session', 'console' from numbers`,
  )
  const page = await site.open('bob@example.com', 'activity?area=account')
  await page.getByText('created the API key key-1250').waitFor()
  const events = page.getByRole('listitem').filter({ hasText: 'created the API key' })
  expect(await events.count()).toBeLessThanOrEqual(100)
  await page.getByRole('button', { name: 'Show older' }).click()
  await page.getByText('created the API key key-1060').waitFor()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  await page.getByText(/events saved\.$/).waitFor()
  expect(download.suggestedFilename()).toMatch(/^svc-activity-\d{4}-\d{2}-\d{2}\.csv$/)
  const text = await readFile(await download.path(), 'utf8')
  const lines = text.split('\r\n')
  expect(lines[0]).toMatch(/^\uFEFFat,event,area,action,object,/)
  expect(lines.filter((line) => line.includes(',token_create,')).length).toBe(last)
  expect(text).toContain(",You created the API key =cmd,account,token_create,'=cmd,session,console,")
  expect(new Set(lines).size).toBe(lines.length)
})
