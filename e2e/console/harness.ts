import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import { startSite, type Site } from '../../packages/server/test/site.js'
import type { Config } from '../../packages/server/src/config/config.js'
import { sharedChromium, sharedHeadlessShell } from '../../test/servers/index.js'

/**
 * The built console in Chromium's headless shell, on a real server with SQLite. The pictures, and the tests of hostile pages, the
 * palette, the first run, the prefix and HTTPS, are of the whole Chromium.
 */

const takesScreenshots = process.env['SVC_SCREENSHOTS'] === '1'

/** Milliseconds. Chromium shares the machine with the other tests. */
const patience = 60_000

export interface ConsoleSite extends Site {
  readonly chromium: Browser
  /** Opens a page below /console, signed in as that account. Errors of the page fail `close`. */
  readonly open: (email: string, path: string, options?: BrowserContextOptions) => Promise<Page>
  /** Fails if a page has had an error: a script error, or a request that its policy blocked. */
  readonly close: () => Promise<void>
}

/**
 * Starts a server and a browser. Call it in `beforeAll`, and `close` in `afterAll`.
 * @param browser `sharedChromium` for a page that shows a PDF, and for hostile pages
 */
export async function startConsole(
  overrides: Partial<Config> = {},
  browser = takesScreenshots ? sharedChromium : sharedHeadlessShell,
): Promise<ConsoleSite> {
  const [site, chromium] = await Promise.all([startSite('sqlite', overrides), browser()])
  const errors: string[] = []
  const contexts: BrowserContext[] = []
  return {
    ...site,
    chromium,
    open: async (email, path, options = {}) => {
      const context = await chromium.newContext({
        viewport: sizes.desktop,
        colorScheme: 'light',
        reducedMotion: 'reduce',
        ...options,
      })
      contexts.push(context)
      context.setDefaultTimeout(patience)
      const [name = '', value = ''] = (await site.browser(email)).cookie.split('=')
      await context.addCookies([{ name, value, url: site.url, httpOnly: true, sameSite: 'Strict' }])
      const page = await context.newPage()
      page.on('pageerror', (error) => errors.push(`script: ${error.message}`))
      page.on('console', (message) => {
        // A failed request is reported here too; the tests of failures cause some.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          errors.push(message.text())
      })
      await page.goto(`${site.url}/console/${path}`)
      return page
    },
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()))
      await site.stop()
      expect(errors).toEqual([])
    },
  }
}

/** The stream of events, which a page opens when it has read all of its data. */
export const isEventStream = (request: Request): boolean => new URL(request.url()).pathname === '/console/api/events'

/** Opens an address, and resolves when the page has read all of its data. */
export async function visit(page: Page, url: string): Promise<void> {
  // Not before: the page before may still open its stream.
  const read = new Promise((resolve) => page.once('framenavigated', () => resolve(page.waitForRequest(isEventStream))))
  await page.goto(url)
  await read
}

const sizes = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  narrow: { width: 360, height: 640 },
}

const shots = fileURLToPath(new URL('screenshots/', import.meta.url))
const documents = fileURLToPath(new URL('../../docs/console/', import.meta.url))
/** The pictures of docs/console.md. */
const documented = new Set([
  'overview',
  'dns-records',
  'dns-import',
  'dns-history',
  'certificates-states',
  'files-list',
  'files-grid',
  'sites-site',
  'deployments-form',
  'deployments-attempts',
  'deployments-hours',
  'messages',
  'account-new-key',
  'account-keys-limited',
  'activity-details',
])

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/**
 * Looks at a page as it is now: no serious finding of axe-core in light and dark colors, no horizontal scrolling from 360 pixels on, and
 * nothing over the dialog in use. With `SVC_SCREENSHOTS=1` (`npm run screenshots`), it also writes four screenshots to `e2e/console/screenshots/`, and those
 * of docs/console.md to `docs/console/`. Leaves the page at desktop width, in light colors.
 * @param name of the screenshots, such as `dns-records`
 */
export async function inspect(page: Page, name: string): Promise<void> {
  await page.evaluate(axe)
  for (const colorScheme of ['light', 'dark'] as const) {
    await useColors(page, colorScheme)
    if (takesScreenshots) await takeShots(page, name, colorScheme)
    expect(await seriousFindings(page, colorScheme), `${name} in ${colorScheme} colors`).toEqual([])
  }
  await expectUncovered(page, name)
  await page.setViewportSize(sizes.narrow)
  const overflow = () =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  // Polled, because the navigation moves out of the page during 200 ms.
  await expect.poll(overflow, { message: `${name}: no horizontal scrolling at 360 pixels` }).toBeLessThanOrEqual(0)
  await expectUncovered(page, `${name} at 360 pixels`)
  await page.setViewportSize(sizes.desktop)
  await page.emulateMedia({ colorScheme: 'light' })
}

