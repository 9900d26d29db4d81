import { afterAll, beforeAll, expect, it } from 'vitest'
import { holdTimers, inspect, startConsole, type ConsoleSite } from './harness.js'

/** API keys in the console. */

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  await site.account('ada@example.com')
})
afterAll(() => site.close())

it('creates a key whose value works, and revokes it', async () => {
  const page = await site.open('ada@example.com', 'account/keys')
  await page.getByRole('heading', { name: 'No API keys yet' }).waitFor()
  await page.getByRole('button', { name: 'Create an API key' }).first().click()
  await page.getByLabel('Name').fill('ci')
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Read everything' }).click()
  expect(await page.getByRole('checkbox', { name: 'files:read' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Automate DNS' }).click()
  expect(await page.getByRole('checkbox', { name: 'files:read' }).isChecked()).toBe(false)
  expect(await page.getByRole('checkbox', { name: 'dns:write' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: /^DNS dns:read, dns:write/ }).click()
  await page.getByRole('listitem').filter({ hasText: 'Create a record' }).first().waitFor()
  await inspect(page, 'account-new-key')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const token = (await page.locator('[data-secret]').textContent()) ?? ''
  expect(token).toMatch(/^svc_[0-9a-f]{32}$/)
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  expect(await page.locator('[data-secret]').isVisible()).toBe(true)
  const claim = { token, body: { zone: 'example.com' } }
  expect((await site.call('POST', '/v1/dns/zones', claim)).status).toBe(200)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('cell', { name: /^ci/ }).waitFor()
  await expect.poll(() => page.content()).not.toContain(token)
  await page.getByRole('row', { name: /^ci/ }).getByText('DNS (dns:write)').waitFor()
  await inspect(page, 'account-keys')

  await page.getByRole('button', { name: 'Revoke ci' }).click()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByText('ci is revoked.').waitFor()
  expect((await site.call('GET', '/v1/dns/zones', { token })).status).toBe(401)
})

it('names the areas of scopes with the words of the navigation, and the scope beside them', async () => {
  const page = await site.open('ada@example.com', 'account/keys?new')
  await page.getByRole('checkbox', { name: 'Read Credentials (cred:read)' }).check()
  await page.getByRole('checkbox', { name: 'Write Forms and links (deploy:write)' }).check()
  const rows = page.getByRole('table', { name: 'Scopes' }).getByRole('button')
  const words = (await rows.locator('p:first-child').allTextContents()).filter((word) => word !== 'Edge cache')
  expect(words).toHaveLength(10)
  const navigation = await page.locator('nav[aria-label="Areas"]').getByText(/^.+$/).allTextContents()
  expect(words.filter((word) => !navigation.includes(word))).toEqual([])
})

it('forgets the value of a new key when the back button closes its dialog', async () => {
  const page = await site.open('ada@example.com', 'account/keys')
  const create = page.getByRole('button', { name: 'Create an API key' }).first()
  await create.click()
  await page.getByLabel('Name').fill('backup')
  await page.getByRole('checkbox', { name: 'dns:read' }).check()
  await page.getByRole('button', { name: 'Create the key' }).click()
  await page.locator('[data-secret]').waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await create.click()
  await page.getByLabel('Name').waitFor()
  expect(await page.locator('[data-secret]').count()).toBe(0)
})

it('shows the message of the server at the field, and keeps what was typed', async () => {
  const page = await site.open('ada@example.com', 'account/keys?new')
  await page.getByLabel('Name').fill('evil\u202ename')
  await page.getByRole('checkbox', { name: 'dns:read' }).check()
  await page.getByRole('button', { name: 'Create the key' }).click()
  await page.getByText(/Must not contain control characters/).waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('evil\u202ename')
  await page.getByLabel('Name').fill('a good name')
  await page.getByText(/Must not contain control characters/).waitFor({ state: 'hidden' })
})

it('asks before Escape or the back button discards a form with input', async () => {
  const page = await site.open('ada@example.com', 'account/keys')
  const form = page.getByRole('dialog', { name: 'Create an API key' })
  const question = page.getByRole('dialog', { name: 'Discard what you have entered?' })
  await page.getByRole('button', { name: 'Create an API key' }).first().click()
  await page.getByRole('button', { name: 'Read everything' }).click()
  for (const leave of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
    await leave()
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'hidden' })
    expect(await page.getByRole('checkbox', { name: 'dns:read' }).isChecked()).toBe(true)
  }
  await page.goBack()
  await page.getByRole('button', { name: 'Discard it' }).click()
  await form.waitFor({ state: 'hidden' })
})

it('asks nothing about a form without input, also if some was typed and removed', async () => {
  const page = await site.open('ada@example.com', 'account/keys?new')
  await page.getByLabel('Name').fill('backup')
  await page.getByLabel('Name').fill('')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
})

it('copies a key also on a page without TLS, where browsers have no clipboard for scripts', async () => {
  const page = await site.open('ada@example.com', 'account')
  await page.addInitScript('delete Navigator.prototype.clipboard')
  await page.goto(`${site.url}/console/account/keys?new`)
  await page.getByLabel('Name').fill('copied')
  await page.getByRole('checkbox', { name: 'dns:read' }).check()
  await page.getByRole('button', { name: 'Create the key' }).click()
  const token = (await page.locator('[data-secret]').textContent()) ?? ''
  await holdTimers(page, 2_000)
  await page.getByRole('button', { name: 'Copy the key' }).click()
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Create an API key' }).first().click()
  await page.getByLabel('Name').press('Control+v')
  expect(await page.getByLabel('Name').inputValue()).toBe(token)
})

it('keeps a confirmation open until its action has ended, so that its error is seen', async () => {
  const page = await site.open('ada@example.com', 'account/keys')
  let answer: () => void = () => undefined
  const isPressed = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/console/api/keys/revoke', async (route) => {
    await isPressed
    await route.fulfill({ status: 502, body: '' })
  })
  await page.getByRole('button', { name: 'Revoke copied' }).click()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.keyboard.press('Escape')
  answer()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
})

it('tells the error of a form that was closed while it was sent', async () => {
  const page = await site.open('ada@example.com', 'account/keys')
  await page.getByRole('button', { name: 'Create an API key' }).first().click()
  let answer: () => void = () => undefined
  const isClosed = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/console/api/keys', async (route) => {
    if (route.request().method() === 'GET') return route.continue()
    await isClosed
    return route.fulfill({ status: 502, body: '' })
  })
  await page.getByLabel('Name').fill('lost')
  await page.getByRole('checkbox', { name: 'dns:read' }).check()
  await page.getByRole('button', { name: 'Create the key' }).click()
  // While it is sent, only the back button closes it.
  await page.keyboard.press('Escape')
  expect(await page.getByLabel('Name').inputValue()).toBe('lost')
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  answer()
  await page.getByText(/The answer did not come from svc/).waitFor()
})
