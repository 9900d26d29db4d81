import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { holdTimers, inspect, startConsole, type ConsoleSite } from './harness.js'

/** API keys in the console. */

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  await site.account('ada@example.com')
})
afterAll(() => site.close())

/** Chooses an action in the menu of a key. */
async function act(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

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

  await act(page, 'ci', 'Revoke')
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByText('ci is revoked.').waitFor()
  expect((await site.call('GET', '/v1/dns/zones', { token })).status).toBe(401)
})

it('limits a key to single things with rules', async () => {
  const ada = await site.browser('ada@example.com')
  await ada.call('POST', '/keys', { body: { name: 'acme', scopes: ['dns:write'] } })
  const rules = async () =>
    ((await ada.call('GET', '/keys')).body['data'].keys as { name: string; rules: unknown }[]).find(
      ({ name }) => name === 'acme',
    )?.rules
  const page = await site.open('ada@example.com', 'account/keys')
  const row = page.getByRole('row', { name: /^acme/ })
  const edit = page.getByRole('dialog', { name: 'Edit acme' })
  const save = edit.getByRole('button', { name: 'Save the changes' })

  await act(page, 'acme', 'Edit')
  await edit.getByRole('button', { name: 'Add a rule' }).click()
  const rule = edit.getByRole('group', { name: 'Rule 1' })
  await rule.getByLabel('Name').fill('www.example.com')
  await rule.getByLabel('Hosts').fill('_acme-challenge, _acme-challenge.**')
  await save.click()
  await edit.getByText(/Must be the apex domain example\.com/).waitFor()
  await inspect(page, 'account-edit-key-rules')
  await rule.getByLabel('Name').fill('example.com')
  await rule.getByLabel('Types').press('ArrowDown')
  await page.getByRole('option', { name: 'TXT', exact: true }).click()
  await save.click()
  await row.getByText('only zone example.com (TXT at _acme-challenge _acme-challenge.**)').waitFor()
  const hosts = ['_acme-challenge', '_acme-challenge.**']
  expect(await rules()).toEqual([{ kind: 'zone', name: 'example.com', hosts, types: ['TXT'], access: 'write' }])

  await act(page, 'acme', 'Edit')
  expect(await rule.getByLabel('Hosts').inputValue()).toBe(hosts.join(' '))
  await edit.getByRole('button', { name: 'Remove rule 1' }).click()
  await rule.waitFor({ state: 'hidden' })
  await save.click()
  await row.getByText('only zone').waitFor({ state: 'hidden' })
  expect(await rules()).toBeNull()
})

