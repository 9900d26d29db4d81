import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { request } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { noLimits } from '../../packages/server/test/file-storage.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Files in the console: uploads that survive a lost connection, share links, and the edge cache. */

const email = 'ada@example.com'
const mebibyte = 2 ** 20
const largeMebibytes = 200

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole({ files: { ...noLimits, bytesMax: (largeMebibytes + 5) * mebibyte } })
  await Promise.all([site.account(email), site.account('bob@example.com')])
})
afterAll(() => site.close())

interface Given {
  readonly name: string
  /** Each mebibyte is filled with its index; otherwise the file is a short text. */
  readonly mebibytes?: number
}

/** Drops files on the page. Their contents are made in the page, because 200 MB would take long on the way there. */
async function drop(page: Page, files: readonly Given[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    for (const { name, mebibytes } of ${JSON.stringify(files)}) {
      const parts = Array.from({ length: mebibytes ?? 0 }, (_, index) => new Uint8Array(${mebibyte}).fill(index))
      transfer.items.add(new File(mebibytes === undefined ? ['hello'] : parts, name, { type: name.endsWith('.mp4') ? 'video/mp4' : 'text/plain' }))
    }
    return transfer
  })()`)
  await page.getByLabel('Files to upload').locator('..').dispatchEvent('drop', { dataTransfer })
}

const filled = (mebibytes: number): string => {
  const hash = createHash('sha256')
  for (let index = 0; index < mebibytes; index++) hash.update(Buffer.alloc(mebibyte, index))
  return hash.digest('hex')
}

/** Follows a share link without signing in. The link has the content host of the settings, and the test's server another port. */
const follow = (link: string) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const { host, pathname } = new URL(link)
    request(site.url + pathname, { headers: { host } }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject)
    })
      .once('error', reject)
      .end()
  })

const filesOf = async (owner: string) => {
  const { body } = await (await site.browser(owner)).call('GET', '/files')
  return body['data'].files as { name: string; sha256: string; share_url: string | null; size: number }[]
}

it('uploads several files at once, shares, renames and deletes them', async () => {
  const page = await site.open('bob@example.com', 'files')
  await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  await inspect(page, 'files-empty')
  await drop(page, [
    { name: 'opening-hours.txt' },
    { name: 'price-list.txt' },
    { name: 'product-film.mp4', mebibytes: 3 },
  ])
  await page.getByText('Uploads: 3 of 3 done').waitFor()
  await page.getByRole('link', { name: 'product-film.mp4' }).waitFor()
  await page.getByRole('switch', { name: 'Share opening-hours.txt' }).press('Space')
  await page.getByText('opening-hours.txt is shared: anyone with its link can open it.').waitFor()
  await inspect(page, 'files-list')
  const link = (await filesOf('bob@example.com')).find(({ name }) => name === 'opening-hours.txt')?.share_url ?? ''
  expect(await follow(link)).toEqual({ status: 200, body: 'hello' })

  await page.getByRole('button', { name: 'Actions for price-list.txt' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByLabel('Name', { exact: true }).fill('a/price-list.txt')
  await page.getByRole('button', { name: 'Rename the file' }).click()
  await page.getByText(/slash/).last().waitFor()
  await inspect(page, 'files-rename')
  await page.getByLabel('Name', { exact: true }).fill('price-list-2027.txt')
  await page.getByRole('button', { name: 'Rename the file' }).click()
  await page.getByRole('link', { name: 'price-list-2027.txt' }).waitFor()

  await page.getByLabel('Select price-list-2027.txt').check()
  await page.getByLabel('Select product-film.mp4').check()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Deleting 2 files.').waitFor()
  await page.locator('.mantine-Notification-root').getByRole('button', { name: 'Close' }).click()
  await expect
    .poll(async () => (await filesOf('bob@example.com')).map(({ name }) => name))
    .toEqual(['opening-hours.txt'])
})

it('shows a shared file, changes how the edge serves it, and ends its link', async () => {
  const page = await site.open('bob@example.com', 'files')
  await page.getByRole('link', { name: 'opening-hours.txt' }).click()
  await page.getByLabel('Contents').getByText('hello').waitFor()
  await page.getByText(/^1 request, /).waitFor()
  await page.getByRole('img', { name: /^Requests by day: 1 request in the last 30 days/ }).waitFor()
  await inspect(page, 'files-file')
  const [{ share_url: link } = { share_url: null }] = await filesOf('bob@example.com')
  await page.getByRole('switch', { name: 'Serve the file' }).press('Space')
  await page.getByText('The settings of the edge cache are saved.').waitFor()
  expect((await follow(link ?? '')).status).toBe(404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  expect((await follow(link ?? '')).status).toBe(200)
  await page.goto(`${site.url}/console/files/cdn`)
  await page.getByRole('cell', { name: 'opening-hours.txt' }).waitFor()
  await page.getByText('Most requested files').waitFor()
  await page.getByRole('img', { name: /^Requests by day: \d requests? in the last 30 days/ }).waitFor()
  await inspect(page, 'files-cdn')

  await page.getByRole('link', { name: 'opening-hours.txt' }).click()
  await page.getByRole('button', { name: 'Stop sharing' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop sharing' }).click()
  await page.getByText('opening-hours.txt is private again.').waitFor()
  expect((await follow(link ?? '')).status).toBe(404)
  await page.goto(`${site.url}/console/files/cdn`)
  await page.getByText('No file is shared now').waitFor()
  await page.getByRole('img', { name: /^Requests by day: \d requests? in the last 30 days/ }).waitFor()
})

it('asks before a reload that loses a paused upload, and says then how to send it again', async () => {
  const page = await site.open('bob@example.com', 'files')
  let parts = 0
  await page.route('**/upload-chunk*', (route) => (++parts > 1 ? undefined : route.continue()))
  await drop(page, [{ name: 'holiday.mp4', mebibytes: 4 }])
  await expect.poll(() => parts).toBeGreaterThan(1)
  await page.getByRole('button', { name: 'Pause holiday.mp4' }).click()
  await page.getByText(/, paused$/).waitFor()
  const asked = new Promise<string>((resolve) => {
    page.once('dialog', (dialog) => {
      resolve(dialog.type())
      void dialog.accept()
    })
  })
  await page.reload()
  expect(await asked).toBe('beforeunload')
  await page.getByText(/1 open upload/).waitFor()
  const unfinished = page.getByRole('region', { name: 'Unfinished uploads' })
  await unfinished.getByText(/Upload \d+: .+ of 4\.2 MB received, the last part now; expires in 23 hours/).waitFor()
  await inspect(page, 'files-unfinished')
  await unfinished.getByRole('button', { name: /Discard upload/ }).click()
  await page.getByRole('button', { name: 'Discard the upload' }).click()
  await page.getByText(/Upload \d+ is discarded\./).waitFor()
  await expect.poll(() => unfinished.count()).toBe(0)
  await expect.poll(() => page.getByText(/1 open upload/).count()).toBe(0)
})

it('many small files are uploaded without reading the used storage after each', async () => {
  await site.account('eve@example.com')
  const page = await site.open('eve@example.com', 'files')
  await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  let reads = 0
  page.on('request', (sent) => (reads += sent.method() === 'GET' ? 1 : 0))
  const start = Date.now()
  await drop(
    page,
    Array.from({ length: 150 }, (_, index) => ({ name: `${String(index)}.txt` })),
  )
  await page.getByText('Uploads: 150 of 150 done').waitFor()
  // Two reads in each second, not two for each file.
  expect(reads).toBeLessThan(10 + (2 * (Date.now() - start)) / 1000)
  await page.getByText('150 files', { exact: true }).waitFor()
})

it('an address that is no id has no page', async () => {
  const page = await site.open(email, 'files/abc')
  await page.getByText('There is no page at this address').waitFor()
  await page.goto(`${site.url}/console/deployments/abc`)
  await page.getByText('There is no page at this address').waitFor()
})

it('a large upload goes on after the connection was lost, also on another page', async () => {
  // A page that was opened before is there without a connection too.
  const page = await site.open(email, 'account')
  await page.getByLabel('Display name').waitFor()
  await page.getByRole('link', { name: 'Files', exact: true }).click()
  await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  let parts = 0
  const isCut = new Promise<void>((resolve) => {
    page.on('request', (sent) => {
      if (sent.url().includes('upload-chunk') && ++parts === 6) resolve(page.context().setOffline(true))
    })
  })
  await drop(page, [{ name: 'large.bin', mebibytes: largeMebibytes }])
  await isCut
  await page.getByText(/waits for the connection/).waitFor()
  await inspect(page, 'files-offline')
  await page
    .getByRole('link', { name: 'Account', exact: true })
    .or(page.getByRole('link', { name: 'Edge cache' }))
    .first()
    .click()
  await page.getByText('Uploading 1 file').waitFor()
  await page.context().setOffline(false)
  await page.getByText('1 file uploaded').waitFor()
  const [file] = await filesOf(email)
  expect(file).toMatchObject({ name: 'large.bin', size: largeMebibytes * mebibyte, sha256: filled(largeMebibytes) })
})

it('a file beyond the storage limit fails with the message of the server, and the others go on', async () => {
  const page = await site.open(email, 'files')
  await page.getByRole('link', { name: 'large.bin' }).waitFor()
  await drop(page, [{ name: 'too-large.bin', mebibytes: 12 }, { name: 'small.txt' }])
  await page.getByText(/size needs .*the account uses/).waitFor()
  expect(await page.getByRole('button', { name: 'Retry too-large.bin' }).count()).toBe(0)
  await page.getByRole('link', { name: 'small.txt' }).waitFor()
  await inspect(page, 'files-full')
  await page.getByRole('button', { name: 'Cancel too-large.bin' }).click()
  await page.getByText('Uploads: 1 of 1 done').waitFor()
})

it('does not repeat the read of older files by itself after an error', async () => {
  const page = await site.open(email, 'files')
  await page.getByRole('link', { name: 'large.bin' }).waitFor()
  const [file] = await filesOf(email)
  const files = Array.from({ length: 150 }, (_, index) => ({ ...file, id: 1_000 - index, name: `file ${index}` }))
  const first = { success: true, data: { files, total: 1_000, next: 850 }, request_id: 'req_1' }
  let reads = 0
  await page.route('**/console/api/files?*', async (route) => {
    if (!route.request().url().includes('before=')) return route.fulfill({ json: first })
    reads++
    const failure = { success: false, error: 'internal_error', message: 'It is broken.', request_id: 'req_2' }
    return route.fulfill({ status: 500, json: failure })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Load all' }).click()
  await page.getByText('This may be out of date').waitFor()
  await page.waitForTimeout(500)
  expect(reads).toBe(1)
})

/** Gives an account files, without their contents. @param names SQL: the name of the file `i`, from 1 */
async function insertFiles(owner: string, count: number, names: string, mediaType = "'text/plain'"): Promise<void> {
  const { id } = await site.account(owner)
  await site.sql(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(count)})
    insert into file (account_id, name, media_type, size, sha256, edge_ttl, serving, edge_version, created_at, updated_at)
    select ${String(id)}, ${names}, ${mediaType}, 5, '', 3600, 1, 0, 1795167000000, 1795167000000 from n order by i`)
  await site.sql(`insert into storage_use (account_id, files, shared, bytes, uploads, objects)
    values (${String(id)}, ${String(count)}, 0, ${String(5 * count)}, 0, ${String(count)})`)
}

