import { afterAll, beforeAll, expect, it } from 'vitest'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Stored credentials in the console. */

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  await site.account('ada@example.com')
})
afterAll(() => site.close())

const secret = 'correct horse\nbattery staple'

it('stores a credential, shows its secret on request only, and deletes it', async () => {
  const page = await site.open('ada@example.com', 'credentials', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByRole('heading', { name: 'No credentials yet' }).waitFor()
  await page.getByRole('button', { name: 'Store a credential' }).first().click()
  await page.getByRole('combobox', { name: 'Platform' }).fill('registrar.example')
  await page.getByRole('textbox', { name: 'Label' }).fill('work')
  await page.getByLabel('User name').fill('ada')
  await page.getByRole('textbox', { name: 'Secret' }).fill(secret)
  await inspect(page, 'credentials-new')
  await page.getByRole('button', { name: 'Store the credential' }).click()
  await page.getByText('registrar.example (work) is stored.').waitFor()

  await page.getByRole('button', { name: 'Copy the secret of registrar.example (work)' }).click()
  // The server is asked for it first.
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(secret)
  expect(await page.content()).not.toContain('battery staple')
  await page.getByRole('button', { name: 'Show the secret of registrar.example (work)' }).click()
  expect(await page.locator('[data-secret]').textContent()).toBe(secret)
  await inspect(page, 'credentials')
  expect(
    await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])'),
  ).not.toContain('battery')
  expect(page.url()).not.toContain('battery')
  await page.evaluate('window.dispatchEvent(new Event("blur"))')
  await page.locator('[data-secret]').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Delete registrar.example (work)' }).click()
  await page.getByLabel('Type registrar.example to confirm').fill('registrar.example')
  await page.getByRole('button', { name: 'Delete the credential' }).click()
  await page.getByRole('heading', { name: 'No credentials yet' }).waitFor()
})

it('shows the message of the server at the field, keeps what was typed, and hides a secret after 30 seconds', async () => {
  const page = await site.open('ada@example.com', 'credentials?new')
  await page.clock.install()
  await page.getByRole('combobox', { name: 'Platform' }).fill('evil\u202eplatform')
  await page.getByRole('textbox', { name: 'Secret' }).fill(secret)
  await page.getByRole('button', { name: 'Store the credential' }).click()
  await page.getByText(/Must not contain control characters/).waitFor()
  expect(await page.getByRole('textbox', { name: 'Secret' }).inputValue()).toBe(secret)
  await page.getByRole('combobox', { name: 'Platform' }).fill('mail.example')
  await page.getByRole('button', { name: 'Store the credential' }).click()
  await page.getByRole('button', { name: 'Show the secret of mail.example' }).click()
  await page.locator('[data-secret]').waitFor()
  await page.clock.fastForward(31_000)
  await page.locator('[data-secret]').waitFor({ state: 'detached' })
})
