import { afterAll, beforeAll, expect, it } from 'vitest'
import { forwarderKeysMax } from '@svc/contract'
import type { Browser } from '../../packages/server/test/site.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Forwarder keys and messages in the console. */

let site: ConsoleSite
let ada: Browser
beforeAll(async () => {
  site = await startConsole()
  await site.account('ada@example.com')
  ada = await site.browser('ada@example.com')
})
afterAll(() => site.close())

/** Posts like the app Incoming SMS to URL forwarder. */
const forward = async (address: string, text: string, at: number): Promise<number> => {
  const body = JSON.stringify({ from: '+15550100', text, sentStamp: at, receivedStamp: at, sim: 'SIM1' })
  return (await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
}

it('creates a key for a phone, shows the first message, and revokes the key', async () => {
  const page = await site.open('ada@example.com', 'messages')
  await page.getByRole('heading', { name: 'No messages yet' }).waitFor()
  await inspect(page, 'messages-empty')
  await page.getByRole('link', { name: 'Create a forwarder key' }).click()
  await page.getByLabel('Phone').fill('Pixel of Ada')
  await inspect(page, 'messages-new-key')
  await page.getByRole('button', { name: 'Create the key' }).click()

  const address = (await page.locator('[data-secret]').textContent()) ?? ''
  expect(address.startsWith(`${site.url}/sms/`)).toBe(true)
  await page.getByRole('img', { name: 'QR code of the address' }).waitFor()
  await inspect(page, 'messages-set-up')
  await page.getByLabel('App on the phone').selectOption('Incoming SMS to URL forwarder')
  await page.getByText('Leave the JSON template and the headers unchanged.').waitFor()
  expect(await forward(address, 'Your code is 123456', Date.now())).toBe(200)
  await page.getByText('The first message has arrived, from +15550100.').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('cell', { name: /^Pixel of Ada/ }).waitFor()
  await expect.poll(() => page.content()).not.toContain(address.slice(-20))

  await page.getByRole('link', { name: 'inbox' }).click()
  await page.getByRole('button', { name: 'Copy the code 123456' }).waitFor()
  expect(await forward(address, 'A second message', Date.now())).toBe(200)
  await page.getByText('A second message').click()
  await page.getByRole('dialog').getByText('Pixel of Ada').waitFor()
  await inspect(page, 'messages-message')
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox').fill('CODE 0100')
  await page.getByText('1 found in all 2 messages').waitFor()
  await inspect(page, 'messages')

  await page.goto(`${site.url}/console/messages/keys`)
  await page.getByRole('button', { name: 'Signing key of Pixel of Ada' }).click()
  await page.getByRole('button', { name: 'Generate a signing key' }).click()
  await inspect(page, 'messages-signing-key')
  await page.getByRole('button', { name: 'Save the signing key' }).click()
  await page.getByRole('cell', { name: 'signed messages only', exact: true }).waitFor()
  expect(await forward(address, 'Unsigned', Date.now())).toBe(401)
  await page.getByRole('button', { name: 'Signing key of Pixel of Ada' }).click()
  await page.getByRole('button', { name: 'Remove the signing key' }).click()
  await page.getByText('svc now accepts all messages from Pixel of Ada.').waitFor()

  await page.getByRole('button', { name: 'Revoke Pixel of Ada' }).click()
  await page.getByLabel('Type Pixel of Ada to confirm').fill('Pixel of Ada')
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByRole('heading', { name: 'No forwarder keys yet' }).waitFor()
  expect(await forward(address, 'Revoked', Date.now())).toBe(404)
})

it('shows the refusal of one key too many, and then says that all are in use', async () => {
  const page = await site.open('ada@example.com', 'messages/keys?new')
  await page.getByLabel('Phone').fill('One too many')
  for (let number = 1; number <= forwarderKeysMax; number++)
    await ada.call('POST', '/sms/keys', { body: { label: `Phone ${number}` } })
  await page.getByRole('button', { name: 'Create the key' }).click()
  await page.getByRole('alert').getByText(`The account has ${forwarderKeysMax} forwarder keys`).waitFor()
  expect(await page.getByLabel('Phone').inputValue()).toBe('One too many')
  await page.reload()
  await page.getByText(`All ${forwarderKeysMax} keys are in use`).waitFor()
  await page.getByRole('button', { name: 'Show the keys' }).click()
  await inspect(page, 'messages-keys')
})

it('loads older messages when the end of the list comes into view, and searches what is loaded', async () => {
  await site.account('bob@example.com')
  const bob = await site.browser('bob@example.com')
  const { key } = (await bob.call('POST', '/sms/keys', { body: { label: 'Busy' } })).body['data']
  const address = `${site.url}/sms/${key}`
  await forward(address, 'The oldest message', Date.now())
  const later = Array.from({ length: 119 }, (_, number) => forward(address, `message ${number}`, Date.now()))
  expect(await Promise.all(later)).toEqual(Array(119).fill(200))
  const page = await site.open('bob@example.com', 'messages?search=oldest')
  await page.getByText('0 found in the newest 100 of 120 messages').waitFor()
  await page.getByRole('button', { name: 'Search older messages too' }).click()
  await page.getByText('1 found in all 120 messages').waitFor()

  await page.goto(`${site.url}/console/messages`)
  await page.getByText('120 messages').waitFor()
  await expect
    .poll(
      async () => {
        await page.keyboard.press('End')
        return page.getByText('The oldest message').count()
      },
      { timeout: 30_000, interval: 200 },
    )
    .toBe(1)
})