/** Types letters into the focused field without a pause, however busy the machine is. */
const typeAtOnce = (text: string) => `{
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
  const text = ${JSON.stringify(text)}
  for (let end = 1; end <= text.length; end++) {
    set.call(document.activeElement, text.slice(0, end))
    document.activeElement.dispatchEvent(new Event('input', { bubbles: true }))
  }
}`

it('the filter finds files that are not loaded, asks after a pause, and is in the address', async () => {
  await insertFiles(
    'carol@example.com',
    2_500,
    "case i when 1 then 'Tax 2019.pdf' else 'photo ' || i || '.png' end",
    "case i when 1 then 'application/pdf' else 'image/png' end",
  )
  const page = await site.open('carol@example.com', 'files')
  await page.getByText('1,000 of 2,500 files are loaded. The order applies to these.').waitFor()
  const searches: string[] = []
  page.on('request', (sent) => {
    const text = new URL(sent.url()).searchParams.get('search')
    if (text !== null) searches.push(text)
  })
  const field = page.getByRole('searchbox', { name: 'Filter by name' })
  await field.focus()
  await page.evaluate(typeAtOnce('tax 2019'))
  await page.getByRole('link', { name: 'Tax 2019.pdf' }).waitFor()
  await page.getByText('1 file', { exact: true }).waitFor()
  expect(searches).toEqual(['tax 2019'])
  await page.getByRole('cell', { name: 'PDF', exact: true }).waitFor()
  await page.reload()
  await page.getByText('1 file', { exact: true }).waitFor()
  expect(await field.inputValue()).toBe('tax 2019')

  await field.fill('no such file')
  await page.getByText('No file with no such file in its name fits the filter.').waitFor()
  await inspect(page, 'files-none-found')
  await page.getByRole('button', { name: 'Show all files' }).click()
  await page.getByText('1,000 of 2,500 files are loaded. The order applies to these.').waitFor()
  expect(await field.inputValue()).toBe('')
  await page.getByLabel('Filter by kind').selectOption('PDF')
  await page.getByText('1 file', { exact: true }).waitFor()
  await page.getByLabel('Filter by sharing').selectOption('Shared')
  await page.getByText('No file fits the filter.').waitFor()
  expect(new URL(page.url()).search).toBe('?kind=pdf&shared=yes')
})

it('on a phone, each row shows sharing, size and date in a second line, and the table does not scroll sideways', async () => {
  await insertFiles('dora@example.com', 3, "'" + 'a-long-name-without-spaces-'.repeat(6) + "' || i || '.txt'")
  const page = await site.open('dora@example.com', 'files', { viewport: { width: 360, height: 640 } })
  const facts = page.getByText(/^Private · 5 bytes · /)
  await facts.first().waitFor()
  expect(await facts.count()).toBe(3)
  const overflow = () =>
    page.evaluate<number>(`Math.max(...[...document.querySelectorAll('main *')]
      .filter((element) => getComputedStyle(element).overflowX === 'auto')
      .map((element) => element.scrollWidth - element.clientWidth))`)
  expect(await overflow()).toBeLessThanOrEqual(0)
  await inspect(page, 'files-phone')
  await page.getByRole('columnheader', { name: 'Shared' }).waitFor()
  expect(await facts.count()).toBe(0)
})
