import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { doubleClickMs } from '../../packages/console/src/parts/repeat-guard.js'
import { ask } from '../../packages/server/test/dns-ask.js'
import { rcodes, startDnsServer, type DnsServer } from '../../packages/server/test/dns-server.js'
import { dnsSettings } from '../../packages/server/test/zone-site.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Zones and records in the console. */

const ada = 'ada@example.com'
let resolver: DnsServer
let site: ConsoleSite
beforeAll(async () => {
  resolver = await startDnsServer(() => ({ rcode: rcodes.nxdomain }))
  site = await startConsole({ dns: { ...dnsSettings([resolver.address]), recordsMax: 10_000 } })
  await site.account(ada)
  await site.account('bob@example.com')
})
afterAll(async () => {
  await site.close()
  await resolver.stop()
})

const answersOf = async (name: string, type: string) =>
  (await ask(site.dnsPort, name, type)).answers.map(({ value }) => value)

/** Fills in the form of a new record: first with a wrong value, then with the right one. */
async function add(page: Page, type: string, wrong: Fields, problem: RegExp, right: Fields): Promise<void> {
  const form = page.getByRole('region', { name: 'Add a record' })
  await form.getByLabel('Type', { exact: true }).selectOption(type)
  for (const [label, text] of Object.entries({ ...right, ...wrong })) await form.getByLabel(label).fill(text)
  await form.getByRole('button', { name: 'Add the record' }).click()
  await form.getByText(problem).waitFor()
  for (const [label, text] of Object.entries(right)) await form.getByLabel(label).fill(text)
  await form.getByRole('button', { name: 'Add the record' }).click()
  await page.getByText(new RegExp(`^${type} .* is added`)).waitFor()
}

/** The name of the element that has the focus. */
const focusedLabel = (page: Page) =>
  page.evaluate<string>(`(() => {
    const element = document.activeElement
    return element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent
  })()`)

type Fields = Readonly<Record<string, string>>

it('claims a zone and adds records of each form, which the nameserver answers', async () => {
  const page = await site.open(ada, 'dns')
  await page.getByRole('heading', { name: 'No zones yet' }).waitFor()
  await page.getByRole('button', { name: 'Claim a zone' }).first().click()
  await page.getByRole('textbox', { name: 'Zone' }).fill('www.example.com')
  await page.getByRole('button', { name: 'Claim the zone' }).click()
  await page
    .getByText(/apex domain/)
    .last()
    .waitFor()
  await page.getByRole('textbox', { name: 'Zone' }).fill('example.com')
  await inspect(page, 'dns-claim')
  await page.getByRole('button', { name: 'Claim the zone' }).click()
  await page.getByRole('heading', { name: 'No records yet' }).waitFor()

  await page.getByRole('button', { name: 'Add a record' }).last().click()
  await expect.poll(() => focusedLabel(page)).toBe('Host')
  const address = 'IPv4 address'
  await add(page, 'A', { [address]: '300.0.0.1' }, /Must be an IPv4/, { Host: 'www', [address]: '192.0.2.1' })
  await add(page, 'MX', { Priority: '' }, /required/, { 'Mail server': 'mail.example.net', Priority: '10' })
  const srv = { Host: '_sip._tcp', Priority: '1', Weight: '5', Port: '5060', Target: 'sip.example.net' }
  await add(page, 'SRV', { Port: '99999' }, /65535/, srv)
  await add(page, 'TXT', { Host: 'a b' }, /Must/, { Host: 'txt', Text: 'v=spf1\n -all' })
  await add(page, 'CAA', { Flags: '999' }, /255/, { Flags: '0', Value: 'letsencrypt.org' })
  await inspect(page, 'dns-records')

  expect(await answersOf('www.example.com', 'A')).toEqual(['192.0.2.1'])
  expect(await answersOf('example.com', 'MX')).toEqual(['10 mail.example.net'])
  expect(await answersOf('_sip._tcp.example.com', 'SRV')).toEqual(['1 5 5060 sip.example.net'])
  expect(await answersOf('example.com', 'CAA')).toEqual(['0 issue "letsencrypt.org"'])
  await page.context().close()
})

