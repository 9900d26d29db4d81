import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownedRows } from '../../bench/src/filled-rows.js'
import { isEventStream, startConsole, type ConsoleSite } from './harness.js'

/** The console on a slow mobile network, without anything in the browser's cache. */

const ada = 'ada@example.com'
const sizes = {
  zones: 20,
  records: 2_000,
  files: 100,
  messages: 20,
  domains: 20,
  packages: 5,
  versions: 3,
  sites: 5,
  deployments: 10,
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

/** 400 ms and 1.6 Mbit/s: "slow 3G" of Lighthouse. */
const slow = { offline: false, latency: 400, downloadThroughput: 200_000, uploadThroughput: 94_000 }

interface Opened {
  /** The paths that the browser has requested. */
  readonly requests: readonly string[]
  /** Compressed. */
  readonly bytes: number
  readonly firstPaint: number
  readonly usable: number
}

/** Opens a page of a signed-in user for the first time. Times are milliseconds. */
async function openSlowly(path: string, isUsable: (page: Page) => Promise<unknown>): Promise<Opened> {
  const warm = await site.open(ada, 'none')
  const cookies = await warm.context().cookies()
  await warm.context().close()
  const context = await site.chromium.newContext({ viewport: { width: 390, height: 844 } })
  context.setDefaultTimeout(60_000)
  await context.addCookies(cookies)
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', slow)
  const sent = new Map<string, string>()
  const requests: string[] = []
  let bytes = 0
  network.on('Network.requestWillBeSent', ({ requestId, request }) =>
    sent.set(requestId, new URL(request.url).pathname),
  )
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    // Nothing for a file from the browser's cache.
    if (encodedDataLength > 0) requests.push(sent.get(requestId) ?? '')
    bytes += encodedDataLength
  })
  const streamed = page.waitForRequest(isEventStream)
  const start = Date.now()
  await page.goto(`${site.url}/console/${path}`, { waitUntil: 'commit' })
  await isUsable(page)
  const usable = Date.now() - start
  const firstPaint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity`,
  )
  // What the page loads when it has its data.
  await streamed
  await expect.poll(() => requests.filter((path) => path.includes('/assets/palette-')).length).toBe(2)
  await context.close()
  return { requests, bytes, firstPaint, usable }
}

it('loads a page with few files, each once, and paints its outline before its scripts run', async () => {
  const overview = await openSlowly('', (page) => page.getByRole('link', { name: 'All sites' }).waitFor())
  const records = await openSlowly(`dns/${zone}`, (page) => page.getByRole('table', { name: 'Records' }).waitFor())
  const activity = await openSlowly('activity', (page) => page.getByLabel('Name of the thing').waitFor())
  const history = await openSlowly(`dns/${zone}/history`, (page) => page.getByText('No changes yet').waitFor())
  for (const [name, { requests, ...opened }] of Object.entries({ overview, records, activity, history })) {
    console.info(name, { ...opened, requests: requests.length }, requests)
    const files = requests.filter((path) => path.includes('/assets/'))
    // Two of them are the command palette, and one follows the changes of others: they are loaded while the page is idle.
    expect(files.length, name).toBeLessThanOrEqual(16)
    expect(new Set(requests).size, name).toBe(requests.length)
    // The paint does not wait for the scripts, which need more than half of the time.
    expect(opened.firstPaint, name).toBeLessThan(opened.usable / 2)
  }
})

it.each(['light', 'dark'] as const)('the page has an outline in %s colors before its scripts run', async (colors) => {
  const other = colors === 'light' ? 'dark' : 'light'
  const page = await site.open(ada, '', { colorScheme: other })
  await page.getByRole('button', { name: `Use ${colors} colors` }).click()
  await page.route('**/*.js', () => undefined)
  await page.goto(`${site.url}/console/`, { waitUntil: 'commit' })
  await page.locator('.outline-bar').waitFor()
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  await expect.poll(background).toBe(colors === 'light' ? 'rgb(255, 255, 255)' : 'rgb(36, 36, 36)')
  expect(await page.locator('.outline-areas').isVisible()).toBe(true)
  await page.unroute('**/*.js')
  await page.goto(`${site.url}/console/`)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await page.locator('#outline').count()).toBe(0)
  await page.context().close()
})
