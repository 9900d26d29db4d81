import type { Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { inspect } from './harness.js'
import {
  ada,
  changesOf,
  chooseOf,
  dialogOf,
  differences,
  phone,
  takeBackFirst,
  historyForTests,
} from './history-zone.js'

/** The history of a zone: who changed what, and the zone as it was. */

const history = historyForTests()

it('shows each change with who made it, when, and what it removed and added, and the request on demand', async () => {
  const zone = await history.claim('example.com')
  const { id } = await zone.create('www', '192.0.2.1')
  await zone.create('@', 'mail.example.net', { type: 'MX', priority: 10 })
  const made = await history.site.call('POST', `/v1/dns/zones/${zone.name}/records`, {
    token: history.token,
    body: { type: 'A', host: 'www', value: '192.0.2.2', ttl: 60 },
  })
  await zone.update(id, { value: '192.0.2.7' })
  const page = await history.site.open(ada, `dns/${zone.name}`)
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('heading', { name: 'History', level: 1 }).waitFor()
  await expect.poll(() => changesOf(page).count()).toBe(5)
  expect(await differences(page)).toEqual([
    'www A 1 min: Removed: 192.0.2.1, Added: 192.0.2.7',
    'www A TTL was −5 min and is now +1 min: Unchanged: 192.0.2.1, Added: 192.0.2.2',
    '@ MX 5 min: Added: 10 mail.example.net',
    'www A 5 min: Added: 192.0.2.1',
  ])
  const texts = await changesOf(page).allInnerTexts()
  expect(texts[0]).toMatch(/^Console · (now|\d+ (second|minute)s? ago), .*20\d\d/)
  expect(texts[1]).toMatch(/^API key deploy · /)
  expect(texts[4]).toContain('The zone was verified for this account.')
  await page.getByText('5 changes', { exact: true }).waitFor()
  await inspect(page, 'dns-history')

  const second = changesOf(page).nth(1)
  await second.getByRole('button', { name: /^Details/ }).click()
  await second.getByText(made.body['request_id'] as string).waitFor()
  await second.getByRole('button', { name: 'Copy the request id' }).waitFor()
  await second.getByRole('link', { name: 'deploy' }).click()
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  await page.locator('tr[data-changed]').getByText('deploy').waitFor()
  await page.context().close()
})

it('says that the API key of a change was revoked', async () => {
  const account = await history.site.account(`revoked@example.com`)
  const other = await history.site.token(account, 'dns:write')
  const own = 'revoked.com'
  await history.site.call('POST', '/v1/dns/zones', { token: other, body: { zone: own } })
  await history.site.sql(`delete from token where account_id = ${String(account.id)}`)
  const page = await history.site.open('revoked@example.com', `dns/${own}/history`)
  await page.getByText(/^API key .* \(revoked\)/).waitFor()
  expect(await changesOf(page).getByRole('link').count()).toBe(0)
  await page.context().close()
})

it('groups changes by day, leads to the zone at the end of a day, and names commands and other causes', async () => {
  const zone = await history.claim()
  await zone.create('www', '192.0.2.1')
  const end = await zone.latest()
  await zone.create('www', '192.0.2.2')
  await zone.create('www', '192.0.2.3')
  const change = (serial: number, values: string) =>
    history.site.sql(`update zone_change set ${values} where serial = ${String(serial)} and zone_id =
      (select id from dns_zone where name = '${zone.name}')`)
  const dayMs = 86_400_000
  await change(end - 1, `at = at - ${String(10 * dayMs)}, actor_kind = 'protocol', actor_name = 'another cause'`)
  await change(
    end,
    `at = at - ${String(10 * dayMs)}, actor_kind = 'operator', actor_name = 'svc dns import', request_id = null`,
  )
  await change(end + 1, `at = at - ${String(dayMs)}`)
  const page = await zone.openHistory()
  await changesOf(page).first().waitFor()
  expect(await page.locator('main section h2').allInnerTexts()).toEqual([
    'Today',
    'Yesterday',
    expect.stringMatching(/20\d\d/),
  ])
  await changesOf(page).nth(2).getByText('Operator: svc dns import').waitFor()
  await changesOf(page).nth(3).getByText('Protocol: another cause').waitFor()
  await changesOf(page).nth(2).getByText('10 days ago').waitFor()
  await changesOf(page)
    .nth(2)
    .getByRole('button', { name: /^Details/ })
    .click()
  await changesOf(page).nth(2).getByText('Made without a request.').waitFor()
  await inspect(page, 'dns-history-days')
  await page.getByRole('link', { name: 'The zone at the end of this day' }).last().click()
  await page.getByText(`serial ${String(end)}.`).waitFor()
  expect(await page.getByRole('table', { name: 'Records of the past' }).locator('tbody tr').count()).toBe(1)
  await page.context().close()
})

it('shows the zone as it was, as a table that cannot be changed, and returns to it', async () => {
  const zone = await history.claim()
  await zone.create('www', '192.0.2.1')
  await zone.create('@', 'mail.example.net', { type: 'MX', priority: 10 })
  await zone.importLines(['oops 300 A 192.0.2.66'], true)
  const page = await zone.openHistory()
  await chooseOf(page, 1, 'Show the zone as it was')
  await page.getByRole('heading', { name: `${zone.name} as it was` }).waitFor()
  await page.getByText('The zone as it was, not as it is now').waitFor()
  await page.getByText(/^All records after the change of .*20\d\d/).waitFor()
  const table = page.getByRole('table', { name: 'Records of the past' })
  expect(await table.locator('tbody tr').allInnerTexts()).toEqual([
    expect.stringMatching(/^@\s+MX\s+10 mail.example.net\s+5 min$/),
    expect.stringMatching(/^www\s+A\s+192.0.2.1\s+5 min$/),
  ])
  expect(await table.locator('tbody button').count()).toBe(0)
  await inspect(page, 'dns-history-past')
  await page.getByRole('textbox', { name: 'Filter by name or value' }).fill('mail')
  await page.getByText('1 of 2 records').waitFor()
  await page.getByRole('button', { name: 'Return the zone to this' }).click()
  await dialogOf(page).getByRole('button', { name: 'Return the zone' }).click()
  await page.getByText(`${zone.name} is as it was.`).waitFor()
  expect(await zone.addressesOf('www')).toEqual(['192.0.2.1'])
  await page.goto(`${history.site.url}/console/dns/${zone.name}/history/1`)
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('button', { name: 'Return the zone to this' }).count()).toBe(0)
  await page.context().close()
})

