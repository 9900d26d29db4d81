import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sharedChromium } from '../../test/servers/index.js'
import { holdTimers, inspect, startConsole, type ConsoleSite } from './harness.js'

/** The command palette: results of the server, commands, and recently opened entries. */

const ada = 'ada@example.com'

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole({}, sharedChromium)
  const account = await site.account(ada)
  const token = await site.token(account, '*')
  const { call } = await site.browser(ada)
  await site.call('POST', '/v1/dns/zones', { token, body: { zone: 'example.com' } })
  const record = { type: 'A', host: 'shop', value: '192.0.2.1' }
  await site.call('POST', '/v1/dns/zones/example.com/records', { token, body: record })
  await site.call('POST', '/v1/files/upload', { token, body: { name: 'quarterly report.txt', content: 'aGVsbG8=' } })
  await site.call('POST', '/v1/cred', { token, body: { platform: 'Registrar', label: 'main', secret: 'hidden' } })
  // Not by a request: a server without ACME refuses it.
  await site.sql(`insert into tls_zone (account_id, zone, created_at) values (${String(account.id)}, 'example.com', 5)`)
  await call('POST', '/keys', { body: { name: 'ci-key' } })
  await call('POST', '/deployments/create', { body: { kind: 'form', slug: 'contact-us' } })
  await call('POST', '/domains/add', { body: { domains: ['example.net'] } })
})
afterAll(() => site.close())

const pathOf = (page: Page) => page.url().slice(site.url.length)
const results = (page: Page) => page.locator('[data-palette] [data-action]')
const result = (page: Page, name: string) => results(page).filter({ hasText: name })
const search = (page: Page) => page.locator('[data-palette]').getByLabel('Search')

async function openPalette(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await search(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(text)
}

/** Runs the held timers. @returns what `seen` reads afterwards */
async function released<Seen>(page: Page, seen: () => Seen | Promise<Seen>): Promise<Seen> {
  await page.evaluate('releaseTimers()')
  return seen()
}

async function openConsole(path = 'account'): Promise<Page> {
  const page = await site.open(ada, path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

it.each([
  ['quarterly', 'quarterly report.txt', /^\/console\/files\/\d+$/],
  ['shop.exam', 'shop.example.com', /^\/console\/dns\/example\.com\?record=\d+$/],
  ['192.0.2', 'shop.example.com', /^\/console\/dns\/example\.com\?record=\d+$/],
  ['contact', 'contact-us', /^\/console\/deployments\/\d+$/],
  ['*.exam', 'example.com', /^\/console\/certificates\?q=example\.com$/],
  ['example.n', 'example.net', /^\/console\/domains\?domain=example\.net$/],
  ['ci-k', 'ci-key', /^\/console\/account\/keys\?key=\d+$/],
  ['registrar', 'Registrar · main', /^\/console\/credentials\?credential=\d+$/],
])('finds %s and opens %s', async (text, name, path) => {
  const page = await openConsole()
  await openPalette(page, text)
  await result(page, name).and(page.locator('[data-selected]')).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => pathOf(page)).toMatch(path)
  await page.context().close()
})

it('shows the found key and the found credential among the others', async () => {
  const page = await openConsole()
  await openPalette(page, 'ci-key')
  await result(page, 'ci-key').click()
  await page.locator('tr[data-changed]').filter({ hasText: 'ci-key' }).waitFor()
  await openPalette(page, 'registrar')
  await result(page, 'Registrar').click()
  await page.locator('tr[data-changed]').filter({ hasText: 'Registrar' }).waitFor()
  await page.context().close()
})

it('aborts the request when the text changes, and sends one request for text that is typed without a pause', async () => {
  const page = await openConsole()
  const asked: string[] = []
  const failed: string[] = []
  const textOf = (url: string) => new URL(url).searchParams.get('q') ?? ''
  page.on('request', (request) => {
    if (request.url().includes('/console/api/search')) asked.push(textOf(request.url()))
  })
  page.on('requestfailed', (request) => failed.push(textOf(request.url())))
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/console\/api\/search\?q=quarterlx/, async (route) => {
    await held
    await route.abort().catch(() => undefined)
  })
  // The pause after which the console asks.
  await holdTimers(page, 100)
  await openPalette(page, 'quarterlx')
  await expect.poll(() => released(page, () => asked)).toEqual(['quarterlx'])
  await page.getByText('Searching everything that you have').waitFor()
  await page.keyboard.press('Backspace')
  await page.keyboard.type('y')
  await expect.poll(() => released(page, () => result(page, 'quarterly report.txt').count())).toBe(1)
  await expect.poll(() => failed).toContain('quarterlx')
  release()
  expect(await page.getByText('cannot be reached').count()).toBe(0)
  await page.context().close()
})

it('keeps the chosen result when more arrive', async () => {
  const page = await openConsole()
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/console/api/search*', async (route) => {
    await held
    await route.continue()
  })
  await openPalette(page, 'co')
  await results(page).first().and(page.locator('[data-selected]')).waitFor()
  await page.keyboard.press('ArrowDown')
  const chosen = await page.locator('[data-palette] [data-selected]').textContent()
  release()
  await result(page, 'contact-us').waitFor()
  expect(await page.locator('[data-palette] [data-selected]').allTextContents()).toEqual([chosen])
  await page.context().close()
})

