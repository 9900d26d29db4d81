import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { dnsSettings } from '../../packages/server/test/zone-site.js'
import type { Browser } from '../../packages/server/test/site.js'
import { holdTimers, inspect, isEventStream, startConsole, visit, type ConsoleSite } from './harness.js'

/** Pages that show what others change in the account, as it happens. */

const ada = 'ada@example.com'
const changed = 'API key deploy changed the zone example.com.'
/** How long a note stays. */
const noteMs = 8_000

let site: ConsoleSite
let browser: Browser
let token: string
beforeAll(async () => {
  site = await startConsole({ dns: dnsSettings([]) })
  await site.account(ada)
  browser = await site.browser(ada)
  token = (await browser.call('POST', '/keys', { body: { name: 'deploy', scopes: ['dns:write'] } })).body['data'].token
  await browser.call('POST', '/dns/zones', { body: { zone: 'example.com' } })
})
afterAll(() => site.close())

let tests = 0
let host: string
let record: { readonly id: number }
beforeEach(async () => {
  host = `h${String(++tests)}`
  record = await byKey('POST', '', { type: 'A', host, value: '192.0.2.1' })
})

/** A request of the API key. */
async function byKey(method: string, path: string, body?: object): Promise<{ readonly id: number }> {
  const answer = await site.call(method, `/v1/dns/zones/example.com/records${path}`, { token, body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body['data'] as { readonly id: number }
}

/** Opens the records of the zone. Its notes stay until the page calls `releaseTimers`. */
async function openRecords(): Promise<Page> {
  const page = await site.open(ada, 'none')
  await visit(page, `${site.url}/console/dns/example.com`)
  await holdTimers(page, noteMs)
  // What a reload would forget.
  await page.evaluate(`{
    window.notes = []
    const live = document.querySelector('[data-live]')
    new MutationObserver(() => window.notes.push(live.textContent)).observe(live, { subtree: true, childList: true, characterData: true })
  }`)
  return page
}

const notesOf = (page: Page) => page.evaluate<string[]>('window.notes')
const noteOf = (page: Page) => page.locator('[data-live]')
const editOf = (page: Page, name: string) => page.getByRole('button', { name: `Edit A ${name}.example.com` })

it('shows the change of another client in an open table without a reload, and says who made it', async () => {
  const page = await openRecords()
  const start = Date.now()
  const added = await byKey('POST', '', { type: 'A', host: 'api', value: '192.0.2.9' })
  await editOf(page, 'api').waitFor()
  await noteOf(page).getByText(changed).waitFor()
  console.info('a change of another client is shown after', Date.now() - start, 'ms')
  expect(await noteOf(page).getAttribute('aria-live')).toBe('polite')
  await inspect(page, 'live-note')
  await page.evaluate('releaseTimers()')
  await expect.poll(() => noteOf(page).textContent()).toBe('')
  await byKey('DELETE', `/${String(added.id)}`)
  await editOf(page, 'api').waitFor({ state: 'detached' })
  await page.context().close()
})

it('shows no note for changes of the same tab, and one in another window of the user', async () => {
  const [page, other] = [await openRecords(), await openRecords()]
  await editOf(page, host).click()
  await page.getByRole('dialog').getByLabel('Host').fill('mine')
  await page.getByRole('button', { name: 'Save the record' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const told = 'You changed the zone example.com in another tab or browser.'
  await noteOf(other).getByText(told).waitFor()
  await editOf(other, 'mine').waitFor()
  // Its event comes after that of the change above.
  await byKey('POST', '', { type: 'A', host: 'theirs', value: '192.0.2.9' })
  await noteOf(page).getByText(changed).waitFor()
  // The sign-in of the other window has a note too.
  expect((await notesOf(page)).filter((note) => note.includes('example.com'))).toEqual([changed])
  await Promise.all([page.context().close(), other.context().close()])
})

it('keeps the input of a form whose record another client deletes, and reads the table after that', async () => {
  const page = await openRecords()
  await editOf(page, host).click()
  const field = page.getByRole('dialog').getByLabel('Host')
  await field.fill('typed')
  await byKey('DELETE', `/${String(record.id)}`)
  await noteOf(page).getByText(changed).waitFor()
  expect(await field.inputValue()).toBe('typed')
  const row = page.locator('tr[data-index]', { hasText: host })
  expect(await row.count()).toBe(1)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard it' }).click()
  await row.waitFor({ state: 'detached' })
  await page.context().close()
})

it('holds no connection while its tab is hidden, and shows what has happened when it is in view again', async () => {
  const page = await openRecords()
  const show = (state: 'hidden' | 'visible') =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' })
      document.dispatchEvent(new Event('visibilitychange'))`)
  const ended = page.waitForEvent('requestfailed', isEventStream)
  await show('hidden')
  await ended
  await byKey('DELETE', `/${String(record.id)}`)
  const opened = page.waitForRequest(isEventStream)
  await show('visible')
  expect((await opened).headers()['last-event-id']).toMatch(/^\d+$/)
  await noteOf(page).getByText(changed).waitFor()
  await editOf(page, host).waitFor({ state: 'detached' })
  await page.context().close()
})
