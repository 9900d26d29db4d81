import { afterAll, beforeAll, expect, it } from 'vitest'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Keys that sign DNS messages in the console. */

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  await site.account('ada@example.com')
})
afterAll(() => site.close())

it('creates a key that signs DNS messages, with the lines for programs that use it', async () => {
  const page = await site.open('ada@example.com', 'account/keys')
  await page.getByRole('button', { name: 'Create an API key' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create an API key' })
  await form.getByLabel('Name').fill('nsupdate')
  await form.getByLabel('Works in').selectOption('hmac-sha512')
  await form.getByRole('button', { name: 'Automate DNS' }).click()
  await form.getByRole('button', { name: 'Create the key' }).click()
  const secret = (await page.locator('[data-secret]').textContent()) ?? ''
  expect(secret).toMatch(/^[A-Za-z0-9+/]{86}==$/)
  const name = (await form.getByText(/^\d+\.[0-9a-f]{16}\.key$/).textContent()) ?? ''
  await form.getByText(`nsupdate -y hmac-sha512:${name}:${secret}`).waitFor()
  await form.getByRole('tab', { name: 'lego' }).click()
  await form.getByText(`RFC2136_TSIG_SECRET=${secret}`).waitFor()
  await inspect(page, 'account-new-dns-key')
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: /^nsupdate/ })
  await row.getByText('TSIG, hmac-sha512').waitFor()
  await row.getByText(name).waitFor()
  await expect.poll(() => page.content()).not.toContain(secret)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('cell', { name: /TSIG, hmac-sha512.*DNS \(dns:write\).*active/s }).waitFor()
  // A table that is wider than the page scrolls by itself, and a phone cuts it off. Polled, as in `inspect`.
  const rightEdge = async () => {
    const box = (await row.boundingBox())!
    return box.x + box.width
  }
  await expect.poll(rightEdge).toBeLessThanOrEqual(390)
  await inspect(page, 'account-dns-keys')
  await page.getByRole('button', { name: 'Actions for nsupdate' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Replace the value' }).count()).toBe(0)
})

it('refuses an update URL for a key that signs DNS messages', async () => {
  const page = await site.open('ada@example.com', 'account/keys')
  await page.getByRole('button', { name: 'Create an API key' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create an API key' })
  await form.getByRole('button', { name: 'Dynamic DNS for one host' }).click()
  const field = form.getByLabel('Also make an update URL')
  await field.waitFor()
  expect(await field.isChecked()).toBe(true)
  await form.getByLabel('Works in').selectOption('hmac-sha256')
  await form.getByText('A TSIG key cannot have an update URL').waitFor()
  expect([await field.isChecked(), await field.isDisabled()]).toEqual([false, true])
})
