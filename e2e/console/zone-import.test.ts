import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { doubleClickMs } from '../../packages/console/src/parts/repeat-guard.js'
import { rcodes, startDnsServer, type DnsServer } from '../../packages/server/test/dns-server.js'
import { dnsSettings } from '../../packages/server/test/zone-site.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The problems of a zone file, beside its text. */

const zone = 'example.com'
let resolver: DnsServer
let site: ConsoleSite
beforeAll(async () => {
  resolver = await startDnsServer(() => ({ rcode: rcodes.nxdomain }))
  site = await startConsole({ dns: dnsSettings([resolver.address]) })
  const token = await site.token(await site.account('ada@example.com'), 'dns:write')
  await site.call('POST', '/v1/dns/zones', { token, body: { zone } })
})
afterAll(async () => {
  await site.close()
  await resolver.stop()
})

const padding = Array.from({ length: 40 }, (_, at) => `host${String(at)} 300 A 192.0.2.1`)
const text = ['$TTL 300', ...padding, 'ftp A 300.0.0.1', '  TXT "kept"', 'a..b A 192.0.2.1', 'mail MX x'].join('\n')

/** The selected text of the text area that has the focus, and whether its line is in view. */
const selection = (page: Page) =>
  page.evaluate<[string, boolean]>(`(() => {
    const { activeElement: area } = document
    const line = area.value.slice(0, area.selectionStart).split('\\n').length - 1
    const y = (area.scrollHeight / area.value.split('\\n').length) * line - area.scrollTop
    return [area.value.slice(area.selectionStart, area.selectionEnd), y >= 0 && y < area.clientHeight]
  })()`)

it('each problem leads to its line, and invalid lines can be skipped', async () => {
  const page = await site.open('ada@example.com', `dns/${zone}?import`)
  const field = page.getByRole('textbox', { name: 'Zone file' })
  await field.fill(text)
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('3 lines must be corrected first').waitFor()
  await inspect(page, 'dns-import-problems')
  await page.getByRole('button', { name: 'Line 42:' }).click()
  expect(await selection(page)).toEqual(['ftp A 300.0.0.1', true])
  await page.getByRole('button', { name: 'Line 45:' }).click()
  expect(await selection(page)).toEqual(['mail MX x', true])

  await field.press('End')
  await page.keyboard.type('y')
  await page.getByText('The text has been changed since.').waitFor()
  expect(await page.getByRole('button', { name: 'Skip these 3 lines' }).count()).toBe(0)
  await page.keyboard.press('Backspace')
  await new Promise((resolve) => setTimeout(resolve, doubleClickMs))
  await page.getByRole('button', { name: 'Skip these 3 lines' }).click()
  // The records of the other lines, and the one that had its owner from a skipped line.
  await page.getByText('41 added').waitFor()
  await page.getByRole('button', { name: 'Apply all changes' }).click()
  await page.getByText('41 records added, 0 changed, 0 deleted.').waitFor()
  await page.getByRole('button', { name: 'Edit TXT ftp.example.com' }).waitFor()
  await page.context().close()
})

it('a directive that other lines depend on is not skipped', async () => {
  const page = await site.open('ada@example.com', `dns/${zone}?import`)
  await page.getByRole('textbox', { name: 'Zone file' }).fill('$TTL x\n$GENERATE 1-9 a A 192.0.2.$\nwww A 192.0.2.9')
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('2 lines must be corrected first').waitFor()
  await page.getByRole('button', { name: 'Skip this line' }).click()
  await page.getByText('1 line must be corrected first').waitFor()
  expect(await page.getByRole('textbox', { name: 'Zone file' }).inputValue()).toBe(
    '$TTL x\n; $GENERATE 1-9 a A 192.0.2.$\nwww A 192.0.2.9',
  )
  await page.context().close()
})
