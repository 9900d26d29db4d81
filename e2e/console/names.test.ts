import { afterAll, beforeAll, expect, it } from 'vitest'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Names that are encoded, and the names of pages. */

const zone = 'xn--bcher-kva.example'
let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  const token = await site.token(await site.account('ada@example.com'), '*')
  const call = async (path: string, body: object) =>
    expect((await site.call('POST', path, { token, body })).status).toBe(200)
  await call('/v1/dns/zones', { zone })
  await call(`/v1/dns/zones/${zone}/records`, { type: 'A', host: 'xn--mller-kva', value: '192.0.2.1' })
  await call(`/v1/dns/zones/${zone}/records`, { type: 'CNAME', host: 'www', value: 'xn--e1afmkfd.xn--p1ai' })
  await call(`/v1/dns/zones/${zone}/records`, { type: 'TXT', host: 'text', value: 'xn--e1afmkfd.xn--p1ai' })
})
afterAll(() => site.close())

it('shows the letters of encoded names beside the names of zones and records', async () => {
  const page = await site.open('ada@example.com', 'dns')
  await page.getByRole('row', { name: `${zone} bücher.example` }).waitFor()
  await inspect(page, 'names-zones')
  await page.getByRole('link', { name: zone }).click()
  await page.getByRole('heading', { name: zone }).waitFor()
  await page.getByText('bücher.example', { exact: true }).waitFor()
  await page.getByRole('row', { name: 'xn--mller-kva müller' }).waitFor()
  await page.getByRole('row', { name: 'xn--e1afmkfd.xn--p1ai пример.рф' }).waitFor()
  // The text of a TXT record is no name.
  expect(await page.getByText('пример.рф').count()).toBe(1)
  await inspect(page, 'names-records')
  await page.context().close()
})

it('a page that does not exist has a heading, a title and the icon of the console', async () => {
  const page = await site.open('ada@example.com', 'none')
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  expect(await page.title()).toBe('Page not found · svc')
  const icon = await page.locator('link[rel="icon"]').getAttribute('href')
  const isImage = `new Promise((resolve) => {
    const image = new Image()
    image.onload = () => resolve(image.naturalWidth > 0)
    image.onerror = () => resolve(false)
    image.src = ${JSON.stringify(icon)}
  })`
  expect(await page.evaluate<boolean>(isImage)).toBe(true)
  await inspect(page, 'names-missing')
  await page.context().close()
})
