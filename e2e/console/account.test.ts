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

it('changes the email, which is that of the next sign-in, and says at its field that it is taken', async () => {
  const [cy, next] = ['cy@example.com', 'cy@example.org']
  await site.account(cy)
  const page = await site.open(cy, 'account')
  await page.getByRole('button', { name: 'Change the email' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the email' })
  await dialog.getByLabel(/^New email/).fill(ada)
  await dialog.getByLabel(/^Current password/).fill(passwordOf(cy))
  await inspect(page, 'account-email')
  await dialog.getByRole('button', { name: 'Change the email' }).click()
  await dialog.getByText(`${ada} already has an account.`).waitFor()
  await dialog.getByLabel(/^New email/).fill(next)
  await dialog.getByRole('button', { name: 'Change the email' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText(`You sign in as ${next} now.`).waitFor()
  await page.getByText(next, { exact: true }).first().waitFor()
  expect((await site.signIn(next, { password: passwordOf(cy) })).status).toBe(200)
})

it('revokes all API keys of the account', async () => {
  const dan = await site.account('dan@example.com')
  const token = await site.token(dan, '*')
  const page = await site.open('dan@example.com', 'account')
  await page.getByRole('button', { name: 'Revoke all API keys' }).click()
  await inspect(page, 'account-revoke-all')
  await page.getByRole('button', { name: 'Revoke all keys' }).click()
  await page.getByText('1 API key revoked.').waitFor()
  expect((await site.call('GET', '/v1/account/me', { token })).status).toBe(401)
})

it('deletes the account after its email and the password, names what can be kept before, and shows the sign-in', async () => {
  const eve = 'eve@example.com'
  await site.account(eve)
  const page = await site.open(eve, 'account')
  await page.getByRole('button', { name: 'Delete the account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete the account' })
  await dialog.getByText('Keep a copy first').waitFor()
  await dialog.getByText(`svc account export ${eve} FILE`).waitFor()
  const send = dialog.getByRole('button', { name: 'Delete the account' })
  await dialog.getByLabel(`Type ${eve} to confirm`).fill('eve@example')
  await dialog.getByLabel(/^Current password/).fill('a wrong password')
  expect(await send.isDisabled()).toBe(true)
  await dialog.getByLabel(`Type ${eve} to confirm`).fill(eve)
  await inspect(page, 'account-delete')
  await send.click()
  await dialog.getByText('The password is wrong.').waitFor()
  await dialog.getByLabel(/^Current password/).fill(passwordOf(eve))
  await send.click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  expect((await site.signIn(eve)).status).toBe(401)
  await expect.poll(() => site.sql(`select id from account where email = '${eve}'`), { timeout: 30_000 }).toEqual([])
})

it('says that the server sends no e-mails, and keeps what the user switches off', async () => {
  const page = await site.open(ada, 'account')
  await page.getByText('This server sends no e-mails').waitFor()
  const forms = page.getByLabel('Submissions of your forms')
  expect(await forms.isChecked()).toBe(true)
  await forms.locator('xpath=..').click()
  await expect.poll(() => forms.isChecked()).toBe(false)
  await expect.poll(() => site.sql('select kind from mail_opt_out')).toEqual([{ kind: 'form-submission' }])
  await inspect(page, 'account-notices')
})