it('filters by host and type, keeps the field while the server refuses a host, and shows only the values that it selects', async () => {
  const zone = await history.claim()
  await zone.importLines(['www 300 A 192.0.2.1', 'a 300 TXT "text"', 'bücher 300 A 192.0.2.3'])
  await zone.create('www', 'text', { type: 'TXT' })
  const page = await zone.openHistory()
  const host = page.getByRole('textbox', { name: 'Only changes at this host' })
  await host.fill('www')
  await expect.poll(() => differences(page)).toEqual(['www TXT 5 min: Added: text', 'www A 5 min: Added: 192.0.2.1'])
  await page.getByRole('combobox', { name: 'Only changes of this type' }).selectOption('A')
  await expect.poll(() => differences(page)).toEqual(['www A 5 min: Added: 192.0.2.1'])
  expect(new URL(page.url()).search).toBe('?host=www&type=A')
  await host.fill(`www.${zone.name}`)
  await page.getByRole('alert').getByText(/^host/).waitFor()
  await host.fill('bücher')
  await expect.poll(() => differences(page)).toEqual(['xn--bcher-kva A 5 min: Added: 192.0.2.3'])
  await page.getByText('bücher', { exact: true }).waitFor()
  await host.fill('none')
  await page.getByText('No change matches this filter.').waitFor()
  await inspect(page, 'dns-history-filter')
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await page.getByText('3 changes', { exact: true }).waitFor()
  await page.context().close()
})

it('does not seem to be empty until the list without the filter has arrived', async () => {
  const zone = await history.claim()
  const page = await zone.openHistory('?host=none')
  await page.getByText('No change matches this filter.').waitFor()
  const held = new Promise<Route>((resolve) => void page.route('**/history?limit=50', resolve))
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  const route = await held
  expect(await page.getByText('No changes yet').count()).toBe(0)
  await route.continue()
  await page.getByText('1 change', { exact: true }).waitFor()
  await page.context().close()
})

it('loads 1,000 changes in pages', async () => {
  const zone = await history.claim()
  for (let first = 0; first < 1_000; first += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        history.site.call('POST', `/v1/dns/zones/${zone.name}/records`, {
          token: history.token,
          body: { type: 'A', host: `h${String(first + i)}`, value: '192.0.2.1' },
        }),
      ),
    )
  const page = await zone.openHistory()
  await page.getByText('1,001 changes', { exact: true }).waitFor()
  await expect.poll(() => changesOf(page).count()).toBe(50)
  const more = page.getByRole('button', { name: 'Load older changes' })
  await page.route('**/history?*before=*', (route) => route.abort(), { times: 3 })
  await more.click()
  await page.getByText('Older changes cannot be loaded').waitFor()
  await page.unroute('**/history?*before=*')
  await page.getByRole('button', { name: 'Try again' }).last().click()
  for (let loaded = 100; loaded <= 1_000; loaded += 50) {
    await expect.poll(() => changesOf(page).count()).toBe(loaded)
    await more.click()
    // The same click within 500 ms is the second one of a double click.
    await page.waitForTimeout(500)
  }
  await page.getByText('This is the oldest change that is kept.').waitFor()
  expect(await changesOf(page).count()).toBe(1_001)
  await page
    .getByRole('button', { name: /^Take this back/ })
    .last()
    .click()
  await dialogOf(page).getByText('This would change:', { exact: false }).waitFor()
  await page.context().close()
})

