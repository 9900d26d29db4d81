import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { passwordOf } from '../../packages/server/test/app.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The shell of the console: navigation, command palette, sign-in in place, sign-out. */

const ada = 'ada@example.com'

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  const account = await site.account(ada)
  const token = await site.token(account, '*')
  await site.call('POST', '/v1/dns/zones', { token, body: { zone: 'example.com' } })
})
afterAll(() => site.close())

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')
const pathOf = (page: Page) => new URL(page.url()).pathname

it('moves the focus to the heading of the opened page, sets the title, and goes back', async () => {
  const page = await site.open(ada, 'account/keys')
  await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Account' }).click()
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
  await expect.poll(() => focused(page)).toBe('Account')
  expect(await page.title()).toBe('Account · svc')
  await page.goBack()
  await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
  await expect.poll(() => focused(page)).toBe('API keys')
  expect(await page.title()).toBe('API keys · Account · svc')
  await page.getByRole('button', { name: 'Create an API key' }).first().click()
  await page.getByRole('dialog').waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(pathOf(page)).toBe('/console/account/keys')
})

it('shows a page at an address that is not percent-encoded UTF-8', async () => {
  const page = await site.open(ada, 'sites/%F0%9F')
  await page.getByText('There is no site %F0%9F').waitFor()
  await page.context().close()
})

it('says that its code could not be loaded, and loads it when asked to', async () => {
  const page = await site.open(ada, 'account')
  await page.getByLabel('Display name').waitFor()
  const code = '**/assets/console-*.js'
  await page.route(code, (route) => route.abort())
  await page.reload()
  const failure = page.getByRole('alert', { name: 'The console could not be loaded' })
  await failure.waitFor()
  await page.unroute(code)
  await failure.getByRole('button', { name: 'Try again' }).click()
  await page.getByLabel('Display name').waitFor()
  await page.context().close()
})

it('warns that no registrar accepts nameservers that are not public names', async () => {
  const page = await site.open(ada, 'dns/example.com')
  const warning = page.getByRole('alert', { name: 'No registrar accepts these names yet' })
  await expect.poll(() => warning.innerText()).toContain('SVC_NAMESERVERS')
  await inspect(page, 'dns-private-nameservers')
  await page.goto(`${site.url}/console/dns`)
  await page.getByText('The operator of this server must set SVC_NAMESERVERS').first().waitFor()
  await page.context().close()
})

