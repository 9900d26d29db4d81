import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { noLimits } from '../../packages/server/test/file-storage.js'
import { expectUncovered, inspect, startConsole, type ConsoleSite } from './harness.js'

/** Files as tiles with pictures, and their preview. */

const email = 'ada@example.com'
let site: ConsoleSite
let ada: Awaited<ReturnType<ConsoleSite['browser']>>
beforeAll(async () => {
  site = await startConsole({ files: noLimits })
  await site.account(email)
  ada = await site.browser(email)
  for (const [name, mediaType, content] of files) await upload(name, mediaType, content)
})
afterAll(() => site.close())

/** A red square. Its script must not run. */
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><script>parent.document.title = 'evil'</script><rect width="64" height="64" fill="#c22"/></svg>`

/** A tenth of a second of silence. */
const sound = (() => {
  const samples = 800
  const wave = Buffer.alloc(44 + samples, 128)
  wave.write('RIFF', 0)
  wave.writeUInt32LE(36 + samples, 4)
  wave.write('WAVEfmt ', 8)
  wave.writeUInt32LE(16, 16)
  wave.writeUInt16LE(1, 20)
  wave.writeUInt16LE(1, 22)
  wave.writeUInt32LE(8000, 24)
  wave.writeUInt32LE(8000, 28)
  wave.writeUInt16LE(1, 32)
  wave.writeUInt16LE(8, 34)
  wave.write('data', 36)
  wave.writeUInt32LE(samples, 40)
  return wave
})()

/** The list is newest first. */
const files = [
  ['archive.zip', 'application/zip', 'not a zip'],
  ['paper.pdf', 'application/pdf', '%PDF-1.4\n%%EOF'],
  ['jingle.wav', 'audio/wav', sound],
  ['page.html', 'text/html', '<script>document.title = "evil"</script><h1>A page</h1>'],
  ['broken.png', 'image/png', 'not a picture'],
  ['huge.svg', 'image/svg+xml', picture.replace('<rect', `<!--${'x'.repeat(4_000_001)}--><rect`)],
  ['square.svg', 'image/svg+xml', picture],
] as const

async function upload(name: string, mediaType: string, content: string | Buffer): Promise<void> {
  const body = { name, media_type: mediaType, content: Buffer.from(content).toString('base64') }
  expect((await ada.call('POST', '/files/upload', { body })).status).toBe(200)
}

const tiles = (page: Page) => page.getByRole('list', { name: 'Files' }).getByRole('listitem')
const tile = (page: Page, name: string) => tiles(page).filter({ hasText: name })
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

async function openGrid(options: Parameters<ConsoleSite['open']>[2] = {}): Promise<Page> {
  const page = await site.open(email, 'files', options)
  await page.getByText('Grid', { exact: true }).click()
  await tiles(page).first().waitFor()
  return page
}

it('shows pictures as tiles, other files and large or broken pictures with an icon, and remembers the view', async () => {
  const page = await openGrid()
  const sources: string[] = []
  page.on('request', (sent) => {
    if (sent.resourceType() === 'image') sources.push(sent.url())
  })
  await page.reload()
  await expect.poll(() => tiles(page).count()).toBe(files.length)
  const isLoaded = () =>
    tile(page, 'square.svg')
      .locator('img')
      .evaluate((image: { readonly naturalWidth: number }) => image.naturalWidth)
  await expect.poll(isLoaded).toBe(64)
  expect(await tile(page, 'square.svg').locator('img').getAttribute('loading')).toBe('lazy')
  await tile(page, 'broken.png').locator('img').waitFor({ state: 'detached' })
  for (const name of ['huge.svg', 'paper.pdf', 'archive.zip']) {
    expect(await tile(page, name).locator('img').count()).toBe(0)
    expect(await tile(page, name).locator('svg').count()).toBeGreaterThan(0)
  }
  expect(new Set(sources).size).toBe(2)
  expect(await page.title()).toBe('Files · svc')
  await inspect(page, 'files-grid')
  await page.getByText('Table', { exact: true }).click()
  await page.getByRole('table', { name: 'Files' }).waitFor()
  await page.context().close()
})

it('selects tiles like rows, and has the same actions', async () => {
  const page = await openGrid()
  const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` })
  await box('square.svg').check()
  await box('broken.png').click({ modifiers: ['Shift'] })
  const bar = page.getByRole('group', { name: 'Selected files' })
  await bar.getByText('3 files selected').waitFor()
  await inspect(page, 'files-grid-selected')
  await page.keyboard.press('Escape')
  await bar.waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await bar.getByText(`${String(files.length)} files selected`).waitFor()
  await bar.getByRole('button', { name: 'Share' }).waitFor()
  await page.getByRole('button', { name: 'Actions for paper.pdf' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await page.context().close()
})

