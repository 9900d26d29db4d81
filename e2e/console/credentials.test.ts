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

it('replaces a secret, and keeps what another person has changed meanwhile', async () => {
  const ada = await site.browser('ada@example.com')
  const stored = await ada.call('POST', '/cred', {
    body: { platform: 'bank.example', label: 'old', username: 'ada', secret },
  })
  const id = stored.body['data'].id as number
  const credentials = async () =>
    (await ada.call('GET', '/cred')).body['data'].credentials.filter(
      (each: { id: number }) => each.id === id,
    ) as object[]
  const page = await site.open('ada@example.com', 'credentials')
  const replace = page.getByRole('dialog', { name: /^Replace bank\.example/ })
  const save = replace.getByRole('button', { name: 'Replace the secret' })
  await page.getByRole('button', { name: 'Replace the secret of bank.example (old)' }).click()
  await replace.getByRole('textbox', { name: 'Secret' }).fill('next secret')
  expect(await replace.getByLabel('User name').inputValue()).toBe('ada')
  await inspect(page, 'credentials-replace')
  await ada.call('POST', '/cred/update', { body: { id, label: 'new', username: 'grace' } })
  await save.click()
  await page.getByText('The secret of bank.example (new) is replaced.').waitFor()
  expect(await credentials()).toMatchObject([{ label: 'new', username: 'grace', secret: 'next secret' }])

  await page.getByRole('button', { name: 'Replace the secret of bank.example (new)' }).click()
  await replace.getByLabel('User name').fill('')
  await replace.getByRole('textbox', { name: 'Secret' }).fill('last secret')
  await save.click()
  await replace.waitFor({ state: 'hidden' })
  expect(await credentials()).toMatchObject([{ label: 'new', username: null, secret: 'last secret' }])
  const { credentials: all } = (await ada.call('GET', '/cred')).body['data'] as { credentials: { platform: string }[] }
  expect(all.filter(({ platform }) => platform === 'bank.example')).toHaveLength(1)
})
