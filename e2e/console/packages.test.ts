import { afterAll, beforeAll, expect, it } from 'vitest'
import { getPage } from '../../packages/server/test/site-host.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Packages in the console. */

let site: ConsoleSite
let token: string
beforeAll(async () => {
  site = await startConsole()
  token = await site.token(await site.account('ada@example.com'), '*')
})
afterAll(() => site.close())

const files = [
  { name: 'greeter.tar.gz', mimeType: 'application/gzip', buffer: Buffer.from('greeter') },
  { name: 'SHA256SUMS', mimeType: 'text/plain', buffer: Buffer.from('sums') },
]

it('publishes a version, downloads a file, edits the details and deletes the package', async () => {
  const page = await site.open('ada@example.com', 'packages')
  await page.getByRole('heading', { name: 'No packages yet' }).waitFor()
  await inspect(page, 'packages-empty')
  await page.getByRole('button', { name: 'Publish a package' }).first().click()
  await page.getByLabel('Choose files').setInputFiles(files)
  await page.getByRole('textbox', { name: 'Package' }).fill('greeter')
  await page.getByRole('button', { name: '1.0.0', exact: true }).click()
  await inspect(page, 'packages-publish')
  await page.getByRole('button', { name: 'Publish the version' }).click()
  await page.getByRole('heading', { name: 'greeter', exact: true }).waitFor()

  const link = await page.getByRole('link', { name: 'greeter.tar.gz' }).getAttribute('href')
  const { host, pathname } = new URL(link ?? '')
  expect((await getPage(site.url, host, pathname)).text).toBe('greeter')

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Display name').fill('The greeter')
  await inspect(page, 'packages-edit')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'The greeter' }).waitFor()
  // Downloads are counted within a second, and shown when the page is read again.
  const counted = async () =>
    (await site.call('GET', '/v1/packages/greeter', { token })).body['data'].package.downloads as number
  await expect.poll(counted).toBe(1)
  await page.reload()
  await page.getByRole('heading', { name: 'Downloads by version' }).waitFor()
  await inspect(page, 'packages-package')

  await page.getByRole('button', { name: 'Delete the package' }).click()
  await page.getByLabel('Type greeter to confirm').fill('greeter')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the package' }).click()
  await page.getByText('greeter is deleted.').waitFor()
  await page.getByRole('heading', { name: 'No packages yet' }).waitFor()
})

it('shows that a version exists, and keeps what was typed', async () => {
  const artifacts = [{ name: 'a.txt', content: 'YQ==' }]
  const body = { slug: 'tool', version: '1.0.0', artifacts }
  expect((await site.call('POST', '/v1/packages/publish', { token, body })).status).toBe(200)
  const page = await site.open('ada@example.com', 'packages/tool?publish')
  await page.getByLabel('Choose files').setInputFiles(files)
  await page.getByRole('textbox', { name: 'Version' }).fill('1.0.0')
  await page.getByRole('button', { name: 'Publish the version' }).click()
  await page.getByText(/1\.0\.0 of tool was published already/i).waitFor()
  await inspect(page, 'packages-refused')
  expect(await page.getByRole('textbox', { name: 'Version' }).inputValue()).toBe('1.0.0')
  await page.getByText('greeter.tar.gz').waitFor()
  await page.goto(`${site.url}/console/packages`)
  await page.getByRole('cell', { name: 'tool' }).waitFor()
  await inspect(page, 'packages-list')
})
