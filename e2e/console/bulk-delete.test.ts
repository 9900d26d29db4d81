import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { noLimits } from '../../packages/server/test/file-storage.js'
import { send } from '../../packages/server/test/raw-http.js'
import { expectUncovered, holdTimers, inspect, startConsole, type ConsoleSite } from './harness.js'

/** Rows that are selected and deleted together, with one offer to undo it. */

const email = 'ada@example.com'
/** The most files whose deletion can be undone. */
const undoMax = 100
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
let site: ConsoleSite
let ada: Awaited<ReturnType<ConsoleSite['browser']>>
beforeAll(async () => {
  site = await startConsole({ files: noLimits })
  await site.account(email)
  ada = await site.browser(email)
})
afterAll(() => site.close())

const notice = (page: Page) => page.locator('.mantine-Notification-root')
const boxes = (page: Page) => page.getByRole('checkbox', { name: /^Select (?!all)/ })
const box = (page: Page, title: string) => page.getByRole('checkbox', { name: `Select ${title}`, exact: true })

async function open(path: string, options: Parameters<ConsoleSite['open']>[2] = {}): Promise<Page> {
  const page = await site.open(email, path, options)
  // The offer to undo ends after so long.
  await holdTimers(page, 8_000)
  return page
}

/** Collects the deletions that the page sends. */
function deletionsOf(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && /\/delete(-several)?$/.test(request.url())) sent.push(request.postData() ?? '')
  })
  return sent
}

async function upload(count: number, prefix: string): Promise<void> {
  const content = Buffer.from('hello').toString('base64')
  for (let index = 1; index <= count; index++)
    await ada.call('POST', '/files/upload', { body: { name: `${prefix}-${String(index)}.txt`, content } })
}

const namesOf = async (): Promise<string[]> => {
  const { body } = await ada.call('GET', '/files?limit=1000')
  return body['data'].files.map(({ name }: { name: string }) => name)
}

it('selects a range with Shift in the order of the table, all rows with the header, and none with Escape', async () => {
  await upload(6, 'range')
  const page = await open('files?name=range')
  await boxes(page).nth(5).waitFor()
  const bar = page.getByRole('group', { name: 'Selected files' })
  const selected = () => boxes(page).evaluateAll((all) => all.flatMap((each) => (each.checked ? [each.ariaLabel] : [])))
  await page.getByRole('button', { name: 'Name' }).click()
  await box(page, 'range-2.txt').click()
  await box(page, 'range-5.txt').click({ modifiers: ['Shift'] })
  expect(await selected()).toEqual([2, 3, 4, 5].map((index) => `Select range-${String(index)}.txt`))
  await bar.getByText('4 files selected, 20 bytes').waitFor()
  // No text is selected on the way.
  expect(await page.evaluate('getSelection().toString()')).toBe('')
  await inspect(page, 'files-selected')

  await box(page, 'range-4.txt').click({ modifiers: ['Shift'] })
  expect(await selected()).toEqual([2, 3].map((index) => `Select range-${String(index)}.txt`))
  await box(page, 'range-1.txt').focus()
  await page.keyboard.press('Shift+Space')
  expect(await selected()).toEqual([1, 2, 3, 4].map((index) => `Select range-${String(index)}.txt`))

  await page.getByRole('searchbox', { name: 'Filter by name' }).press('Escape')
  expect(await selected()).toHaveLength(4)
  await box(page, 'range-1.txt').press('Escape')
  await bar.waitFor({ state: 'detached' })
  const all = page.getByRole('checkbox', { name: 'Select all' })
  await all.check()
  await bar.getByText('6 files selected').waitFor()
  await all.uncheck()
  await bar.waitFor({ state: 'detached' })
  await page.context().close()
})

it('deletes files when the offer to undo ends, and nothing if it is taken', async () => {
  await upload(3, 'undo')
  const page = await open('files?name=undo')
  const sent = deletionsOf(page)
  await box(page, 'undo-1.txt').check()
  await box(page, 'undo-2.txt').check()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await notice(page).getByText('Deleting 2 files.').waitFor()
  await page.getByText('1 file', { exact: true }).waitFor()
  expect(await boxes(page).count()).toBe(1)
  await notice(page).getByRole('button', { name: 'Undo' }).click()
  await page.getByText('3 files', { exact: true }).waitFor()
  await notice(page).getByText('Undone.').waitFor()
  expect(sent).toEqual([])

  await box(page, 'undo-1.txt').check()
  await box(page, 'undo-2.txt').check()
  // Within 500 ms of the first click, it would be a double click.
  await page.waitForTimeout(600)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await notice(page).getByText('Deleting 2 files.').waitFor()
  // The pointer holds the offer, and with it the requests.
  await notice(page).hover()
  await page.evaluate('releaseTimers()')
  expect(sent).toEqual([])
  await page.mouse.move(700, 600)
  await expect
    .poll(async () => {
      await page.evaluate('releaseTimers()')
      return sent.length
    })
    .toBe(2)
  await notice(page).waitFor({ state: 'detached' })
  await expect.poll(async () => (await namesOf()).filter((name) => name.startsWith('undo'))).toEqual(['undo-3.txt'])
  await page.reload()
  await page.getByText('1 file', { exact: true }).waitFor()
  await page.context().close()
})

