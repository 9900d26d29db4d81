import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTarget, isSignedWith, type TargetServer } from '../../packages/server/test/target-server.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The webhooks that get the events of the account, in the console. */

const email = 'ada@example.com'

let site: ConsoleSite
let target: TargetServer
beforeAll(async () => {
  target = await startTarget()
  site = await startConsole({ outboundAllow: ['127.0.0.1/32'] })
  await site.account(email)
})
afterAll(async () => {
  await site.close()
  await target.stop()
})

it('adds a webhook, shows its secret once, tests it, and says why deliveries fail', async () => {
  const page = await site.open(email, 'activity')
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('No webhooks yet').waitFor()
  await inspect(page, 'webhooks-none')
  await page.getByRole('button', { name: 'Add a webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('http://10.0.0.1/')
  await dialog.getByRole('button', { name: 'Add the webhook' }).click()
  await dialog.getByText(/must not lead to a private or special address/i).waitFor()
  await dialog.getByLabel('URL').fill(target.url)
  await dialog.getByLabel('Events').fill('nickname')
  await page.getByRole('option', { name: 'Account: nickname change' }).click()
  await page.keyboard.press('Escape')
  await inspect(page, 'webhooks-new')
  await dialog.getByRole('button', { name: 'Add the webhook' }).click()
  const secret = (await dialog.locator('[data-secret]').textContent()) ?? ''
  expect(secret).toMatch(/^whsec_/)
  await dialog.getByRole('button', { name: 'Done' }).click()

  const card = page.getByRole('region', { name: new URL(target.url).host })
  await card.getByText('Gets Account: nickname change.').waitFor()
  await card.getByRole('button', { name: 'Send a test' }).click()
  const rows = card.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
  await rows.filter({ hasText: 'webhook test' }).getByText('delivered').waitFor()
  expect(isSignedWith(secret, target.received[0]!)).toBe(true)

  target.answer = () => 503
  const ada = await site.browser(email)
  await ada.call('POST', '/account/profile', { body: { field: 'nickname', value: 'Ada' } })
  await rows.first().getByText('The target answered 503.').waitFor()
  await card.getByText('failing', { exact: true }).waitFor()
  await inspect(page, 'webhooks')
})

it('pauses, resumes, edits and deletes a webhook, and replaces its secret', async () => {
  const page = await site.open(email, 'activity/webhooks')
  const card = page.getByRole('region', { name: new URL(target.url).host })
  const choose = async (item: string) => {
    await card.getByRole('button', { name: /^Actions for / }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await choose('Pause')
  await card.getByText('paused').waitFor()
  expect(await card.getByRole('button', { name: 'Send a test' }).isDisabled()).toBe(true)
  await choose('Resume')
  await card.getByText('active').waitFor()

  await choose('Replace the secret')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Replace the secret' }).click()
  expect(await dialog.locator('[data-secret]').textContent()).toMatch(/^whsec_/)
  await dialog.getByRole('button', { name: 'Done' }).click()

  await choose('Edit')
  await dialog.getByLabel('URL').fill(`${target.url}?v=2`)
  await dialog.getByRole('button', { name: 'Save the changes' }).click()
  await card.getByText(`${target.url}?v=2`).waitFor()

  await choose('Delete')
  await dialog.getByRole('button', { name: 'Delete the webhook' }).click()
  await page.getByText('No webhooks yet').waitFor()
})
