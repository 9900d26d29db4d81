import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { deploySite, getPage } from '../../packages/server/test/site-host.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Sites in the console: deploy, restore a version, add a domain. */

let site: ConsoleSite
let token: string
let folder: string
beforeAll(async () => {
  site = await startConsole()
  token = await site.token(await site.account('ada@example.com'), '*')
  expect((await site.call('POST', '/v1/dns/zones', { token, body: { zone: 'example.com' } })).status).toBe(200)
  folder = await mkdtemp(join(tmpdir(), 'svc-console-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await site.close()
})

const bodyAt = async (host: string, path = '/') => (await getPage(site.url, host, path)).text

async function zipOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path)
  zip.end()
  return buffer(zip.outputStream)
}

/** Chooses a zip, as from the file dialog of the browser. */
const chooseZip = (page: Page, zip: Buffer) =>
  page
    .getByLabel('Zip of the site')
    .first()
    .setInputFiles({ name: 'Docs.zip', mimeType: 'application/zip', buffer: zip })

it('deploys a folder and a zip, and restores the first version', async () => {
  const project = join(folder, 'docs')
  await mkdir(join(project, 'dist', '.git'), { recursive: true })
  await writeFile(join(project, 'package.json'), '{}')
  await writeFile(join(project, 'dist', 'index.html'), 'first version')
  await writeFile(join(project, 'dist', '.env'), 'SECRET=1')

  const page = await site.open('ada@example.com', 'sites')
  await page.getByText('Drop a folder here to put it online').waitFor()
  await inspect(page, 'sites-empty')
  await page.getByLabel('Folder of the site').setInputFiles(project)
  await page.getByText('Left out: 1 hidden or system file').waitFor()
  expect(await page.getByRole('radio', { name: 'Only dist/ (1 file)' }).isChecked()).toBe(true)
  expect(await page.getByLabel('Name').inputValue()).toBe('docs')
  await inspect(page, 'sites-deploy')
  await page.getByRole('button', { name: 'Deploy the site' }).click()
  await page.getByRole('heading', { name: 'docs', exact: true }).waitFor()
  expect(await bodyAt('docs.localhost')).toBe('first version')
  expect((await getPage(site.url, 'docs.localhost', '/.env')).status).toBe(404)

  await chooseZip(page, await zipOf({ 'index.html': 'second version' }))
  await page.getByRole('button', { name: 'Deploy the site' }).press('Escape')
  await page.getByRole('button', { name: 'Keep it' }).click()
  await page.getByRole('button', { name: 'Deploy the site' }).click()
  await page.getByText('docs serves v2.').waitFor()
  expect(await bodyAt('docs.localhost')).toBe('second version')

  await page.getByRole('button', { name: 'Use this version: v1' }).click()
  await page.getByText('docs now serves v1.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  expect(await bodyAt('docs.localhost')).toBe('first version')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  expect(await bodyAt('docs.localhost')).toBe('second version')
})

it('serves a site at a domain of the user, and shows the records that were created', async () => {
  const files = { 'style.css': 'body { font-family: sans-serif }\n'.repeat(90), 'about.html': 'About us\n'.repeat(700) }
  await deploySite(site.url, token, 'shop', { 'index.html': 'Coming soon' })
  await deploySite(site.url, token, 'shop', { ...files, 'index.html': 'The shop opens on Monday' })
  await deploySite(site.url, token, 'shop', { ...files, 'contact.html': 'Write to us', 'index.html': 'the shop' })
  const page = await site.open('ada@example.com', 'sites/shop?domain')
  await page.getByLabel('Name in the zone').fill('@')
  await page.getByRole('button', { name: 'Add the domain' }).click()
  await page.getByText(/Is the zone example\.com itself, which cannot be a CNAME/).waitFor()
  await page.getByLabel('Name in the zone').fill('www')
  await inspect(page, 'sites-add-domain')
  await page.getByRole('button', { name: 'Add the domain' }).click()
  await page.getByText('CNAME shop.localhost').waitFor()
  expect(await bodyAt('www.example.com')).toBe('the shop')
  await inspect(page, 'sites-site')

  await page.getByRole('button', { name: 'Remove www.example.com' }).click()
  await page.getByRole('button', { name: 'Remove the domain' }).click()
  await page.getByText('www.example.com is removed.').waitFor()
  expect(await bodyAt('www.example.com')).not.toBe('the shop')
})

it('shows why the server refuses a zip, keeps the version, and deletes the site', async () => {
  await deploySite(site.url, token, 'blog', { 'index.html': 'the blog' })
  const page = await site.open('ada@example.com', 'sites/blog')
  await page.getByRole('button', { name: 'Deploy a new version' }).waitFor()
  // Of the same length, so that only the name changes.
  const evil = Buffer.from((await zipOf({ 'xx/secret': 'a' })).toString('latin1').replaceAll('xx/', '../'), 'latin1')
  await chooseZip(page, evil)
  await page.getByRole('button', { name: 'Deploy the site' }).click()
  await page.getByText('archive: entry "../secret" has . or .. in its path.').waitFor()
  expect(await bodyAt('blog.localhost')).toBe('the blog')
  await inspect(page, 'sites-refused')

  await page.goto(`${site.url}/console/sites/blog`)
  await page.getByRole('button', { name: 'Delete the site' }).click()
  await page.getByLabel('Type blog to confirm').fill('blog')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the site' }).click()
  await page.getByText('blog is deleted.').waitFor()
  expect((await getPage(site.url, 'blog.localhost', '/')).status).toBe(404)
})
