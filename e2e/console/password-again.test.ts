import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { passwordOf } from '../../packages/server/test/app.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Ten minutes after the last password, the console asks for it before it shows secrets or creates keys that get them, and goes on afterwards. */

const ada = 'ada@example.com'

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  const token = await site.token(await site.account(ada), '*')
  await site.call('POST', '/v1/cred', { token, body: { platform: 'registrar.example', secret: 'hunter2' } })
})
afterAll(() => site.close())
beforeEach(async () => {
  await site.sql('delete from sign_in_failure')
})

const wait = () => site.sql('update session set password_at = password_at - 600000')

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Enter your password again' })

async function fillKey(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByRole('checkbox', { name: /^Everything/ }).check()
  await wait()
  await page.getByRole('button', { name: 'Create the key' }).click()
}

it('keeps a filled form while it asks for the password, then creates the key', async () => {
  const page = await site.open(ada, 'account/keys?new')
  await fillKey(page, 'all')
  const dialog = dialogOf(page)
  await dialog.getByLabel(/^Password/).waitFor()
  await inspect(page, 'password-again')
  await dialog.getByLabel(/^Password/).fill('a wrong password')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('The password is wrong.').waitFor()
  await dialog.getByLabel(/^Password/).fill(passwordOf(ada))
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const token = (await page.locator('[data-secret]').textContent()) ?? ''
  expect((await site.call('GET', '/v1/account/me', { token })).body['data'].token_scopes).toEqual(['*'])
})

it('creates nothing if the user leaves the dialog, and keeps the form', async () => {
  const page = await site.open(ada, 'account/keys?new')
  await fillKey(page, 'left')
  await dialogOf(page)
    .getByLabel(/^Password/)
    .waitFor()
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'hidden' })
  await page.getByText('Your password was not entered, so nothing has happened.').waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('left')
  expect(await site.sql(`select id from token where name = 'left'`)).toEqual([])
})

it('shows the signing secret of a webhook after the password', async () => {
  const browser = await site.browser(ada)
  const { id, webhook } = (await browser.call('POST', '/deployments/create', { body: { kind: 'webhook' } })).body[
    'data'
  ]
  const page = await site.open(ada, 'account')
  await page.getByRole('row').filter({ hasText: 'This browser' }).waitFor()
  await wait()
  await page.goto(`${site.url}/console/deployments/${String(id)}`)
  await page.getByRole('button', { name: 'Show the secret' }).click()
  const dialog = dialogOf(page)
  await dialog.getByLabel(/^Password/).fill(passwordOf(ada))
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByText(webhook.secret as string, { exact: true }).waitFor()
})

it('shows the credentials after the password, and asks no more for ten minutes', async () => {
  const page = await site.open(ada, 'account')
  await page.getByRole('row').filter({ hasText: 'This browser' }).waitFor()
  await wait()
  await page.goto(`${site.url}/console/credentials`)
  const dialog = dialogOf(page)
  await dialog.getByLabel(/^Password/).fill(passwordOf(ada))
  expect(await page.getByText('registrar.example').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('cell', { name: 'registrar.example', exact: true }).waitFor()
  await page.reload()
  await page.getByRole('cell', { name: 'registrar.example', exact: true }).waitFor()
  expect(await dialog.count()).toBe(0)
})
