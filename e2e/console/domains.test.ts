import { afterAll, beforeAll, expect, it } from 'vitest'
import { closedServer } from '../../packages/server/test/app.js'
import { rdapDocument, startRdap, type RdapServer } from '../../packages/server/test/registry-servers.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The domain portfolio in the console. */

const dayMs = 86_400_000

let site: ConsoleSite
let rdap: RdapServer
beforeAll(async () => {
  rdap = await startRdap()
  site = await startConsole({ registries: { rdapUrl: rdap.url, whois: closedServer } })
  await site.account('ada@example.com')
})
afterAll(async () => {
  await site.close()
  await rdap.stop()
})

/** Registers a domain that expires at noon, UTC, that many days from now. */
function register(domain: string, days: number): Date {
  const expiry = new Date(Math.floor(Date.now() / dayMs) * dayMs + days * dayMs + dayMs / 2)
  const events = [{ eventAction: 'expiration', eventDate: expiry.toISOString() }]
  rdap.documents.set(domain, rdapDocument(domain, { events }))
  return expiry
}

const monthName = (at: Date) => at.toLocaleDateString('en-US', { month: 'long', year: 'numeric' })

it('adds a pasted list after the refused name is left out, and shows in the timeline when they expire', async () => {
  register('gone.com', -3)
  register('soon.com', 20)
  const later = register('later.org', 400)
  const page = await site.open('ada@example.com', 'domains')
  await page.getByRole('heading', { name: 'No domains yet' }).waitFor()
  await page.getByRole('button', { name: 'Add domains' }).first().click()
  await page.getByRole('textbox', { name: 'Domains' }).fill('gone.com, soon.com; later.org\nwww.example.com')
  await page.getByRole('button', { name: 'Add the domains' }).click()
  await page.getByText('1 name refused').waitFor()
  await page.getByText(/Must be the apex domain example\.com/).waitFor()
  await inspect(page, 'domains-add')
  await page.getByRole('button', { name: 'Leave it out of the list' }).click()
  await page.getByRole('button', { name: 'Add the domains' }).click()
  await page.getByText('3 domains are added.').waitFor()

  await page.getByText('Expired 3 days ago').waitFor()
  await page.getByText('In 20 days').waitFor()
  await page.getByRole('button', { name: `${monthName(later)}: 1 domain` }).waitFor()
  const names = () =>
    page
      .getByRole('table', { name: 'Domains' })
      .getByRole('link', { name: /^[a-z]+\.[a-z]+$/ })
      .allTextContents()
  expect(await names()).toEqual(['gone.com', 'soon.com', 'later.org'])
  await inspect(page, 'domains')
  await page.getByRole('button', { name: `${monthName(later)}: 1 domain` }).click()
  await page.getByText('1 domain of 3 domains').waitFor()
  expect(await names()).toEqual(['later.org'])
})

it('edits the note in place, and keeps what was typed if the server refuses it', async () => {
  const page = await site.open('ada@example.com', 'domains')
  const row = page.getByRole('row', { name: /soon\.com/ })
  await row.getByRole('button', { name: /Edit the note of soon\.com/ }).click()
  const input = page.getByLabel('Note of soon.com')
  await input.fill('evil\u202enote')
  await input.press('Enter')
  await row.getByText(/Must not contain control/).waitFor()
  expect(await input.inputValue()).toBe('evil\u202enote')
  await input.fill('renewed by Ada')
  await input.press('Enter')
  await row.getByText('renewed by Ada').waitFor()
})

it('has the details of a domain in the address, and asks the registry at most once a minute', async () => {
  const page = await site.open('ada@example.com', 'domains?domain=soon.com')
  const details = page.getByRole('dialog', { name: 'soon.com' })
  await details.getByText('Example Registrar, Inc.').waitFor()
  await details.getByText('Signed', { exact: true }).waitFor()
  await inspect(page, 'domains-details')
  await details.getByRole('button', { name: 'Refresh' }).click()
  await page.getByText(/soon\.com is up to date: its registry answered less than a minute ago/).waitFor()
})

it('removes a domain, and brings it back with its note', async () => {
  const page = await site.open('ada@example.com', 'domains')
  await page.getByRole('button', { name: 'Actions for soon.com' }).click()
  await page.getByRole('menuitem', { name: 'Remove from your domains' }).click()
  // The notification stays while the pointer is on it, however long the list takes.
  await page.getByText('soon.com is removed from your domains.').hover()
  await page.getByRole('link', { name: 'soon.com', exact: true }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Undo' }).click()
  const row = page.getByRole('row', { name: /soon\.com/ })
  await row.getByText('renewed by Ada').waitFor()
  // Its registry is asked again.
  await row.getByText('In 20 days').waitFor()
})

it('shows the address of the calendar once, and removes it', async () => {
  const page = await site.open('ada@example.com', 'domains?calendar')
  await page.getByRole('button', { name: 'Create the address' }).click()
  const address = (await page.locator('[data-secret]').textContent()) ?? ''
  const feed = site.url + new URL(address).pathname
  expect(await (await fetch(feed)).text()).toContain('soon.com')
  await inspect(page, 'domains-calendar')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Calendar' }).click()
  await page.getByRole('button', { name: 'Replace the address' }).click()
  const replacement = page.getByRole('dialog', { name: 'Replace the address?' })
  await replacement.getByRole('button', { name: 'Replace the address' }).click()
  await page.locator('[data-secret]').waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Calendar' }).click()
  await page.getByRole('button', { name: 'Remove the address' }).click()
  expect(await page.content()).not.toContain(address)
  const question = page.getByRole('dialog', { name: 'Remove the address?' })
  await question.getByRole('button', { name: 'Remove the address' }).click()
  await page.getByRole('button', { name: 'Create the address' }).waitFor()
  expect((await fetch(feed)).status).toBe(404)
})
