import { afterAll, beforeAll, expect, it } from 'vitest'
import { passwordOf } from '../../packages/server/test/app.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Profile and sessions in the console. */

const ada = 'ada@example.com'

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  await site.account(ada)
})
afterAll(() => site.close())

it('saves the display name, and keeps a refused one in its field', async () => {
  const page = await site.open(ada, 'account')
  const name = page.getByLabel('Display name')
  await name.fill('Ada\u202eecalevoL')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/Must not contain control characters/).waitFor()
  expect(await name.inputValue()).toBe('Ada\u202eecalevoL')
  await name.fill('  Ada Lovelace ')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your display name is now Ada Lovelace.').waitFor()
  expect(await name.inputValue()).toBe('Ada Lovelace')
  expect(await site.sql('select nickname from account')).toEqual([{ nickname: 'Ada Lovelace' }])
})

it('lists the sessions, ends one of them, then all others; this one stays', async () => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
  const [first, second] = [
    await site.browser(ada, { headers: { 'user-agent': userAgent } }),
    await site.browser(ada, { headers: { 'user-agent': userAgent } }),
  ]
  const page = await site.open(ada, 'account')
  const current = page.getByRole('row').filter({ hasText: 'This browser' })
  await current.waitFor()
  expect(await current.getByRole('button').count()).toBe(0)
  await page.getByText(/^This server runs svc \d+\.\d+\.\d+/).waitFor()
  await inspect(page, 'account')

  await page.getByRole('button', { name: `Sign out Firefox on Linux (session ${String(first.sessionId)})` }).click()
  await page.getByRole('button', { name: 'Sign out the browser' }).click()
  await page.getByText('Firefox on Linux is signed out.').waitFor()
  expect((await first.call('GET', '/session')).status).toBe(401)
  expect((await second.call('GET', '/session')).status).toBe(200)

  await page.getByRole('button', { name: 'Sign out all other browsers' }).click()
  await inspect(page, 'account-sign-out-others')
  await page.getByRole('button', { name: 'Sign out the others' }).click()
  await page.getByText(/other browsers? signed out/).waitFor()
  expect((await second.call('GET', '/session')).status).toBe(401)
  await page.reload()
  await current.waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
})

it('changes the password, which signs out the other browsers, and says at its field that the current one is wrong', async () => {
  await site.account('bob@example.com')
  const other = await site.browser('bob@example.com')
  const page = await site.open('bob@example.com', 'account')
  await page.getByRole('button', { name: 'Change the password' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the password' })
  await dialog.getByLabel(/^Current password/).fill('a wrong password')
  await dialog.getByLabel(/^New password/).fill('a new password of Bob')
  await inspect(page, 'account-password')
  await dialog.getByRole('button', { name: 'Change the password' }).click()
  await dialog.getByText('The current password is wrong.').waitFor()
  await dialog.getByLabel(/^Current password/).fill(passwordOf('bob@example.com'))
  await dialog.getByRole('button', { name: 'Change the password' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('Your password is changed.').waitFor()
  expect((await other.call('GET', '/session')).status).toBe(401)
  await page.reload()
  await page.getByRole('row').filter({ hasText: 'This browser' }).waitFor()
  expect((await site.signIn('bob@example.com', { password: 'a new password of Bob' })).status).toBe(200)
})
