import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectUncovered, inspect, startConsole, type ConsoleSite } from './harness.js'

/** Single keys, and the Tab stops from the top of a page to its main act. */

const ada = 'ada@example.com'

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  const token = await site.token(await site.account(ada), '*')
  for (const name of ['alpha.com', 'beta.com', 'gamma.com'])
    await site.call('POST', '/v1/dns/zones', { token, body: { zone: name } })
  const hosts = Array.from({ length: 120 }, (_, n) => `host-${String(n).padStart(3, '0')}`)
  for (const host of hosts)
    await site.call('POST', '/v1/dns/zones/alpha.com/records', { token, body: { type: 'A', host, value: '192.0.2.1' } })
})
afterAll(() => site.close())

const pathOf = (page: Page) => page.url().slice(site.url.length)
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

async function openConsole(path: string, heading?: string): Promise<Page> {
  const page = await site.open(ada, path)
  await page.getByRole('heading', { level: 1, ...(heading !== undefined && { name: heading }) }).waitFor()
  return page
}

const areas = [
  ['o', '/console', 'Overview'],
  ['d', '/console/dns', 'DNS zones'],
  ['h', '/console/certificates', 'Certificates'],
  ['m', '/console/domains', 'Domains'],
  ['w', '/console/whois', 'WHOIS'],
  ['f', '/console/files', 'Files'],
  ['s', '/console/sites', 'Sites'],
  ['p', '/console/packages', 'Packages'],
  ['l', '/console/deployments', 'Forms and links'],
  ['i', '/console/messages', 'Messages'],
  ['c', '/console/credentials', 'Credentials'],
  ['a', '/console/account', 'Account'],
  ['t', '/console/tools', 'Public tools'],
] as const