it('brings the rows back with the error if they cannot be deleted', async () => {
  await upload(2, 'fails')
  const page = await open('files?name=fails')
  await page.route('**/files/delete', (route: Route) =>
    route.fulfill({
      status: 500,
      json: { success: false, error: 'internal_error', message: 'The disk is broken.', request_id: 'req_1' },
    }),
  )
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No file with fails in its name fits the filter.').waitFor()
  await notice(page).getByRole('button', { name: 'Close' }).click()
  await notice(page)
    .getByText(/The disk is broken\./)
    .waitFor()
  await page.getByText('2 files', { exact: true }).waitFor()
  expect(await boxes(page).count()).toBe(2)
  await page.context().close()
})

it.each([
  ['another page of the console is opened', (page: Page) => page.getByRole('link', { name: 'WHOIS' }).click()],
  ['the page is left', (page: Page) => page.goto('about:blank')],
  ['the tab is closed', (page: Page) => page.close()],
  [
    'the user signs out',
    async (page: Page) => {
      await page.getByRole('button', { name: 'Account menu' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('textbox', { name: 'Password' }).waitFor()
    },
  ],
  [
    'other files are deleted',
    async (page: Page) => {
      await page.getByRole('searchbox', { name: 'Filter by name' }).fill('others')
      await boxes(page).first().check()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
    },
  ],
])('deletes at once when %s', async (_, leave) => {
  await upload(undoMax, 'leave')
  await upload(1, 'others')
  const page = await open('files?name=leave')
  await page.getByText(`${String(undoMax)} files`, { exact: true }).waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByLabel('Type 100 to confirm').fill('100')
  await page.getByRole('button', { name: 'Delete 100 files' }).click()
  await page.getByText('No file with leave in its name fits the filter.').waitFor()
  expect((await namesOf()).filter((name) => name.startsWith('leave'))).toHaveLength(undoMax)
  await leave(page)
  await expect
    .poll(async () => (await namesOf()).filter((name) => name.startsWith('leave')), { timeout: 30_000 })
    .toEqual([])
  await page.context().close()
})

it('deletes messages in one request, and keeps those that arrive meanwhile', async () => {
  const { key } = (await ada.call('POST', '/sms/keys', { body: { label: 'Phone' } })).body['data']
  const forward = (text: string) =>
    fetch(`${site.url}/sms/${String(key)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: '+15550100', text, sentStamp: Date.now(), receivedStamp: Date.now(), sim: 'SIM1' }),
    })
  for (let index = 1; index <= 6; index++) await forward(`message ${String(index)}`)
  const page = await open('messages', phone)
  const sent = deletionsOf(page)
  await boxes(page).nth(5).waitFor()
  await boxes(page).nth(1).tap()
  await boxes(page)
    .nth(3)
    .click({ modifiers: ['Shift'] })
  const bar = page.getByRole('group', { name: 'Selected messages' })
  await bar.getByText('3 messages selected').waitFor()
  await expectUncovered(page, 'messages with a selection')
  await inspect(page, 'messages-selected')
  await page.setViewportSize(phone.viewport)
  await bar.getByRole('button', { name: 'Delete' }).tap()
  await notice(page).getByText('Deleting 3 messages.').waitFor()
  await page.getByText('3 messages', { exact: true }).waitFor()
  await forward('message 7')
  await page.getByText('message 7').waitFor()
  await page.getByText('4 messages', { exact: true }).waitFor()
  await notice(page).getByRole('button', { name: 'Undo' }).tap()
  await page.getByText('7 messages', { exact: true }).waitFor()

  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.waitForTimeout(600)
  await bar.getByRole('button', { name: 'Delete' }).tap()
  await page.getByRole('heading', { name: 'No messages yet' }).waitFor()
  expect(sent).toEqual([])
  await page.evaluate('releaseTimers()')
  await expect.poll(() => sent).toEqual([JSON.stringify({ ids: [7, 6, 5, 4, 3, 2, 1] })])
  await forward('message 8')
  await page.getByText('message 8').waitFor()
  await page.getByText('1 message', { exact: true }).waitFor()
  await page.context().close()
})

it('deletes submissions of a form, and the number of submissions follows', async () => {
  const { id, slug } = (await ada.call('POST', '/deployments/create', { body: { kind: 'form', slug: 'contact' } }))
    .body['data']
  for (let index = 1; index <= 4; index++)
    await send(site.url, 'POST', `/f/${String(slug)}`, {
      headers: { host: 'content.localhost', 'content-type': 'application/json' },
      body: JSON.stringify({ email: `ada${String(index)}@example.com` }),
    })
  const page = await open(`deployments/${String(id)}`)
  const sent = deletionsOf(page)
  await page.getByText('4 of 4 submissions').waitFor()
  await box(page, 'submission 4').click()
  await box(page, 'submission 2').click({ modifiers: ['Shift'] })
  await inspect(page, 'deployments-selected')
  await page.getByRole('group', { name: 'Selected submissions' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('1 of 1 submission').waitFor()
  await expect
    .poll(() => page.evaluate("document.activeElement.closest('tr')?.textContent ?? ''"))
    .toContain('ada1@example.com')
  await notice(page).getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => sent).toEqual([JSON.stringify({ id, submission_ids: [4, 3, 2] })])
  await page.reload()
  await page.getByText('1 of 1 submission').waitFor()
  await page.context().close()
})
