import { afterAll, beforeAll, expect, it } from 'vitest'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The account's own secondary nameservers, in the console. */

const email = 'ada@example.com'

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  await site.account(email)
})
afterAll(() => site.close())

it('adds a secondary with a key, shows what it waits for and its answer, and deletes it', async () => {
  const page = await site.open(email, 'dns')
  await page.getByRole('link', { name: 'Secondary nameservers' }).click()
  await page.getByText('No secondaries yet').waitFor()
  await page.getByRole('button', { name: 'Add a secondary' }).first().click()
  await page.getByRole('dialog').getByText('A secondary needs a TSIG key of this account').waitFor()
  const ada = await site.browser(email)
  for (const name of ['ns2', 'ns3'])
    expect((await ada.call('POST', '/keys/tsig', { body: { name, scopes: ['dns:read'] } })).status).toBe(200)
  await page.reload()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('IP address').fill('10.0.0.1')
  await dialog.getByLabel('Key').selectOption('ns2')
  await dialog.getByRole('button', { name: 'Add the secondary' }).click()
  await dialog.getByText(/must not lead to a private or special address/i).waitFor()
  await inspect(page, 'dns-secondaries-add')
  await dialog.getByLabel('IP address').fill('9.9.9.9')
  await dialog.getByLabel('Port').fill('5353')
  await dialog.getByRole('button', { name: 'Add the secondary' }).click()
  const row = page.getByRole('row').filter({ hasText: '9.9.9.9 port 5353' })
  await row.getByText('waiting', { exact: true }).waitFor()
  await row.getByText(/^Waiting for a signed transfer from 9\.9\.9\.9 over TCP/).waitFor()

  const now = String(Date.now())
  const columns = 'account_id, token_id, address, port, created_at, proven_at, told_at, told_zone, answer'
  for (const [address, answer, zone] of [
    ['149.112.112.112', "'NOERROR'", "'example.com'"],
    ['2620:fe::fe', "'NOTAUTH'", "'example.org'"],
    ['9.9.9.10', "'none'", "'example.org'"],
  ])
    await site.sql(
      `insert into dns_secondary (${columns}) select account_id, id, '${String(address)}', 53, ${now}, ${now}, ${now}, ${String(zone)}, ${String(answer)} from token where name = 'ns3'`,
    )
  await page.reload()
  await page.getByText('149.112.112.112 has been told about example.com.').waitFor()
  await page.getByText(/^2620:fe::fe answered NOTAUTH to NOTIFY for example\.org/).waitFor()
  await page.getByText('Port 53 of 9.9.9.10 does not answer NOTIFY over UDP.').waitFor()
  await inspect(page, 'dns-secondaries')

  await row.getByRole('button', { name: /^Actions for / }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the secondary' }).click()
  await row.waitFor({ state: 'detached' })
})