it('is used with the keyboard only: skip link, palette, dialog, sign-out', async () => {
  const page = await site.open(ada, 'account')
  await page.getByLabel('Display name').waitFor()
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await focused(page)).toBe('Activity')

  await page.keyboard.press('Control+k')
  await page.getByLabel('Search').waitFor()
  await page.keyboard.type('example')
  await page.getByRole('button', { name: /example\.com/ }).waitFor()
  await inspect(page, 'palette')
  await page.keyboard.press('Enter')
  await expect.poll(() => pathOf(page)).toBe('/console/dns/example.com')

  await page.getByLabel('Search').waitFor({ state: 'hidden' })
  // Typed without waiting for the palette.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Create an API key')
  await page.getByRole('button', { name: 'Create an API key' }).and(page.locator('[data-selected]')).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Create an API key' })
  await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('by-keyboard')
  await dialog.getByRole('checkbox', { name: 'dns:read' }).press('Space')
  await page.keyboard.press('Enter')
  await page.locator('[data-secret]').waitFor()
  await page.getByRole('button', { name: 'Copy the key' }).and(page.locator(':focus')).waitFor()
  await inspect(page, 'account-created-key')
  await dialog.getByRole('button', { name: 'Done' }).press('Enter')
  await page.getByRole('cell', { name: /^by-keyboard/ }).waitFor()

  await page.getByRole('button', { name: 'Account menu' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Sign out' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
})

/** Opens the palette and types at once, as fast as the browser takes the keys. */
async function typeIntoPalette(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

it('takes all keys that are typed before the palette is loaded, also Enter', async () => {
  const page = await site.open(ada, 'about:blank')
  await page.route(/\/assets\/palette-.*\.js/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
  await page.goto(`${site.url}/console/account`)
  await page.getByLabel('Display name').waitFor()
  await typeIntoPalette(page, 'create an api key')
  await page.getByRole('dialog', { name: 'Create an API key' }).getByLabel('Name').waitFor()
  await page.context().close()
})

it('opens the first result of Enter when the names arrive later', async () => {
  const page = await site.open(ada, 'account')
  await page.getByLabel('Display name').waitFor()
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/console/api/search*', async (route) => {
    await released
    await route.continue()
  })
  await typeIntoPalette(page, 'example.c')
  await page.getByText('Searching everything that you have').waitFor()
  release()
  await expect.poll(() => pathOf(page)).toBe('/console/dns/example.com')
  await page.context().close()
})

it('takes all keys that are typed while the palette closes', async () => {
  const page = await site.open(ada, 'account', { reducedMotion: 'no-preference' })
  const name = page.getByLabel('Display name')
  await name.waitFor()
  await typeIntoPalette(page, 'domains')
  await expect.poll(() => pathOf(page)).toBe('/console/domains')
  for (const [text, path] of [
    ['whois', '/console/whois'],
    ['create an api', '/console/account/keys'],
  ] as const) {
    await page.keyboard.press('Control+k')
    await page.getByLabel('Search').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('left')
    await page.keyboard.press('Escape')
    await typeIntoPalette(page, text)
    await expect.poll(() => pathOf(page)).toBe(path)
  }
  await page.context().close()
})

it('asks for the password in place when the session has ended, then saves without lost input', async () => {
  const page = await site.open(ada, 'account')
  const name = page.getByLabel('Display name')
  await name.fill('Countess')
  await site.sql('delete from session')
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel(/^Password/).fill('a wrong password')
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.getByText('The email or the password is wrong.').waitFor()
  await inspect(page, 'sign-in-again')
  await dialog.getByLabel(/^Password/).fill(passwordOf(ada))
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Your display name is now Countess.').waitFor()
  await dialog.waitFor({ state: 'hidden' })
  expect(await name.inputValue()).toBe('Countess')
  expect(await site.sql('select nickname from account')).toEqual([{ nickname: 'Countess' }])
})

it('keeps a dialog below the sign-in when that one is closed, and goes on after a sign-in in another tab', async () => {
  const page = await site.open(ada, 'account/keys?new')
  const form = page.getByRole('dialog', { name: 'Create an API key' })
  await form.getByLabel('Name').fill('after-sign-in')
  await form.getByRole('checkbox', { name: 'dns:read' }).check()
  await site.sql('delete from session')
  await form.getByRole('button', { name: 'Create the key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog
    .getByLabel(/^Password/)
    .and(page.locator(':focus'))
    .waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  expect(await form.getByLabel('Name').inputValue()).toBe('after-sign-in')

  await form.getByRole('button', { name: 'Create the key' }).click()
  await dialog.waitFor()
  const [name = '', value = ''] = (await site.browser(ada)).cookie.split('=')
  await page.context().addCookies([{ name, value, url: site.url, httpOnly: true, sameSite: 'Strict' }])
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))')
  await dialog.waitFor({ state: 'hidden' })
  await page.locator('[data-secret]').waitFor()
})

it('after the sign-out, no page shows data of the account, also not with the back button', async () => {
  const page = await site.open(ada, 'account')
  await page.getByText(ada).waitFor()
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  expect(await page.content()).not.toContain(ada)
  await inspect(page, 'sign-in')
  await page.goto('about:blank')
  await page.goBack()
  await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  expect(await page.content()).not.toContain(ada)
})

it('signs out also if the session has ended already', async () => {
  const page = await site.open(ada, 'account')
  await page.getByText(ada).waitFor()
  await site.sql('delete from session')
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
})

it('shows only the account that is signed in, also if another one has signed in in another tab', async () => {
  const page = await site.open(ada, 'account')
  await page.getByText(ada).waitFor()
  await site.account('bob@example.com')
  const [name = '', value = ''] = (await site.browser('bob@example.com')).cookie.split('=')
  await page.context().addCookies([{ name, value, url: site.url, httpOnly: true, sameSite: 'Strict' }])
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))')
  await page.getByText('bob@example.com').waitFor()
  expect(await page.getByText(ada).count()).toBe(0)
  await page.waitForFunction('performance.getEntriesByType("navigation")[0].type === "reload"')
})

it('offers to reload if the code of a page is gone, as after an update', async () => {
  const page = await site.open(ada, 'account')
  await page.getByLabel('Display name').waitFor()
  await page.route(/\/console\/assets\/keys-page/, (route) => route.fulfill({ status: 404 }))
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
  await inspect(page, 'page-failure')
  await page.unroute(/\/console\/assets\/keys-page/)
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
})
