import { afterAll, beforeAll, expect, it } from 'vitest'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The public tools in the console. */

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  await site.account('ada@example.com')
})
afterAll(() => site.close())

it('shows time, address and rates, and hashes a text', async () => {
  const page = await site.open('ada@example.com', 'tools?amount=100&base=EUR&symbols=USD')
  await page.getByText('The clock of this device agrees with the server.').waitFor()
  await page.getByRole('region', { name: 'Your address' }).getByText('127.0.0.1', { exact: true }).waitFor()
  await page.getByRole('row', { name: /^USD/ }).waitFor()
  await page.getByLabel('Text').fill('hello')
  await page.getByRole('button', { name: 'Hash the text' }).click()
  await page.getByText('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824').waitFor()
  await page.getByRole('button', { name: 'curl for Hash' }).click()
  await page.getByText('/v1/public/hash?value=hello').waitFor()
  await inspect(page, 'tools')
  expect(page.url()).not.toContain('hello')
})