it('says that the search has failed, and still opens pages and commands', async () => {
  const page = await openConsole()
  await page.route('**/console/api/search*', (route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/json',
      body: JSON.stringify({
        success: false,
        error: 'internal_error',
        message: 'The disk is gone.',
        request_id: 'req_1',
      }),
    }),
  )
  await openPalette(page, 'files')
  await page.getByRole('alert').filter({ hasText: 'The search failed: The disk is gone.' }).waitFor()
  await inspect(page, 'palette-failure')
  await page.keyboard.press('Enter')
  await expect.poll(() => pathOf(page)).toBe('/console/files')
  await page.context().close()
})

it('says that an area is missing in the results', async () => {
  const page = await openConsole()
  await page.route('**/console/api/search*', async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as { data: { complete: boolean } }
    body.data.complete = false
    await route.fulfill({ response: answer, json: body })
  })
  await openPalette(page, 'quarterly')
  await page.getByRole('alert').filter({ hasText: 'some results are missing' }).waitFor()
  await result(page, 'quarterly report.txt').waitFor()
  await page.context().close()
})

it('says that nothing is found', async () => {
  const page = await openConsole()
  await openPalette(page, 'nothing-has-this')
  await page.getByText('No results.').waitFor()
  await page.context().close()
})

it('changes the theme, creates, revokes and signs out by the names of commands', async () => {
  const page = await openConsole()
  const theme = () => page.evaluate<string>("document.documentElement.getAttribute('data-mantine-color-scheme')")
  for (const [text, scheme] of [
    ['dark', 'dark'],
    ['light', 'light'],
  ] as const) {
    await openPalette(page, text)
    await page.keyboard.press('Enter')
    await expect.poll(theme).toBe(scheme)
    await search(page).waitFor({ state: 'hidden' })
  }
  for (const [text, path] of [
    ['revoke a key', '/console/account/keys'],
    ['reset the password', '/console/account?password'],
    ['new zone', '/console/dns?claim'],
  ] as const) {
    await openPalette(page, text)
    await page.keyboard.press('Enter')
    await expect.poll(() => pathOf(page)).toBe(path)
  }
  await page.goto(`${site.url}/console/account`)
  await page.getByLabel('Display name').waitFor()
  await openPalette(page, 'sign out')
  await results(page)
    .filter({ hasText: /^Sign out$/ })
    .and(page.locator('[data-selected]'))
    .waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
  const kept = await page.evaluate<string[]>("Object.keys(localStorage).filter((key) => key.startsWith('svc-recent'))")
  expect(kept).toEqual([])
  await page.context().close()
})

it('lists recently opened entries first, and ignores invalid values in localStorage', async () => {
  const page = await openConsole()
  const recent = page.getByRole('dialog', { name: 'Command palette' }).getByText('Recently opened')
  await page.evaluate(`localStorage.setItem('svc-recent:${ada}', '{broken')`)
  await openPalette(page, '')
  await results(page).first().waitFor()
  expect(await recent.count()).toBe(0)
  await page.keyboard.type('quarterly')
  await result(page, 'quarterly report.txt').click()
  await expect.poll(() => pathOf(page)).toMatch(/^\/console\/files\/\d+$/)
  await openPalette(page, 'whois')
  await page.keyboard.press('Enter')
  await expect.poll(() => pathOf(page)).toBe('/console/whois')
  await search(page).waitFor({ state: 'hidden' })

  await openPalette(page, '')
  await recent.waitFor()
  expect((await results(page).allTextContents()).slice(0, 2).map((text) => text.slice(0, 9))).toEqual([
    expect.stringMatching(/^WHOIS/),
    'quarterly',
  ])
  await inspect(page, 'palette-recent')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => pathOf(page)).toMatch(/^\/console\/files\/\d+$/)
  await page.context().close()
})

it('keeps the focus when the viewer of a PDF file behind it takes it', async () => {
  const { call } = await site.browser(ada)
  const uploaded = await call('POST', '/files/upload', { body: { name: 'paper.pdf', content: 'aGVsbG8=' } })
  const page = await openConsole(`files/${String(uploaded.body['data'].id)}`)
  const frame = page.getByTitle('paper.pdf')
  await frame.hover()
  // The viewer gets the key if it has loaded below the pointer, and taken the focus, just before.
  await expect
    .poll(async () => {
      await frame.evaluate((element) => (element as unknown as { blur: () => void }).blur())
      if (!(await search(page).isVisible())) await page.keyboard.press('Control+k')
      return search(page).isVisible()
    })
    .toBe(true)
  await search(page).and(page.locator(':focus')).waitFor()
  await frame.evaluate((element) => (element as unknown as { focus: () => void }).focus())
  await search(page).and(page.locator(':focus')).waitFor()
  await page.context().close()
})
