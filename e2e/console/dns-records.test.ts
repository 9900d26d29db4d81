import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dnsSettings } from '../../packages/server/test/zone-site.js'
import { holdTimers, inspect, startConsole, type ConsoleSite } from './harness.js'

/** The table of the records: their order, changed records, notices, and the rows of a phone. */

const ada = 'ada@example.com'
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole({ dns: { ...dnsSettings([]), recordsMax: 20_000 } })
  await site.account(ada)
})
afterAll(() => site.close())

/** Opens a new zone with the records of a zone file. */
async function openZone(zone: string, lines: readonly string[], query = '', options: BrowserContextOptions = {}) {
  const browser = await site.browser(ada)
  await browser.call('POST', '/dns/zones', { body: { zone } })
  const body = { text: lines.join('\n') }
  const answer = await browser.call('POST', `/dns/zones/${zone}/zone-file/import`, { body })
  expect(answer.body['data']).toMatchObject({ created: lines.length })
  const page = await site.open(ada, `dns/${zone}${query}`, options)
  await rowsOf(page).first().waitFor()
  // A changed row flashes for so long.
  await holdTimers(page, 2_500)
  return page
}

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Records' }).locator('tbody tr[data-index]')
const noticesOf = (page: Page) => page.locator('.mantine-Notification-root')

const manyLines = (count: number) => Array.from({ length: count }, (_, i) => `h${String(i)} 300 A 192.0.2.1`)

