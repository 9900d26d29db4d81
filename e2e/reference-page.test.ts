import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../test/servers/index.js'
import { implementedOperations } from '@svc/contract'
import { startApp, type TestApp } from '../packages/server/test/app.js'

/** The reference page as a reader has it, with the network shut: it asks nobody but the server it came from. */

let app: TestApp
let browser: Browser
let shots: string
beforeAll(async () => {
  app = await startApp()
  browser = await launchChromium()
  shots = await mkdtemp(join(tmpdir(), 'svc-reference-'))
  console.info(`What the page looked like: ${shots}`)
})
afterAll(async () => {
  await browser.close()
  await app.stop()
})

interface Visit {
  readonly page: Page
  /** Every request that was made for something else than this server's own. */
  readonly strangers: string[]
  /** Requests that failed, messages of the console, errors of scripts. */
  readonly complaints: string[]
}

async function visit(path: string, options: BrowserContextOptions): Promise<Visit> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const strangers: string[] = []
  const complaints: string[] = []
  await context.route('**/*', async (route) => {
    const url = route.request().url()
    if (url.startsWith(`${app.url}/`) || url.startsWith('data:') || url.startsWith('blob:')) await route.continue()
    else {
      strangers.push(url)
      await route.abort()
    }
  })
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`))
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`))
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`)
  })
  await page.goto(app.url + path)
  await page.getByText('List every endpoint').first().waitFor()
  await page.getByRole('heading', { name: 'svc Platform API' }).waitFor()
  await page.waitForLoadState('networkidle')
  return { page, strangers, complaints }
}

const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
const desktop = { viewport: { width: 1440, height: 900 } }

describe.each([
  ['phone', 'light', phone],
  ['phone', 'dark', phone],
  ['desktop', 'light', desktop],
  ['desktop', 'dark', desktop],
] as const)('on a %s, %s', (device, colorScheme, options) => {
  it('shows every operation, asks nobody else, and complains of nothing', async () => {
    const { page, strangers, complaints } = await visit('/reference', { ...options, colorScheme })
    await page.screenshot({ path: join(shots, `${device}-${colorScheme}-top.png`) })
    for (const { summary } of implementedOperations)
      await page.getByText(summary, { exact: true }).first().waitFor({ state: 'attached' })
    const section = page.getByText('Hash a string').last()
    await section.scrollIntoViewIfNeeded()
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(shots, `${device}-${colorScheme}-operation.png`) })
    expect(strangers).toEqual([])
    expect(complaints).toEqual([])
    const { scrollWidth, clientWidth } = await page.evaluate<{ scrollWidth: number; clientWidth: number }>(
      '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
    )
    expect(scrollWidth, 'nothing to scroll sideways').toBeLessThanOrEqual(clientWidth)
    await page.context().close()
  })
})

it('tries a request out on this very server', async () => {
  const { page, strangers, complaints } = await visit('/reference', desktop)
  await page.getByText('Get the current Unix timestamp').first().click()
  await page.getByRole('button', { name: /Test Request.*timestamp/i }).click()
  const answered = page.waitForResponse((response) => response.url() === `${app.url}/v1/public/timestamp`)
  await page.getByRole('button', { name: /^Send/ }).first().click()
  expect((await answered).status()).toBe(200)
  await page.getByText('unix_ms').last().waitFor()
  await page.screenshot({ path: join(shots, 'tried-out.png') })
  expect([strangers, complaints]).toEqual([[], []])
  await page.context().close()
})