it('asks before Escape or a link discards a record that is being added', async () => {
  const page = await site.open(ada, 'dns/example.com?add')
  const host = page.getByRole('region', { name: 'Add a record' }).getByLabel('Host')
  await host.fill('unsaved')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('example.com')
  await page.locator('.mantine-Spotlight-action', { hasText: 'example.com' }).first().click()
  await page.getByRole('button', { name: 'Keep it' }).click()
  expect(await host.inputValue()).toBe('unsaved')
  await host.focus()
  for (const leave of [() => page.keyboard.press('Escape'), () => page.getByRole('link', { name: 'Files' }).click()]) {
    await leave()
    await page.getByRole('button', { name: 'Keep it' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await host.inputValue()).toBe('unsaved')
    await host.focus()
  }
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard it' }).click()
  await host.waitFor({ state: 'hidden' })
})

it('edits a record and keeps the filter, deletes one, and undoes the deletion', async () => {
  const page = await site.open(ada, 'dns/example.com')
  const filter = page.getByRole('textbox', { name: 'Filter by name or value' })
  await filter.focus()
  await page.keyboard.type('www')
  expect(await filter.inputValue()).toBe('www')
  await expect.poll(() => page.getByRole('table', { name: 'Records' }).getByRole('row').count()).toBe(2)
  await page.getByRole('button', { name: 'Edit A www.example.com' }).click()
  await page.getByRole('textbox', { name: 'IPv4 address' }).fill('192.0.2.7')
  expect(new URL(page.url()).searchParams.get('q')).toBe('www')
  await inspect(page, 'dns-edit')
  await page.getByRole('button', { name: 'Save the record' }).click()
  await page.getByText('A www.example.com is saved.').waitFor()
  expect(await answersOf('www.example.com', 'A')).toEqual(['192.0.2.7'])
  await page.getByRole('button', { name: 'Delete A www.example.com' }).click()
  await page.getByText('A www.example.com is deleted.').waitFor()
  expect(await answersOf('www.example.com', 'A')).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  expect(await answersOf('www.example.com', 'A')).toEqual(['192.0.2.7'])
  await page.context().close()
})

/** Clicks twice on the button that deletes the first of three records. @returns the page, and the milliseconds between the clicks */
async function deleteTwice(zone: string) {
  const browser = await site.browser(ada)
  await browser.call('POST', '/dns/zones', { body: { zone } })
  for (const host of ['a', 'b', 'c'])
    await browser.call('POST', `/dns/zones/${zone}/records`, { body: { type: 'A', host, value: '192.0.2.1' } })
  const page = await site.open(ada, `dns/${zone}`)
  const button = page.getByRole('button', { name: `Delete A a.${zone}` })
  await button.waitFor()
  await page.evaluate(
    `globalThis.clicks = []; addEventListener('click', (event) => clicks.push(event.timeStamp), true)`,
  )
  await button.click({ clickCount: 2, delay: 75 })
  const [first = 0, second = Infinity] = await page.evaluate<number[]>('clicks')
  return { zone, page, betweenMs: second - first }
}

it('deletes one record on a double click, and keeps the focus', async () => {
  let clicked = await deleteTwice('small.com')
  // Two clicks of a busy machine may be too far apart for a double click.
  for (let attempt = 1; clicked.betweenMs >= doubleClickMs && attempt < 5; attempt++) {
    await clicked.page.context().close()
    clicked = await deleteTwice(`small${String(attempt)}.com`)
  }
  const { zone, page } = clicked
  await page.getByText(`A a.${zone} is deleted.`).waitFor()
  expect(await page.getByRole('button', { name: /^Delete A/ }).count()).toBe(2)
  await page.getByRole('button', { name: `Delete A b.${zone}` }).press('Enter')
  await expect.poll(() => focusedLabel(page)).toBe(`Edit A c.${zone}`)
  await page.getByRole('button', { name: `Delete A c.${zone}` }).press('Enter')
  await expect.poll(() => focusedLabel(page)).toBe('Add a record')
  await page.context().close()
})

it('sends only the changed fields of a record, so that a change in another tab stays', async () => {
  const browser = await site.browser(ada)
  const body = { type: 'A', host: 'tabs', value: '192.0.2.1' }
  const created = await browser.call('POST', '/dns/zones/example.com/records', { body })
  const { id } = created.body['data'] as { id: number }
  const page = await site.open(ada, `dns/example.com?record=${String(id)}`)
  await page.getByRole('textbox', { name: 'IPv4 address' }).waitFor()
  await browser.call('PATCH', `/dns/zones/example.com/records/${String(id)}`, { body: { value: '192.0.2.99' } })
  await page.getByRole('dialog').getByLabel('TTL').selectOption('1 minute')
  await page.getByRole('button', { name: 'Save the record' }).dblclick()
  await page.getByText('A tabs.example.com is saved.').waitFor()
  expect(await answersOf('tabs.example.com', 'A')).toEqual(['192.0.2.99'])
  await page.context().close()
})

it('refuses a pasted zone file of 10 MB at once', async () => {
  const page = await site.open(ada, 'dns/example.com?import')
  const input = page.getByRole('textbox', { name: 'Zone file' })
  await input.focus()
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'www A 192.0.2.1\\n'.repeat(700_000))
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(paste)
  })()`)
  await page.getByText(/This text has 11.9 MB. The console imports at most 800 kB/).waitFor({ timeout: 3_000 })
  expect(await input.inputValue()).toBe('')
  await page.context().close()
})

it('previews the import of a zone file, and applies it', async () => {
  const page = await site.open(ada, 'dns/example.com?import')
  await page.getByRole('textbox', { name: 'Zone file' }).fill('ftp A 300.0.0.1')
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('1 line must be corrected first').waitFor()
  await page
    .getByRole('textbox', { name: 'Zone file' })
    .fill(
      [
        '@ SOA a. b. 1 2 3 4 5',
        'www 300 A 192.0.2.7',
        'ftp 3600 A 192.0.2.8',
        'mail 3600 A 192.0.2.25',
        'shop 3600 CNAME stores.example.net.',
        '@ 3600 TXT "v=spf1 mx -all"',
      ].join('\n'),
    )
  await page.getByRole('button', { name: 'Preview the changes' }).click()
  await page.getByText('4 added').waitFor()
  await page.getByText("the SOA record is the platform's own: skipped").waitFor()
  await inspect(page, 'dns-import')
  await page.getByRole('button', { name: 'Apply all changes' }).click()
  await page.getByRole('button', { name: 'Edit A ftp.example.com' }).waitFor()
  expect(await answersOf('ftp.example.com', 'A')).toEqual(['192.0.2.8'])
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export the zone file' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('example.com.zone')
  await page.context().close()
})

it('shows the challenge of a contested zone, and what the resolvers answered', async () => {
  const bob = await site.browser('bob@example.com')
  await bob.call('POST', '/dns/zones', { body: { zone: 'taken.com' } })
  const page = await site.open(ada, 'dns?claim')
  await page.getByRole('textbox', { name: 'Zone' }).fill('taken.com')
  await page.getByRole('button', { name: 'Claim the zone' }).click()
  await page.getByText('_svcdns-verify.taken.com', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText(/the name does not exist/).waitFor()
  await inspect(page, 'dns-pending')
  await page.getByRole('link', { name: 'DNS', exact: true }).first().click()
  await page.getByText('Publish the TXT record _svcdns-verify.taken.com').waitFor()
  await inspect(page, 'dns-zones')
  await page.context().close()
})

it('scrolls through 10,000 records with few rows in the page', async () => {
  const browser = await site.browser(ada)
  await browser.call('POST', '/dns/zones', { body: { zone: 'large.com' } })
  const text = Array.from({ length: 10_000 }, (_, i) => `h${i} 300 A 192.0.2.1`).join('\n')
  const answer = await browser.call('POST', '/dns/zones/large.com/zone-file/import', { body: { text } })
  expect(answer.body['data']).toMatchObject({ created: 10_000 })
  const page = await site.open(ada, 'dns/large.com')
  await page.getByText('10,000 records').waitFor()
  const table = page.getByRole('table', { name: 'Records' })
  expect(await table.getByRole('row').count()).toBeLessThan(80)
  await page.keyboard.press('End')
  const last = table.getByText('h9999', { exact: true })
  await last.waitFor()
  const bottomOf = async (part: Locator) => {
    const box = await part.boundingBox()
    return (box?.y ?? NaN) + (box?.height ?? NaN)
  }
  const height = page.viewportSize()?.height ?? NaN
  await expect.poll(async () => (await bottomOf(last)) < height).toBe(true)
  expect(await table.getByRole('row').count()).toBeLessThan(80)
  const header = table.getByRole('columnheader', { name: 'Host' })
  expect(await bottomOf(header)).toBeLessThan(120)

  await page.getByRole('link', { name: 'Files' }).click()
  await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
  await page.goBack()
  await last.waitFor()
  await expect.poll(async () => (await bottomOf(last)) < height).toBe(true)
  await page.keyboard.press('Home')
  await table.getByText('h0', { exact: true }).waitFor()

  await table.getByRole('button', { name: 'Value' }).click()
  await page.getByRole('link', { name: 'Files' }).click()
  await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
  await page.goBack()
  await table
    .getByRole('columnheader', { name: 'Value', exact: true })
    .and(page.locator('[aria-sort=ascending]'))
    .waitFor()
  await page.context().close()
})