it('creates a key for one host from a template, whose rule needs a name', async () => {
  const ada = await site.browser('ada@example.com')
  await ada.call('POST', '/dns/zones', { body: { zone: 'example.com' } })
  const page = await site.open('ada@example.com', 'account/keys')
  await page.getByRole('button', { name: 'Create an API key' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create an API key' })
  await form.getByLabel('Name').fill('router')
  await form.getByRole('button', { name: 'Publish one package' }).click()
  await form.getByRole('button', { name: 'Dynamic DNS for one host' }).click()
  const rule = form.getByRole('group', { name: /^Rule/ })
  expect(await rule.count()).toBe(1)
  await inspect(page, 'account-key-template')
  await form.getByRole('button', { name: 'Create the key' }).click()
  // The browser points at the empty name.
  await rule.locator('input:focus').waitFor()
  await rule.getByLabel('Name').fill('example.com')
  await rule.getByLabel('Hosts').fill('home')
  await form.getByLabel('Also make an update URL').waitFor()
  await form.getByRole('button', { name: 'Create the key' }).click()
  const url = await page.locator('[data-secret]').nth(1).textContent()
  expect(url).toMatch(/^http:\/\/[^/]+\/u\/[0-9a-f]{32}$/)
  expect(await (await fetch(url ?? '')).text()).toBe('good 127.0.0.1\n')
  await page.getByLabel('the configuration of ddclient', { exact: true }).getByText('home.example.com').waitFor()
  await inspect(page, 'account-key-update-url')
  await page.getByRole('button', { name: 'Done' }).click()
  await page
    .getByRole('row', { name: /^router/ })
    .getByText('has an update URL')
    .waitFor()
  const { keys } = (await ada.call('GET', '/keys')).body['data'] as { keys: { name: string }[] }
  expect(keys.find(({ name }) => name === 'router')).toMatchObject({
    scopes: ['dns:write'],
    rules: [{ kind: 'zone', name: 'example.com', hosts: ['home'], types: ['A', 'AAAA'], access: 'write' }],
  })
})

it('limits a key, pauses it, and replaces its value', async () => {
  const ada = await site.browser('ada@example.com')
  const { token } = (await ada.call('POST', '/keys', { body: { name: 'deploy', scopes: ['dns:read'] } })).body['data']
  const status = async (value: string) => (await site.call('GET', '/v1/dns/zones', { token: value })).status
  const page = await site.open('ada@example.com', 'account/keys')
  const row = page.getByRole('row', { name: /^deploy/ })

  await act(page, 'deploy', 'Edit')
  const edit = page.getByRole('dialog', { name: 'Edit deploy' })
  await edit.getByLabel('Ends on').fill('2099-12-31')
  await edit.getByLabel('Ends when it is unused for').fill('90')
  await edit.getByLabel('Works only from').fill('192.0.2.7/24, nowhere')
  await edit.getByRole('button', { name: 'Save the changes' }).click()
  await edit.getByText(/Must list addresses and networks such as .*, not "nowhere"/).waitFor()
  await inspect(page, 'account-edit-key')
  await edit.getByLabel('Works only from').fill('192.0.2.7/24')
  await edit.getByRole('button', { name: 'Save the changes' }).click()
  await row.getByText('only from 192.0.2.0/24').waitFor()
  await row.getByText('ends after 90 days without a use').waitFor()
  expect(await status(token)).toBe(401)

  await act(page, 'deploy', 'Edit')
  expect(await edit.getByLabel('Ends on').inputValue()).toBe('2099-12-31')
  await edit.getByLabel('Works only from').fill('')
  await edit.getByRole('button', { name: 'Save the changes' }).click()
  await row.getByText('only from').waitFor({ state: 'hidden' })
  expect(await status(token)).toBe(200)

  await act(page, 'deploy', 'Pause')
  await row.getByText('paused').waitFor()
  expect(await status(token)).toBe(401)
  await act(page, 'deploy', 'Resume')
  await row.getByText('active').waitFor()
  expect(await status(token)).toBe(200)

  await act(page, 'deploy', 'Replace the value')
  await page.getByRole('dialog', { name: 'Replace the value of deploy' }).waitFor()
  await inspect(page, 'account-rotate-key')
  await page.getByLabel('The old value').selectOption('works for one more hour')
  await page.getByRole('button', { name: 'Replace the value' }).click()
  const next = (await page.locator('[data-secret]').textContent()) ?? ''
  await page.getByRole('button', { name: 'Done' }).click()
  expect([await status(token), await status(next)]).toEqual([200, 200])
  await inspect(page, 'account-keys-limited')
  await page.context().close()
})

it('changes only the fields that were changed in the form', async () => {
  const ada = await site.browser('ada@example.com')
  const rules = [{ kind: 'zone', name: 'example.com', access: 'write' }]
  const body = { name: 'shared', scopes: ['dns:read'], expires_at: '2099-06-30T12:34:56Z', rules }
  const { id } = (await ada.call('POST', '/keys', { body })).body['data'] as { id: number }
  const page = await site.open('ada@example.com', 'account/keys')
  await act(page, 'shared', 'Edit')
  const edit = page.getByRole('dialog', { name: 'Edit shared' })
  await edit.getByLabel('Works only from').fill('192.0.2.0/24')
  const changed = {
    scopes: ['dns:write'],
    expires_at: '2098-01-01T00:00:00Z',
    unused_days: 30,
    rules: [{ ...rules[0], access: 'read' }],
  }
  expect((await ada.call('POST', '/keys/update', { body: { id, ...changed } })).status).toBe(200)
  const sent = page.waitForRequest('**/console/api/keys/update')
  await edit.getByRole('button', { name: 'Save the changes' }).click()
  expect((await sent).postDataJSON()).toEqual({ id, networks: ['192.0.2.0/24'] })
  await page
    .getByRole('row', { name: /^shared/ })
    .getByText('only from 192.0.2.0/24')
    .waitFor()
  const { keys } = (await ada.call('GET', '/keys')).body['data'] as { keys: { id: number }[] }
  expect(keys.find((key) => key.id === id)).toMatchObject({
    ...changed,
    expires_at: '2098-01-01T00:00:00.000Z',
    name: 'shared',
    networks: ['192.0.2.0/24'],
  })
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
  await act(page, 'copied', 'Revoke')
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.locator('button[data-loading]').waitFor()
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
