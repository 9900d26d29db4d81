import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { smtpAt, startMailServer, type MailServer } from '../../packages/server/test/mail-server.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** A forgotten password, from the sign-in over the e-mail to the new one. */

const email = 'ada@example.com'
const password = 'a longer sentence that nobody guesses'

let mails: MailServer
let site: ConsoleSite
beforeAll(async () => {
  mails = await startMailServer()
  site = await startConsole({ mail: smtpAt(mails.port), passwordReset: true })
  await site.account(email)
})
afterAll(async () => {
  await site.close()
  await mails.stop()
})

/** A page of a visitor. */
async function visit(path: string): Promise<Page> {
  const context = await site.chromium.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(`${site.url}/console/${path}`)
  return page
}

it('the sign-in sends a link, which sets a new password once', async () => {
  const page = await visit('')
  await page.getByRole('button', { name: 'Forgot your password?' }).click()
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
  await inspect(page, 'sign-in-forgotten')
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send the e-mail' }).click()
  await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
  await inspect(page, 'sign-in-mailbox')
  await expect.poll(() => mails.mails.length).toBe(1)
  const [link = '', token = ''] = /\/console\/reset-password#([\w-]+)/.exec(mails.mails[0]?.text ?? '') ?? []
  await lookAtMail(String(mails.mails[0]?.html))

  await page.goto(site.url + link)
  await page.getByRole('heading', { name: 'Set a new password' }).waitFor()
  expect(page.url()).not.toContain(token)
  expect(await page.locator('#outline').count()).toBe(0)
  await inspect(page, 'sign-in-new-password')
  await page.getByRole('textbox', { name: 'New password' }).fill(password)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByRole('heading', { name: 'Your password is changed' }).waitFor()
  await inspect(page, 'sign-in-changed')
  await page.getByRole('link', { name: 'Go to the sign-in' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.context().close()

  const second = await visit(link.replace('/console/', ''))
  await second.getByRole('textbox', { name: 'New password' }).fill(`another ${password}`)
  await second.getByRole('button', { name: 'Set the password' }).click()
  await second.getByText('The link does not work any more').waitFor()
  await inspect(second, 'sign-in-used-link')
  await second.context().close()
})

it('a link without its token says that it is incomplete', async () => {
  const page = await visit('reset-password')
  await page.getByRole('heading', { name: 'The link is incomplete' }).waitFor()
  await page.context().close()
})

/** At phone width, in light and dark colors: nothing scrolls sideways, and nothing is loaded. */
async function lookAtMail(html: string): Promise<void> {
  const context = await site.chromium.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  await page.setContent(html)
  await page.getByRole('link', { name: 'Set a new password' }).waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
    if (process.env['SVC_SCREENSHOTS'] === '1') {
      const folder = fileURLToPath(new URL('screenshots/', import.meta.url))
      await mkdir(folder, { recursive: true })
      await page.screenshot({ path: `${folder}e-mail-${colorScheme}-390.png` })
    }
  }
  expect(loaded).toEqual([])
  await context.close()
}
