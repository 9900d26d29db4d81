import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { openGate, type Gate } from './gate.js'
import { holdTimers, inspect, startConsole, type ConsoleSite } from './harness.js'

/** The server goes away while the console is open, comes back, and has another build of the console. */

const ada = 'ada@example.com'

let site: ConsoleSite
let gate: Gate
beforeAll(async () => {
  site = await startConsole()
  const token = await site.token(await site.account(ada), '*')
  for (const zone of ['example.com', 'example.org']) await site.call('POST', '/v1/dns/zones', { token, body: { zone } })
})
afterAll(() => site.close())
beforeEach(async () => {
  gate = await openGate(site.url)
})
afterEach(() => gate.close())

/** Opens a page through the gate. */
async function openPage(path: string): Promise<Page> {
  const page = await site.open(ada, 'tools')
  await page.goto(`${gate.url}/console/${path}`)
  await page.evaluate('window.isFirstLoad = true')
  return page
}

const isReloaded = (page: Page) => page.evaluate<boolean>('window.isFirstLoad !== true')
const strip = (page: Page) => page.getByText('Server not reachable.')

it('opens a page that it has not opened before when the server is back, and keeps the old page until then', async () => {
  const page = await openPage('account')
  const name = page.getByLabel('Display name')
  await name.fill('Countess')
  // The console does not try again by itself.
  await holdTimers(page, 1_000, 2_000, 4_000, 8_000)
  await gate.close()
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByText(/^Retrying in \d s\.$/).waitFor()
  expect(await name.inputValue()).toBe('Countess')
  await inspect(page, 'outage')
  await gate.open()
  await page.getByRole('button', { name: 'Retry now' }).click()
  await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
  await strip(page).waitFor({ state: 'hidden' })
  expect(await isReloaded(page)).toBe(false)
  await page.context().close()
})

it('reads again by itself, and sends a form that failed, when the server is back', async () => {
  const page = await openPage('dns')
  await page.getByRole('link', { name: 'example.com' }).waitFor()
  await page.getByRole('button', { name: 'Claim a zone' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Zone' }).fill('example.net')
  await gate.close()
  await form.getByRole('button', { name: 'Claim the zone' }).click()
  await form.getByText('The server cannot be reached.').waitFor()
  await strip(page).waitFor()
  await page.evaluate('window.dispatchEvent(new Event("focus"))')
  await gate.open()
  await strip(page).waitFor({ state: 'hidden' })
  expect(await form.getByRole('textbox', { name: 'Zone' }).inputValue()).toBe('example.net')
  await form.getByRole('button', { name: 'Claim the zone' }).click()
  await page.getByRole('heading', { name: 'example.net', exact: true }).waitFor()
  expect(await isReloaded(page)).toBe(false)
  await page.context().close()
})

it('replaces the error of a page that was opened during the outage by itself', async () => {
  const page = await openPage('dns/example.com')
  await page.getByRole('heading', { name: 'No records yet' }).waitFor()
  await page.getByRole('link', { name: 'DNS' }).first().click()
  await page.getByRole('link', { name: 'example.org' }).waitFor()
  await gate.close()
  await page.getByRole('link', { name: 'example.org' }).click()
  await page.getByText('The server cannot be reached.').first().waitFor()
  await gate.open()
  await page.getByRole('heading', { name: 'No records yet' }).waitFor()
  await page.getByText('The server cannot be reached.').first().waitFor({ state: 'hidden' })
  await strip(page).waitFor({ state: 'hidden' })
  expect(await isReloaded(page)).toBe(false)
  await page.context().close()
})

/** The server answers with the page of another build from now on, and the console asks for it. */
async function update(page: Page): Promise<void> {
  const isPage = (url: URL) => url.pathname === '/console/'
  await page.route(isPage, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace('/assets/index-', '/assets/index-new-'),
    })
  })
  const asked = page.waitForResponse((answer) => isPage(new URL(answer.url())))
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))')
  await (await asked).finished()
}

const offer = (page: Page) => page.getByText('A new version of the console is available.')

it('offers to load a new version of the console, but not while a form has input', async () => {
  const page = await openPage('account')
  const name = page.getByLabel('Display name')
  await name.fill('Countess')
  await update(page)
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  expect(await offer(page).count()).toBe(0)
  await page.keyboard.press('Escape')
  await name.fill('')
  await offer(page).waitFor()
  await inspect(page, 'new-version')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.waitForFunction('window.isFirstLoad !== true')
  await name.waitFor()
  await page.context().close()
})

it('offers no new version while a file is uploaded', async () => {
  const page = await openPage('files')
  await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  await update(page)
  await offer(page).waitFor()
  await page.route('**/console/api/files/upload*', () => undefined)
  await page
    .getByLabel('Files to upload')
    .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
  await page
    .getByText(/^a\.txt/)
    .first()
    .waitFor()
  await offer(page).waitFor({ state: 'hidden' })
  await page.context().close()
})
