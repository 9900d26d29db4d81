import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownedRows } from '../../bench/src/filled-rows.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The titles of pages, and the way back to a place. */

const ada = 'ada@example.com'
const sizes = {
  zones: 60,
  records: 2_000,
  files: 120,
  messages: 60,
  domains: 60,
  packages: 60,
  versions: 2,
  sites: 60,
  deployments: 60,
  kept: 10,
  secrets: 5,
  credentials: 0,
}

let site: ConsoleSite
let zone: string
beforeAll(async () => {
  site = await startConsole()
  const { id } = await site.account(ada)
  zone = `zone1-${String(id)}.example`
  for (const statement of ownedRows('sqlite', { condition: `account.id = ${String(id)}`, sizes }, Date.now()))
    await site.sql(statement)
})
afterAll(() => site.close())

const scrolled = (page: Page) => page.evaluate<number>('Math.round(scrollY)')

/** Scrolls to a place in the page, and resolves when it is reached and the page has had its scroll event, in the next frame. */
async function scrollTo(page: Page, top: number): Promise<void> {
  await expect
    .poll(async () => {
      await page.evaluate(`scrollTo(0, ${String(top)})`)
      return scrolled(page)
    })
    .toBe(top)
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
}

/** The links of the rows of the page's table that are in the page. */
const rowLinks = (page: Page) => page.getByRole('main').getByRole('table').getByRole('row').getByRole('link')

/** Opens a link without scrolling to it. A chart above it may have moved the page meanwhile. @returns how far it was scrolled */
const leave = (link: Locator): Promise<number> =>
  link.evaluate((element) => {
    const top = Math.round(element.ownerDocument.defaultView?.scrollY ?? 0)
    element.click()
    return top
  })

it.each([
  ['dns', /^zone\S+\.example · DNS · svc$/],
  ['files', /^\S.* · Files · svc$/],
  ['sites', /^\S+ · Sites · svc$/],
  ['packages', /^\S.* · Packages · svc$/],
  ['deployments', /^\S.* · Forms and links · svc$/],
])('%s: the title names the place, and the way back has its place, also after a reload', async (path, title) => {
  const page = await site.open(ada, path)
  await rowLinks(page).first().waitFor()
  await scrollTo(page, 500)
  const left = await leave(rowLinks(page).nth(14))
  await expect.poll(() => page.title()).toMatch(title)
  await page.goBack()
  await expect.poll(() => scrolled(page)).toBe(left)
  await page.reload()
  await rowLinks(page).first().waitFor()
  await expect.poll(() => scrolled(page)).toBe(left)
  await page.context().close()
})

it.each(['domains', 'messages'])('%s: a reload keeps the place', async (path) => {
  const page = await site.open(ada, path)
  await scrollTo(page, 500)
  await page.reload()
  await expect.poll(() => scrolled(page)).toBe(500)
  await page.context().close()
})

it('a long zone keeps filter, sorting and place, also after a reload', async () => {
  const page = await site.open(ada, `dns/${zone}`)
  await page.getByRole('combobox', { name: 'Filter by type' }).selectOption('A')
  await page.getByRole('button', { name: 'Value' }).click()
  const sorted = page.getByRole('columnheader', { name: 'Value' })
  await expect.poll(() => sorted.getAttribute('aria-sort')).toBe('ascending')
  await scrollTo(page, 9_000)
  await page.reload()
  await expect.poll(() => scrolled(page)).toBe(9_000)
  expect(await sorted.getAttribute('aria-sort')).toBe('ascending')
  expect(await page.getByRole('combobox', { name: 'Filter by type' }).inputValue()).toBe('A')
  await inspect(page, 'places-zone')
  // A new visit begins at the top.
  await page.goto(`${site.url}/console/dns/${zone}`)
  await sorted.waitFor()
  expect(await scrolled(page)).toBe(0)
  await page.context().close()
})

it('the link to the list is the way back to its filter', async () => {
  const page = await site.open(ada, 'dns')
  await page.getByRole('textbox', { name: /^Filter/ }).fill('zone1')
  await page.getByRole('link', { name: zone }).click()
  await page.getByRole('heading', { name: zone }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'DNS', exact: true }).click()
  await page.getByRole('heading', { name: 'DNS zones' }).waitFor()
  expect(await page.getByRole('textbox', { name: /^Filter/ }).inputValue()).toBe('zone1')
  await page.context().close()
})