it('shows a change of 5,000 records in parts, and takes it back', async () => {
  const zone = await history.claim()
  await zone.importLines(Array.from({ length: 5_000 }, (_, i) => `h${String(i)} 300 A 192.0.2.1`))
  const page = await zone.openHistory()
  await page.getByText('5,000 values added').waitFor()
  expect(await differences(page)).toHaveLength(12)
  await page.getByRole('button', { name: 'Show 200 more of 4,988 values' }).click()
  await expect.poll(() => differences(page)).toHaveLength(212)
  await takeBackFirst(page)
  await dialogOf(page).getByText('5,000 values removed').waitFor()
  await inspect(page, 'dns-history-large')
  await dialogOf(page).getByRole('button', { name: 'Take it back' }).click()
  await page.getByText('The change is taken back.').waitFor()
  expect(await zone.addressesOf('h4999')).toEqual([])
  await page.context().close()
})

it('marks what differs in long texts, shows them whole on demand, and decodes names', async () => {
  const zone = await history.claim()
  const text = (end: string) => `v=spf1 ${'include:_spf.example.net '.repeat(30)}${end}`
  const { id } = await zone.create('@', text('~all'), { type: 'TXT' })
  await zone.create('key', 'k'.repeat(2_000), { type: 'TXT' })
  await zone.create('xn--bcher-kva', 'xn--e1afmkfd.xn--p1ai', { type: 'CNAME' })
  await zone.update(id, { value: text('-all') })
  const page = await zone.openHistory()
  await page.locator('mark').first().waitFor()
  expect(await page.locator('mark').allInnerTexts()).toEqual(['~', '-'])
  await page.getByText('bücher', { exact: true }).waitFor()
  await page.getByText('пример.рф', { exact: true }).waitFor()
  await inspect(page, 'dns-history-long')
  await changesOf(page).first().getByRole('button', { name: 'Show the whole values' }).click()
  await page.getByText(text('-all'), { exact: false }).first().waitFor()
  await page.context().close()
})

it('is used by keyboard: rows, details, the dialog and its way back', async () => {
  const zone = await history.claim()
  const { id } = await zone.create('www', '192.0.2.1')
  await zone.update(id, { value: '192.0.2.7' })
  const page = await zone.openHistory()
  await changesOf(page).first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await changesOf(page).first().getByText('Request req_').waitFor()
  const button = page.getByRole('button', { name: /^Take this back/ }).first()
  await button.focus()
  await page.keyboard.press('Enter')
  await dialogOf(page).getByRole('button', { name: 'Take it back' }).waitFor()
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'hidden' })
  const focused = () => page.evaluate<string>("document.activeElement.getAttribute('aria-label')")
  await expect.poll(focused).toBe(await button.getAttribute('aria-label'))
  await page.context().close()
})

it('has its acts in a menu on a phone', async () => {
  const zone = await history.claim()
  const { id } = await zone.create('www', '192.0.2.1')
  await zone.update(id, { value: '192.0.2.7' })
  await zone.create('mail', 'a.very.long.name.of.a.mail.server.example.net', { type: 'CNAME' })
  const page = await history.site.open(ada, `dns/${zone.name}`, phone)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'History' }).click()
  await changesOf(page).first().waitFor()
  await inspect(page, 'dns-history-phone')
  await page.setViewportSize(phone.viewport)
  await chooseOf(page, 1, 'Take this back')
  await dialogOf(page).getByRole('button', { name: 'Take it back' }).click()
  await page.getByText('The change is taken back.').waitFor()
  expect(await zone.addressesOf('www')).toEqual(['192.0.2.1'])
  await page.context().close()
})

it('shows an error of the first read with a way to repeat it', async () => {
  const zone = await history.claim()
  const page = await zone.openHistory()
  await changesOf(page).first().waitFor()
  await page.route('**/history?*', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await page.reload()
  await page.getByRole('alert').waitFor()
  await page.unroute('**/history?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await changesOf(page).first().waitFor()
  await page.context().close()
})
