import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send } from '../../packages/server/test/raw-http.js'
import { startTarget, type TargetServer } from '../../packages/server/test/target-server.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Forms, webhooks and short links: created in the console, and used on the content host. */

const onContent = { host: 'content.localhost' }
const person = { ...onContent, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' }

let site: ConsoleSite
let target: TargetServer
let page: Page
beforeAll(async () => {
  target = await startTarget()
  site = await startConsole({ outboundAllow: ['127.0.0.1/32'] })
  await site.account('ada@example.com')
  page = await site.open('ada@example.com', 'deployments')
})
afterAll(async () => {
  await site.close()
  await target.stop()
})

const openList = () => page.goto(`${site.url}/console/deployments`)
/** The path of the deployment whose page is open. */
const pathOfAddress = async () => {
  const address = await page
    .getByText(/^http:\/\/content\.localhost.*\/[fhl]\//)
    .first()
    .textContent()
  return new URL(address ?? '').pathname
}

it('creates a form, and shows, finds, exports and deletes its submissions', async () => {
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  await inspect(page, 'deployments-empty')
  await page.getByRole('button', { name: 'Create a form', exact: true }).click()
  await page.getByLabel('Name in the address').fill('Contact us')
  await page.getByText(/\/f\/contact-us$/).waitFor()
  const sites = page.getByRole('combobox', { name: 'Sites that may send the form' })
  await sites.fill('https://example.com')
  await sites.press('Enter')
  // In the empty box, Enter does not send the form.
  await sites.press('Enter')
  await inspect(page, 'deployments-new-form')
  expect(await sites.isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Create the form' }).click()

  await page.getByRole('heading', { name: 'No submissions yet' }).waitFor()
  const path = await pathOfAddress()
  expect(path).toBe('/f/contact-us')
  await page.getByText(`name="_gotcha"`).waitFor()
  const headers = { ...onContent, origin: 'https://example.com', 'content-type': 'application/json' }
  const submissions = [
    { email: 'grace@example.com', message: '<b>Hello</b>, do you deliver on Saturdays?' },
    { email: 'barbara@example.net', message: 'A table for six on Friday at 19:00, please.' },
    { email: 'linus@example.com', message: 'The last order was great. Can I have the same again?' },
  ]
  for (const each of submissions) {
    const body = JSON.stringify(each)
    expect((await send(site.url, 'POST', path, { headers, body })).status).toBe(200)
  }
  await page.reload()
  const rows = page.getByRole('table', { name: 'Submissions' }).getByRole('row')
  await page.getByRole('cell', { name: 'linus@example.com' }).waitFor()
  await page
    .getByRole('img', { name: /^Submissions by day: 3 submissions in the last 30 days/ })
    .locator('svg')
    .first()
    .waitFor()
  await inspect(page, 'deployments-form')

  await page.getByLabel('Search in the loaded submissions').fill('GRACE hello')
  await expect.poll(() => rows.count()).toBe(2)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download as CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('contact-us.csv')
  expect(await readFile(await file.path(), 'utf8')).toMatch(/linus@example\.com[^]*grace@example\.com/)

  await rows.nth(1).getByRole('button').click()
  await page.getByRole('dialog').getByText('<b>Hello</b>').waitFor()
  await inspect(page, 'deployments-submission')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the submission' }).click()
  const question = page.getByRole('dialog', { name: /^Delete submission/ })
  await question.getByRole('button', { name: 'Delete the submission' }).click()
  await page.getByText('No loaded submission contains').waitFor()
})

it('creates a webhook, forwards its requests, and forwards one again', async () => {
  await openList()
  await page.getByRole('button', { name: 'Create a form or link' }).click()
  await page.getByText('Webhook', { exact: true }).click()
  await page.getByLabel('Forward to').fill(target.url)
  await inspect(page, 'deployments-new-webhook')
  const created: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && new URL(request.url()).pathname === '/console/api/deployments/create')
      created.push(request.url())
  })
  await page.getByRole('button', { name: 'Create the webhook' }).dblclick()

  await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor()
  expect(created).toHaveLength(1)
  const path = await pathOfAddress()
  const headers = { ...onContent, 'content-type': 'application/json', 'x-event': 'push' }
  const sent = { headers, body: '{"action":"push"}' }
  expect((await send(site.url, 'POST', `${path}/github?a=1`, sent)).status).toBe(200)
  // Without a reload.
  await page.getByRole('button', { name: 'POST /github?a=1' }).waitFor()
  await page.getByText('delivered').waitFor()
  await page.getByRole('img', { name: /^Requests by day: 1 request in the last 30 days/ }).waitFor()
  await inspect(page, 'deployments-webhook')

  await page.getByRole('button', { name: 'POST /github?a=1' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText('"action": "push"').waitFor()
  await drawer.getByText('x-event', { exact: true }).waitFor()
  await drawer.getByText(/--data-raw '\{"action":"push"\}'/).waitFor()
  await inspect(page, 'deployments-request')
  await drawer.getByRole('button', { name: 'Forward the request again' }).click()
  await expect.poll(() => target.received.length, { timeout: 10_000 }).toBe(2)
  expect(target.received[1]?.body.toString()).toBe('{"action":"push"}')
  await drawer.getByRole('button', { name: 'Close' }).click()
})

it('shows the signing secret only when asked, and replaces it after its slug is typed', async () => {
  const secret = page.locator('[data-secret]')
  expect(await page.content()).not.toMatch(/whsec_[A-Za-z0-9]/)
  await page.getByRole('button', { name: 'Show the secret' }).click()
  const before = (await secret.textContent()) ?? ''
  expect(before).toMatch(/^whsec_[A-Za-z0-9+/=]+$/)
  await page.getByRole('button', { name: 'Replace the secret' }).click()
  const slug = (await pathOfAddress()).slice('/h/'.length)
  await page.getByLabel(`Type ${slug} to confirm`).fill(slug)
  await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click()
  await expect.poll(() => secret.textContent()).not.toBe(before)
  expect(await secret.textContent()).toMatch(/^whsec_/)
})

it('creates a short link that redirects, shows its QR code, and disables and deletes it', async () => {
  await openList()
  await page.getByRole('button', { name: 'Create a form or link' }).click()
  await page.getByText('Short link', { exact: true }).click()
  await page.getByLabel('Name in the address').fill('launch')
  await page.getByRole('textbox', { name: 'Target' }).fill('ftp://example.com/launch')
  await page.getByLabel('Maximum number of uses').fill('3')
  await page.getByRole('button', { name: 'Create the short link' }).click()
  await page.getByText(/Must be a URL of http or https/).waitFor()
  expect(await page.getByRole('textbox', { name: 'Target' }).inputValue()).toBe('ftp://example.com/launch')
  expect(await page.getByLabel('Name in the address').inputValue()).toBe('launch')
  await inspect(page, 'deployments-new-shortlink')
  await page.getByRole('textbox', { name: 'Target' }).fill('https://example.com/launch')
  await page.getByRole('button', { name: 'Create the short link' }).click()

  await page.getByRole('img', { name: /^QR code of http:.*\/l\/launch$/ }).waitFor()
  await page.getByText('No uses in the last 30 days.').waitFor()
  await page.getByText('90 days', { exact: true }).click()
  await page.getByText('No uses in the last 90 days.').waitFor()
  expect(new URL(page.url()).searchParams.get('days')).toBe('90')
  await inspect(page, 'deployments-shortlink')
  const use = () => send(site.url, 'GET', '/l/launch', { headers: person })
  const redirect = await use()
  expect([redirect.status, redirect.headers.location]).toEqual([302, 'https://example.com/launch'])

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Expires').fill('2030-01-31T18:00')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/Jan 31, 2030/).waitFor()
  await openList()
  await page.getByRole('img', { name: /launch 1/ }).waitFor()
  await inspect(page, 'deployments-list')
  await page.getByText('Short links', { exact: true }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('kind')).toBe('shortlink')
  await page.getByRole('switch', { name: 'Enable launch' }).click({ force: true })
  await page.getByText(/launch is disabled/).waitFor()
  expect((await use()).status).toBe(404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  expect((await use()).status).toBe(302)

  await page.getByRole('link', { name: 'launch' }).click()
  await page.getByRole('button', { name: 'Delete launch' }).click()
  await page.getByLabel('Type launch to confirm').fill('launch')
  await page.getByRole('button', { name: 'Delete the short link' }).click()
  await page.getByText('The short link launch is deleted.').waitFor()
  expect((await use()).status).toBe(404)
})

it('shows each attempt and the answers of a target that fails, and forwards all failed requests again', async () => {
  const browser = await site.browser('ada@example.com')
  const fields = { kind: 'webhook', slug: 'orders', target: target.url }
  expect((await browser.call('POST', '/deployments/create', { body: fields })).status).toBe(200)
  target.answer = ({ body }) => (body.toString() === 'gone' ? 410 : 503)
  target.body = '<b>Down for repair</b>'
  for (const body of ['gone', 'down'])
    expect((await send(site.url, 'POST', `/h/orders/${body}`, { headers: onContent, body })).status).toBe(200)

  await expect
    .poll(() => target.received.filter(({ body }) => ['gone', 'down'].includes(body.toString())).length)
    .toBe(2)
  await openList()
  await page
    .getByRole('row', { name: /orders/ })
    .getByText(/^2 failing since \d/)
    .waitFor()
  await inspect(page, 'deployments-failing')
  await page.getByRole('link', { name: 'orders' }).click()
  await page.getByText('given up', { exact: true }).waitFor()
  await page.getByText(/^failing \(\d of 8\)$/).waitFor()
  await inspect(page, 'deployments-failing-webhook')

  await page.getByRole('button', { name: 'POST /down' }).click()
  const drawer = page.getByRole('dialog')
  // After the second attempt, the next one is half a minute away; on a busy machine there may be a third one.
  const state = drawer.getByText(/^failing \([2-8] of 8\)$/)
  await state.waitFor()
  const next = drawer.getByText(/^Next attempt in (\d+ min )?\d+ s$/)
  const before = await next.textContent()
  await expect.poll(() => next.textContent()).not.toBe(before)
  const attempts = drawer.getByRole('button', { name: /503/ })
  const stated = async () => `failing (${String(await attempts.count())} of 8)`
  await expect.poll(async () => (await stated()) === (await state.textContent())).toBe(true)
  await attempts.first().focus()
  await page.keyboard.press('Enter')
  await drawer.getByRole('group', { name: 'the answer' }).getByText('<b>Down for repair</b>').waitFor()
  await inspect(page, 'deployments-attempts')
  await drawer.getByRole('button', { name: 'Close' }).click()

  target.answer = () => 200
  await page.getByRole('button', { name: 'Forward all failed again' }).click()
  await page.getByText('2 requests are being forwarded again.').waitFor()
  await expect.poll(() => page.getByText('delivered', { exact: true }).count(), { timeout: 15_000 }).toBe(2)
  await page.getByRole('button', { name: 'Forward all failed again' }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'POST /down' }).click()
  await drawer.getByRole('button', { name: /200/ }).waitFor()
  expect(await attempts.count()).toBeGreaterThanOrEqual(2)
})

it('finds forms and links by slug, target and kind, and shows the chart above the rows', async () => {
  await openList()
  const chart = page.getByRole('img', { name: /^Uses: / })
  const table = page.getByRole('table', { name: 'Forms and links' })
  await chart.locator('svg').first().waitFor()
  const bottom = await chart.boundingBox().then((box) => box!.y + box!.height)
  expect(bottom).toBeLessThan((await table.boundingBox())!.y)

  const search = page.getByRole('textbox', { name: 'Search forms and links' })
  const slugs = () => table.getByRole('link').allTextContents()
  await search.fill('ORD')
  await expect.poll(slugs).toEqual(['orders'])
  expect(await chart.count()).toBe(0)
  await search.fill(target.url)
  await expect.poll(slugs).toContain('orders')
  await search.fill('form')
  await expect.poll(slugs).toEqual(['contact-us'])
  await page.reload()
  await expect.poll(slugs).toEqual(['contact-us'])
  await search.fill('no such link')
  await page.getByText('No form or link matches this search.').waitFor()
  await inspect(page, 'deployments-search')
})

it('gives the whole width of a phone to the columns of a long list', async () => {
  const browser = await site.browser('ada@example.com')
  for (let n = 1; n <= 45; n++) {
    const body = { kind: 'shortlink', slug: `link${n}`, target: 'https://example.com/' }
    expect((await browser.call('POST', '/deployments/create', { body })).status).toBe(200)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await openList()
  await page.getByRole('link', { name: 'link45' }).waitFor()
  const unused = `(() => {
    const { clientWidth, tHead } = document.querySelector('table')
    return clientWidth - [...tHead.rows[0].cells].reduce((sum, { offsetWidth }) => sum + offsetWidth, 0)
  })()`
  await expect.poll(() => page.evaluate<number>(unused)).toBeLessThan(3)
})