/** The names of the controls in view that something else covers. The bar of the page is over rows that have been scrolled away. */
const covered = (page: Page, selector: string) =>
  page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((control) => {
      const { x, y, width, height } = control.getBoundingClientRect()
      const [left, top] = [x + width / 2, y + height / 2]
      const hit = document.elementFromPoint(left, top)
      return top > 56 && top < innerHeight && hit !== null && !control.contains(hit) && !hit.contains(control)
    })
    .map((control) => control.getAttribute('aria-label') ?? control.outerHTML)`)

/** Whether it is whole in view, below the bar of the page and the header of the table. */
async function isInView(page: Page, row: Locator): Promise<boolean> {
  const box = await row.boundingBox()
  return box !== null && box.y >= 56 && box.y + box.height <= (page.viewportSize()?.height ?? 0)
}

async function addRecord(page: Page, host: string): Promise<void> {
  const form = page.getByRole('region', { name: 'Add a record' })
  await form.getByLabel('Host').fill(host)
  await form.getByLabel('IPv4 address').fill('192.0.2.99')
  await form.getByRole('button', { name: 'Add the record' }).click()
}

it('shows one notice at a time, which covers no button of a row', async () => {
  const page = await openZone('notices.com', manyLines(30))
  await page.keyboard.press('End')
  for (const host of ['h27', 'h28', 'h29']) {
    await page.getByRole('button', { name: `Delete A ${host}.notices.com` }).click()
    await noticesOf(page).getByText(`A ${host}.notices.com is deleted.`).waitFor()
    expect(await covered(page, 'tbody button')).toEqual([])
    await expect.poll(() => noticesOf(page).count()).toBe(1)
    // A click at the place of the last one within 500 ms is the second one of a double click.
    await page.waitForTimeout(600)
  }
  // It stays while the pointer is on it.
  await noticesOf(page).hover()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Delete A h29.notices.com' }).waitFor()
  await noticesOf(page).getByText('Undone.').waitFor()
  await expect.poll(() => noticesOf(page).count()).toBe(1)
  await page.context().close()
})

it('keeps an error until it is closed, behind the notice of a later change', async () => {
  const page = await openZone('errors.com', manyLines(5))
  await page.route('**/records/*', (route) => route.abort(), { times: 2 })
  for (let attempt = 0; attempt < 2; attempt++) {
    await page.getByRole('button', { name: 'Delete A h1.errors.com' }).click()
    await noticesOf(page).waitFor()
    await page.waitForTimeout(600)
  }
  const error = (await noticesOf(page).innerText()).trim()
  await page.getByRole('button', { name: 'Delete A h2.errors.com' }).click()
  await noticesOf(page).getByText('A h2.errors.com is deleted.').waitFor()
  await expect.poll(() => noticesOf(page).count()).toBe(1)
  await noticesOf(page).getByRole('button', { name: 'Close' }).click()
  await noticesOf(page).getByText(error).waitFor()
  // Longer than a notice that closes by itself.
  await page.waitForTimeout(10_500)
  await noticesOf(page).getByText(error).waitFor()
  await noticesOf(page).getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => noticesOf(page).count()).toBe(0)
  await page.context().close()
})

it('has no notice over the fields and the menus of a phone', async () => {
  const page = await openZone('fields.com', manyLines(12), '?add', phone)
  for (const host of ['h0', 'h1']) {
    await page.getByRole('button', { name: `Actions for A ${host}.fields.com` }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await noticesOf(page).getByText(`A ${host}.fields.com is deleted.`).waitFor()
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    for (const top of [0, 400, 10_000]) {
      await page.evaluate(`scrollTo(0, ${String(top)})`)
      expect(await covered(page, 'main :is(input, select, textarea), tbody button')).toEqual([])
    }
  }
  await page.context().close()
})

it('lists the records by host and type, the zone itself first, and shows a new and a changed one in its place', async () => {
  const lines = [
    'www 300 A 192.0.2.1',
    '@ 300 TXT "a"',
    'h10 300 A 192.0.2.1',
    '@ 300 A 192.0.2.1',
    'h2 300 A 192.0.2.1',
  ]
  const page = await openZone('order.com', lines)
  const hosts = () => rowsOf(page).evaluateAll((rows) => rows.map((row) => row.textContent.slice(0, 4)))
  expect(await hosts()).toEqual(['@A19', '@TXT', 'h2A1', 'h10A', 'wwwA'])
  await page.getByRole('button', { name: 'Add a record' }).click()
  await addRecord(page, 'h3')
  await page.getByRole('status').getByText('A h3.order.com is added.').waitFor()
  expect(await hosts()).toEqual(['@A19', '@TXT', 'h2A1', 'h3A1', 'h10A', 'wwwA'])
  const changed = page.locator('tr[data-changed]')
  await expect.poll(() => changed.allInnerTexts()).toEqual([expect.stringContaining('h3')])
  await page.evaluate('releaseTimers()')
  await changed.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Edit A h2.order.com' }).click()
  await page.getByRole('dialog').getByLabel('Host').fill('zz')
  await page.getByRole('button', { name: 'Save the record' }).click()
  await page.getByRole('status').getByText('A zz.order.com is saved.').waitFor()
  await expect.poll(() => changed.allInnerTexts()).toEqual([expect.stringContaining('zz')])
  expect(await rowsOf(page).last().innerText()).toContain('zz')
  // The row says it, not a notice.
  expect(await noticesOf(page).count()).toBe(0)
  await page.context().close()
})

it('flashes a changed record, and only tints it with reduced motion', async () => {
  for (const [reducedMotion, animation] of [
    ['reduce', /^none$/],
    ['no-preference', /flash/],
  ] as const) {
    const page = await openZone(`${reducedMotion}.com`, manyLines(3), '?add', { reducedMotion })
    await addRecord(page, 'new')
    await page.locator('tr[data-changed]').waitFor()
    const style = await page.evaluate<{ animationName: string; backgroundColor: string }>(
      `(({ animationName, backgroundColor }) => ({ animationName, backgroundColor }))(getComputedStyle(document.querySelector('tr[data-changed]')))`,
    )
    expect(style.animationName).toMatch(animation)
    expect(style.backgroundColor).not.toBe('rgba(0, 0, 0, 0)')
    await page.context().close()
  }
})

it('scrolls to a new, a changed and a restored record among 10,000', async () => {
  const page = await openZone('many.com', manyLines(10_000), '?add')
  const changed = page.locator('tr[data-changed]')
  await addRecord(page, 'h7000a')
  await expect.poll(() => changed.allInnerTexts()).toEqual([expect.stringContaining('h7000a')])
  await expect.poll(() => isInView(page, changed)).toBe(true)
  expect(await rowsOf(page).count()).toBeLessThan(80)
  // The form keeps the focus for the next one.
  expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Host')

  await page.getByRole('button', { name: 'Edit A h7000a.many.com' }).click()
  await page.getByRole('dialog').getByLabel('Host').fill('h20a')
  await page.getByRole('button', { name: 'Save the record' }).click()
  await expect.poll(() => changed.allInnerTexts()).toEqual([expect.stringContaining('h20a')])
  await expect.poll(() => isInView(page, changed)).toBe(true)

  await page.getByRole('button', { name: 'Delete A h20a.many.com' }).click()
  await page.keyboard.press('Home')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => changed.allInnerTexts()).toEqual([expect.stringContaining('h20a')])
  await expect.poll(() => isInView(page, changed)).toBe(true)
  await page.context().close()
})

it('says that the filter hides a new record, and clears the filter', async () => {
  const page = await openZone('filter.com', [...manyLines(100), 'h5 300 TXT "text"'], '?type=TXT&q=text&add')
  await addRecord(page, 'h50a')
  await noticesOf(page).getByText('A h50a.filter.com is added. The filter hides it.').waitFor()
  expect(await rowsOf(page).count()).toBe(1)
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  const changed = page.locator('tr[data-changed]')
  await expect.poll(() => changed.allInnerTexts()).toEqual([expect.stringContaining('h50a')])
  await expect.poll(() => isInView(page, changed)).toBe(true)
  expect(new URL(page.url()).search).toBe('?add=')
  await page.context().close()
})

it('shows a record of a phone in two lines, the first in the upper half, with its actions in a menu', async () => {
  const lines = [
    'shop 3600 A 192.0.2.1',
    'shop 300 AAAA 2001:db8::1',
    '_dmarc 3600 TXT "v=DMARC1; p=reject; rua=mailto:a@example.com"',
  ]
  const page = await openZone('phone.com', [...lines, '@ 3600 MX 10 mail.example.net.'], '', phone)
  const first = rowsOf(page).first()
  const texts = await rowsOf(page).locator('td:nth-child(2)').allInnerTexts()
  expect(texts.map((text) => text.replaceAll(/\n+/g, '\n'))).toEqual([
    'MX · @ · 1 h\n10 mail.example.net',
    'TXT · _dmarc · 1 h\nv=DMARC1; p=reject; rua=mailto:a@example.com',
    'A · shop · 1 h\n192.0.2.1',
    'AAAA · shop · 5 min\n2001:db8::1',
  ])
  for (const width of [390, 360, 430]) {
    await page.setViewportSize({ width, height: 844 })
    const box = await first.boundingBox()
    expect(box?.y).toBeLessThanOrEqual(420)
    expect(box?.height).toBeLessThan(70)
  }
  await page.getByRole('button', { name: 'Value' }).click()
  await expect.poll(() => first.innerText()).toContain('192.0.2.1')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Export the zone file' }).waitFor()
  await page.getByRole('menuitem', { name: 'Import a zone file' }).click()
  await page.getByRole('dialog', { name: 'Import a zone file into phone.com' }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Nameservers' }).click()
  await page.getByText('Set these at the registrar of phone.com').waitFor()

  await page.getByRole('button', { name: 'Actions for A shop.phone.com' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'IPv4 address' }).fill('192.0.2.7')
  await page.getByRole('button', { name: 'Save the record' }).click()
  await page.locator('tr[data-changed]').getByText('192.0.2.7').waitFor()
  await inspect(page, 'dns-phone')
  await page.context().close()
})

it('deletes records of a phone by keyboard, and keeps the focus in the table', async () => {
  const page = await openZone('keys.com', manyLines(3), '', { viewport: { width: 390, height: 844 } })
  const focused = () => page.evaluate<string>("document.activeElement.getAttribute('aria-label')")
  await page.getByRole('button', { name: 'Actions for A h1.keys.com' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  await noticesOf(page).getByText('A h1.keys.com is deleted.').waitFor()
  await expect.poll(focused).toBe('Actions for A h2.keys.com')
  await page.context().close()
})

it('deletes selected records, and brings all of them back', async () => {
  const page = await openZone('bulk.com', manyLines(60))
  const bar = page.getByRole('group', { name: 'Selected records' })
  for (const host of ['h3', 'h4']) await page.getByRole('checkbox', { name: `Select A ${host}.bulk.com` }).check()
  await inspect(page, 'dns-selected')
  await page.getByRole('checkbox', { name: 'Select A h5.bulk.com' }).press('Space')
  await bar.getByRole('button', { name: 'Delete' }).press('Enter')
  await noticesOf(page).getByText('3 records are deleted.').waitFor()
  await page.getByText('57 records', { exact: true }).waitFor()
  await expect.poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Edit A h6.bulk.com')
  await page.getByRole('button', { name: 'Undo' }).click()
  await noticesOf(page).getByText('Undone.').waitFor()
  await page.getByText('60 records', { exact: true }).waitFor()
  const changed = page.locator('tr[data-changed]')
  await expect.poll(() => changed.locator('td:nth-child(2)').allInnerTexts()).toEqual(['h3', 'h4', 'h5'])

  await page.getByRole('checkbox', { name: 'Select A h0.bulk.com' }).check()
  await page.getByRole('textbox', { name: 'Filter by name or value' }).fill('h1')
  await page.getByRole('checkbox', { name: 'Select A h1.bulk.com' }).check()
  await bar.getByRole('button', { name: 'Select all 11' }).click()
  await bar.getByText('11 records selected').waitFor()
  await bar.getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel('Type 11 to confirm').fill('11')
  await page.getByRole('button', { name: 'Delete 11 records' }).click()
  await noticesOf(page).getByText('11 records are deleted.').waitFor()
  await page.getByText('0 of 49 records').waitFor()
  await page.context().close()
})