/**
 * If dialogs are open, one of them has the focus, and a click on any of its controls reaches that control. Playwright does not check
 * that for `fill` and for keys.
 */
export async function expectUncovered(page: Page, name: string): Promise<void> {
  await settled(page)
  expect(
    await page.evaluate<string[]>(coveredControls),
    `${name}: controls of the dialog under something else`,
  ).toEqual([])
}

/** A script that returns one message for each covered control. A control without a size, such as the input of a switch, is tested at its label. */
const coveredControls = `(() => {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true })
  const dialogs = [...document.querySelectorAll('[aria-modal="true"]')].filter(isShown)
  if (dialogs.length === 0) return []
  const describe = (element) => element?.outerHTML.slice(0, 120) ?? 'nothing'
  const { activeElement: focused } = document
  // A button that is disabled while it sends a form loses the focus to the body.
  const dialog = focused === document.body ? dialogs.at(-1) : focused.closest('[aria-modal="true"]')
  if (dialog === null) return ['the focus is outside: ' + describe(focused)]
  return [...dialog.querySelectorAll('a[href], button, input, select, textarea')].flatMap((control) => {
    if (!isShown(control) || getComputedStyle(control).pointerEvents === 'none') return []
    control.scrollIntoView({ block: 'center', behavior: 'instant' })
    const [box] = control.getClientRects()
    if (box === undefined || box.width < 2 || box.height < 2) return []
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
    const isHit = control.contains(hit) || hit?.closest('label')?.control === control
    return isHit ? [] : [describe(control) + ' is under ' + describe(hit)]
  })
})()`

/** Resolves when the page has these colors, and all transitions have ended. */
async function useColors(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  const used = () => page.evaluate<string>("document.documentElement.getAttribute('data-mantine-color-scheme')")
  await expect.poll(used).toBe(colorScheme)
  await settled(page)
}

async function takeShots(page: Page, name: string, colorScheme: 'light' | 'dark'): Promise<void> {
  await mkdir(shots, { recursive: true })
  for (const size of ['phone', 'desktop'] as const) {
    await page.setViewportSize(sizes[size])
    await settled(page)
    await page.screenshot({ path: `${shots}${name}-${colorScheme}-${sizes[size].width}.png` })
  }
  if (colorScheme === 'light' && documented.has(name)) await takeDocumented(page, name)
}

/** Without notifications, which cover a part of the page. */
async function takeDocumented(page: Page, name: string): Promise<void> {
  const show = (visibility: string) =>
    page
      .locator('.mantine-Notifications-root')
      .evaluateAll((all, value) => all.forEach((root) => root.style.setProperty('visibility', value)), visibility)
  // The addresses of the content host have the port of the test's settings, which is 0.
  await page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) texts.currentNode.nodeValue = texts.currentNode.nodeValue.replace('localhost:0', 'localhost')
  })()`)
  await show('hidden')
  await page.screenshot({ path: `${documents}${name}.png` })
  await show('visible')
}

/**
 * Timers of these milliseconds run when the page calls `releaseTimers`, or never: a busy machine may miss what a page shows for seconds.
 */
export const holdTimers = (page: Page, ...milliseconds: readonly number[]): Promise<unknown> =>
  // Mantine clears -1 if it has no timer.
  page.evaluate(`{
    const held = []
    const { setTimeout: start, clearTimeout: stop } = globalThis
    globalThis.setTimeout = (run, ms, ...rest) =>
      ${JSON.stringify(milliseconds)}.includes(ms) ? -1 - held.push(run) : start(run, ms, ...rest)
    globalThis.clearTimeout = (id) => (id < 0 ? delete held[-id - 2] : stop(id))
    globalThis.releaseTimers = () => held.splice(0).forEach((run) => run())
  }`)

/** Resolves when the layout fits the new size, and all transitions have ended. */
async function settled(page: Page): Promise<void> {
  // Transitions begin in the frame after the change.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  const moving = () =>
    page.evaluate<number>(
      'document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).length',
    )
  await expect.poll(moving).toBe(0)
}

/** Of lower impact, and still a header that a screen reader cannot read. */
const alsoHeld = 'empty-table-header'

/** All rules in light colors. In dark ones, only those about colors can have another result. */
async function seriousFindings(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  const rules = colorScheme === 'dark' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {}
  const options = JSON.stringify({ ...rules, resultTypes: ['violations'], preload: false })
  const findings = await page.evaluate<Finding[]>(`axe.run(document, ${options}).then(({ violations }) => violations)`)
  return findings
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || id === alsoHeld)
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`).join(' | ')}`,
    )
}
