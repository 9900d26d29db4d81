import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { passwordOf } from '../../packages/server/test/app.js'
import { expectUncovered, inspect, startConsole, type ConsoleSite } from './harness.js'

/** The session ends while a dialog is open: the sign-in is above it, and the dialog goes on afterwards. */

const ada = 'ada@example.com'

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  const token = await site.token(await site.account(ada), '*')
  await site.call('POST', '/v1/dns/zones', { token, body: { zone: 'example.com' } })
  const record = { type: 'A', host: 'www', value: '192.0.2.1' }
  await site.call('POST', '/v1/dns/zones/example.com/records', { token, body: record })
})
afterAll(() => site.close())

const endSession = () => site.sql('delete from session')

interface Kind {
  readonly path: string
  /** Opens the dialog, ends the session and calls the server. @returns what the dialog shows after the sign-in */
  readonly use: (page: Page) => Promise<Locator>
}

const kinds: Readonly<Record<string, Kind>> = {
  'a modal': {
    path: 'account/keys?new',
    use: async (page) => {
      await page.getByLabel('Name').fill('kept')
      await page.getByRole('checkbox', { name: 'dns:read' }).check()
      await endSession()
      await page.getByRole('button', { name: 'Create the key' }).click()
      return page.locator('[data-secret]')
    },
  },
  'a drawer': {
    path: 'dns/example.com',
    use: async (page) => {
      await page.getByRole('button', { name: 'Edit A www.example.com' }).click()
      await page.getByRole('dialog').getByLabel('IPv4 address').fill('192.0.2.2')
      await endSession()
      await page.getByRole('button', { name: 'Save the record' }).click()
      return page.getByText('A www.example.com is saved.')
    },
  },
  'a confirmation': {
    path: 'account/keys',
    use: async (page) => {
      await page
        .getByRole('button', { name: /^Actions for / })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Revoke' }).click()
      await endSession()
      await page.getByRole('button', { name: 'Revoke the key' }).click()
      return page.getByText(/ is revoked\.$/)
    },
  },
  'the command palette': {
    path: 'account',
    use: async (page) => {
      await page.getByLabel('Display name').waitFor()
      await endSession()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('e')
      return page.getByLabel('Search').and(page.locator(':focus'))
    },
  },
}

it.each(Object.entries(kinds))('asks for the password above %s, which goes on afterwards', async (name, kind) => {
  const page = await site.open(ada, kind.path)
  const result = await kind.use(page)
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  const password = dialog.getByLabel(/^Password/)
  await password.and(page.locator(':focus')).waitFor()
  await inspect(page, `sign-in-above-${name.replaceAll(' ', '-')}`)

  // Neither Tab nor a shortcut leaves the dialog.
  for (let stops = 0; stops < 6; stops++) {
    await page.keyboard.press('Tab')
    expect(await dialog.locator(':focus').count()).toBe(1)
  }
  await page.keyboard.press('Control+k')
  await password.focus()
  await page.keyboard.type(passwordOf(ada))
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await result.waitFor()
  expect(await page.locator('[inert]').count()).toBe(0)
  await page.context().close()
})

it('has everything below the sign-in inert, and its own fields above a notice', async () => {
  const page = await site.open(ada, 'account')
  await page.getByLabel('Display name').fill('Countess')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your display name is now Countess.').waitFor()
  await page.setViewportSize({ width: 360, height: 400 })
  await page.getByLabel('Display name').fill('Ada')
  await endSession()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await expectUncovered(page, 'the sign-in beside a notice')
  const open = `[...document.querySelectorAll('a[href], button, input')].filter((each) => !each.closest('[inert], [aria-modal]')).length`
  expect(await page.evaluate<number>(open)).toBe(0)
  await page.context().close()
})
