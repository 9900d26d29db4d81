import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownedRows } from '../../bench/src/filled-rows.js'
import { startConsole, visit, type ConsoleSite } from './harness.js'

/**
 * The console with a large account. The times are those of a machine without other load, so this file runs alone, and only with:
 * `SVC_TEST_LONG=1 npx vitest run --project e2e e2e/console/speed.test.ts`.
 */

/** Milliseconds. */
const limits = { firstPaint: 1_000, interaction: 100, server: 10 }

const ada = 'ada@example.com'
const sizes = {
  zones: 1_000,
  records: 10_000,
  files: 100_000,
  messages: 1_000,
  domains: 1_000,
  packages: 100,
  versions: 10,
  sites: 100,
  deployments: 100,
  kept: 100,
  secrets: 100,
  credentials: 0,
}

const areas = ['', 'dns', 'domains', 'files', 'sites', 'packages', 'messages', 'deployments', 'account']

const firstPaint = (page: Page) =>
  page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
    }).observe({ type: 'paint', buffered: true })
  })`)

/** The longest time from an input to the next frame since `observe`. */
const longest = (page: Page) => page.evaluate<number>('Math.max(0, ...window.interactions)')
const observe = (page: Page) =>
  page.evaluate(`
    window.interactions = []
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries()) if (interactionId > 0) window.interactions.push(duration)
    }).observe({ type: 'event', durationThreshold: 16 })`)

describe('an account with 1,000 zones, 10,000 records in one of them, and 100,000 files', () => {
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

  it('paints every page within a second, and reacts to every input within 100 ms', async () => {
    const page = await site.open(ada, '')
    const paints: Record<string, number> = {}
    const reactions: Record<string, number> = {}
    for (const path of [...areas, `dns/${zone}`]) {
      await visit(page, `${site.url}/console/${path}`)
      paints[path] = Math.round(await firstPaint(page))
      await observe(page)
      await page.keyboard.press('Control+k')
      await page.getByLabel('Search', { exact: true }).waitFor()
      await page.keyboard.type('zone99', { delay: 30 })
      await page
        .getByRole('button', { name: /zone99-/ })
        .first()
        .waitFor()
      await page.keyboard.press('Escape')
      for (const sorted of (await page.getByRole('columnheader').getByRole('button').all()).slice(0, 2))
        await sorted.click()
      await page.mouse.wheel(0, 20_000)
      await page.waitForTimeout(300)
      reactions[path] = await longest(page)
    }
    console.info('First contentful paint in ms', paints, 'Longest interaction in ms', reactions)
    for (const [path, time] of Object.entries(paints)) expect(time, path).toBeLessThan(limits.firstPaint)
    for (const [path, time] of Object.entries(reactions)) expect(time, path).toBeLessThan(limits.interaction)
  })

  it('the server answers every list of the console within 10 ms', async () => {
    const browser = await site.browser(ada)
    const lists = [
      ...['/dns/zones', `/dns/zones/${zone}/records`, '/domains', '/files', '/sites', '/packages', '/deployments'],
      ...['/sms/messages', '/sms/keys', '/cred', '/keys', '/account/sessions'],
    ]
    const times: Record<string, number> = {}
    for (const path of lists) {
      const from = site.log.length
      for (let round = 0; round < 7; round++) expect((await browser.call('GET', path)).status, path).toBe(200)
      const taken = site.log
        .slice(from)
        .map((line) => JSON.parse(line) as { ms?: number })
        .flatMap(({ ms }) => ms ?? [])
        .sort((a, b) => a - b)
      times[path] = taken[Math.floor(taken.length / 2)] ?? Infinity
    }
    console.info('Median time of the server in ms', times)
    for (const [path, time] of Object.entries(times)) expect(time, path).toBeLessThan(limits.server)
  })
})