it('previews files with Space, goes to the others with arrow keys, and gives the focus back', async () => {
  // Chromium without a window has no viewer: then the page would show a note.
  const page = await site.open(email, 'files')
  await page.addInitScript(`Object.defineProperty(navigator, 'pdfViewerEnabled', { value: true })`)
  await page.reload()
  const dialog = (name: string) => page.getByRole('dialog', { name })
  await page.getByRole('link', { name: 'square.svg' }).focus()
  await page.keyboard.press('Space')
  const image = dialog('square.svg').getByRole('img', { name: 'square.svg' })
  await expect.poll(() => image.evaluate((shown: { readonly naturalWidth: number }) => shown.naturalWidth)).toBe(64)
  await expectUncovered(page, 'the preview')
  await inspect(page, 'files-preview')
  expect(new URL(page.url()).searchParams.get('preview')).not.toBeNull()

  await page.keyboard.press('ArrowRight')
  await dialog('huge.svg').waitFor()
  await page.keyboard.press('ArrowDown')
  await dialog('broken.png').getByText('The browser cannot show this file.').waitFor()
  await page.keyboard.press('ArrowRight')
  await dialog('page.html').getByLabel('Contents').getByText('<h1>A page</h1>').waitFor()
  await inspect(page, 'files-preview-text')
  await page.keyboard.press('ArrowRight')
  const player = dialog('jingle.wav').locator('audio')
  await expect
    .poll(() => player.evaluate((audio: { readonly readyState: number }) => audio.readyState))
    .toBeGreaterThan(0)
  const answer = page.waitForResponse(/\/files\/preview\?id=/)
  await page.keyboard.press('ArrowRight')
  expect((await (await answer).allHeaders())['content-disposition']).toMatch(/^inline/)
  await dialog('paper.pdf').locator('iframe').waitFor()
  await page.keyboard.press('ArrowRight')
  await dialog('archive.zip').getByText('Files of this type have no preview.').waitFor()
  // It is the last one.
  await page.keyboard.press('ArrowRight')
  await dialog('archive.zip').waitFor()
  await page.keyboard.press('ArrowLeft')
  await dialog('paper.pdf').waitFor()
  await page.keyboard.press('ArrowRight')
  await dialog('archive.zip').waitFor()
  await page.keyboard.press('Space')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('archive.zip')
  expect(new URL(page.url()).search).toBe('')
  expect(await page.title()).toBe('Files · svc')
  await page.context().close()
})

it('leaves Space and the arrow keys to fields and checkboxes, and opens the preview with a tap and by its address', async () => {
  const page = await openGrid({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const filter = page.getByRole('searchbox', { name: 'Filter by name' })
  await filter.fill('square')
  await filter.press('Space')
  expect(await filter.inputValue()).toBe('square ')
  await filter.fill('')
  await page.getByRole('checkbox', { name: 'Select square.svg' }).press('Space')
  await page.getByRole('group', { name: 'Selected files' }).getByText('1 file selected').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Actions for page.html' }).tap()
  await page.getByRole('menuitem', { name: 'Preview' }).tap()
  await page.getByRole('dialog', { name: 'page.html' }).getByLabel('Contents').waitFor()
  await page.getByRole('button', { name: 'Next file' }).tap()
  await page.getByRole('dialog', { name: 'jingle.wav' }).waitFor()
  await page.reload()
  await page.getByRole('dialog', { name: 'jingle.wav' }).waitFor()
  await page.getByRole('dialog').press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('jingle.wav')
  await page.context().close()
})

it('has only the tiles in view in the page', async () => {
  const { id } = await site.account('bob@example.com')
  await site.sql(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
    insert into file (account_id, name, media_type, size, sha256, edge_ttl, serving, edge_version, created_at, updated_at)
    select ${String(id)}, 'file ' || i || '.bin', 'application/octet-stream', 5, '', 3600, 1, 0, 1795167000000, 1795167000000
    from n order by i`)
  await site.sql(`insert into storage_use (account_id, files, shared, bytes, uploads, objects)
    values (${String(id)}, 1500, 0, 7500, 0, 1500)`)
  const page = await site.open('bob@example.com', 'files')
  await page.getByText('Grid', { exact: true }).click()
  await tile(page, 'file 1500.bin').waitFor()
  expect(await tiles(page).count()).toBeLessThan(120)
  await expect
    .poll(async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      return tile(page, 'file 1.bin').count()
    })
    .toBe(1)
  expect(await tiles(page).count()).toBeLessThan(120)
  await page.context().close()
})