it('goes to every area with g and its letter', async () => {
  const page = await openConsole('account/keys')
  for (const [letter, path, heading] of areas) {
    // At once: after 1.5 seconds, the second key stands alone.
    await page.evaluate(`for (const key of ['g', '${letter}'])
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    expect(pathOf(page).replace(/\/$/, '')).toBe(path)
  }
  await page.context().close()
})

it('goes to the filter of the page, or to the palette on a page without one', async () => {
  const page = await openConsole('dns', 'DNS zones')
  await page.getByLabel('Filter by name').waitFor()
  await page.keyboard.press('/')
  await page.getByLabel('Filter by name').and(page.locator(':focus')).waitFor()
  // In the field, keys are letters.
  await page.keyboard.type('gan?/j')
  expect(await page.getByLabel('Filter by name').inputValue()).toBe('gan?/j')
  expect(pathOf(page)).toMatch(/^\/console\/dns\?q=/)
  await page.goto(`${site.url}/console/account`)
  await page.getByLabel('Display name').waitFor()
  await page.keyboard.press('/')
  await page.locator('[data-palette]').getByLabel('Search').and(page.locator(':focus')).waitFor()
  await page.context().close()
})

it.each([
  ['dns', '?claim='],
  ['dns/alpha.com', '?add='],
  ['domains', '?add='],
  ['sites', '?new='],
  ['packages', '?publish='],
  ['credentials', '?new='],
  ['account/keys', '?new='],
  ['messages/keys', '?new='],
  ['deployments', '?new=form'],
])('opens the main act of %s with n', async (path, query) => {
  const page = await openConsole(path)
  await page.locator('[data-main-act], [data-page-actions] button').last().waitFor()
  await page.keyboard.press('n')
  await expect.poll(() => pathOf(page)).toBe(`/console/${path}${query}`)
  await page.context().close()
})

it('moves between rows with j and k, and opens one with Enter', async () => {
  const page = await openConsole('dns', 'DNS zones')
  await page.getByRole('row', { name: /gamma/ }).waitFor()
  const row = page.locator('tr:focus')
  for (const [key, name] of [
    ['j', 'alpha.com'],
    ['j', 'beta.com'],
    ['j', 'gamma.com'],
    ['j', 'gamma.com'],
    ['k', 'beta.com'],
  ] as const) {
    await page.keyboard.press(key)
    await row.filter({ hasText: name }).waitFor()
  }
  await inspect(page, 'row-focus')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'beta.com' }).waitFor()
  await page.context().close()
})

it('moves through a long table, of which only a part is in the page', async () => {
  const page = await openConsole('dns/alpha.com', 'alpha.com')
  await page.getByRole('row', { name: /host-000/ }).waitFor()
  const row = page.locator('tr:focus')
  for (let index = 0; index < 60; index++) {
    await page.keyboard.press('j')
    await row.filter({ hasText: `host-${String(index).padStart(3, '0')}` }).waitFor()
  }
  await expect.poll(async () => (await row.boundingBox())?.y).toBeLessThan(900)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('IPv4 address').waitFor()
  expect(pathOf(page)).toMatch(/\?record=60$/)
  await page.context().close()
})

it('lists the keys with ?, and switches single keys off and on', async () => {
  const page = await openConsole('account', 'Account')
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByRole('table', { name: 'Go to' }).getByRole('row').nth(12).waitFor()
  await help.getByText('New: the main button of the page').waitFor()
  await inspect(page, 'keys-help')
  // No key acts below the dialog.
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await help.getByLabel('Single keys').uncheck({ force: true })
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'hidden' })
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  await help.getByLabel('Single keys').check({ force: true })
  expect(pathOf(page)).toBe('/console/account')
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'hidden' })
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.getByRole('heading', { level: 1, name: 'DNS zones' }).waitFor()
  await page.context().close()
})

it('leaves keys with Ctrl, Alt or Meta, and those of an input method, to the browser', async () => {
  const page = await openConsole('account', 'Account')
  const handled = (init: object) =>
    page.evaluate<boolean>(
      `!document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true, cancelable: true, ...${JSON.stringify(init)} }))`,
    )
  for (const init of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }, { isComposing: true }, { repeat: true }])
    expect(await handled(init), JSON.stringify(init)).toBe(false)
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await handled({})).toBe(true)
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.context().close()
})

it('does nothing while the session has ended, until the user has signed in again', async () => {
  const page = await openConsole('account', 'Account')
  await page.getByLabel('Display name').fill('Countess')
  await site.sql('delete from session')
  await page.getByRole('button', { name: 'Save the name' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel(/^Password/).waitFor()
  await dialog.getByRole('button', { name: 'Sign in' }).focus()
  for (const key of ['?', 'g', 'd', 'n', '/']) await page.keyboard.press(key)
  await expectUncovered(page, 'the sign-in after single keys')
  expect(await page.getByRole('dialog').count()).toBe(1)
  expect(pathOf(page)).toBe('/console/account')
  await page.context().close()
})

it('shows the keys of an area beside its link', async () => {
  const page = await openConsole('account', 'Account')
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'DNS' }).hover()
  await page.getByRole('tooltip').filter({ hasText: 'gd' }).waitFor()
  await page.context().close()
})

it.each([
  ['dns', 'Claim a zone'],
  ['domains', 'Add domains'],
  ['files', 'Upload files'],
  ['sites', 'Deploy a site'],
  ['packages', 'Publish a package'],
  ['deployments', 'Create a form or link'],
  ['credentials', 'Store a credential'],
  ['account/keys', 'Create an API key'],
  ['messages/keys', 'Create a forwarder key'],
])('has at most five Tab stops from the top of %s to %s', async (path, act) => {
  const page = await openConsole(path)
  await page.getByRole('button', { name: act }).first().waitFor()
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  const stops = ['Skip to the content']
  while (stops.at(-1) !== act && stops.length < 20) {
    await page.keyboard.press('Tab')
    stops.push(await focused(page))
  }
  expect(stops.length, stops.join(' → ')).toBeLessThanOrEqual(5)
  await page.context().close()
})

it('goes from the top of a zone to its main act with the second skip link', async () => {
  const page = await openConsole('dns/alpha.com')
  await page.getByRole('button', { name: 'Add a record' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('Skip to the main button')
  await page.keyboard.press('Enter')
  expect(await focused(page)).toBe('Add a record')
  await page.context().close()
})
