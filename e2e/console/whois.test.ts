import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  rdapDocument,
  startRdap,
  startWhois,
  type RdapServer,
  type WhoisServer,
} from '../../packages/server/test/registry-servers.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** Registration data in the console. */

let site: ConsoleSite
let rdap: RdapServer
let whois: WhoisServer
beforeAll(async () => {
  ;[rdap, whois] = await Promise.all([startRdap(), startWhois()])
  site = await startConsole({ registries: { rdapUrl: rdap.url, whois: whois.host } })
  await site.account('ada@example.com')
})
afterAll(async () => {
  await site.close()
  await Promise.all([rdap.stop(), whois.stop()])
})

it('looks up a domain, adds it to the portfolio, and tells which domains are not registered', async () => {
  rdap.documents.set('example.com', rdapDocument('example.com'))
  const page = await site.open('ada@example.com', 'whois')
  const search = page.getByRole('textbox', { name: 'Domain' })
  await search.fill('example.com')
  await search.press('Enter')
  await page.getByText('Example Registrar, Inc.').waitFor()
  await page.getByText(/blocks transfers/).waitFor()
  expect(new URL(page.url()).search).toBe('?domain=example.com')
  await page.getByRole('button', { name: 'Add to your domains' }).click()
  await page.getByRole('link', { name: 'In your domains' }).waitFor()

  await search.fill('unregistered.com')
  await search.press('Enter')
  await page.getByText('unregistered.com is not registered').waitFor()
  const history = page.getByRole('region', { name: 'Recent lookups' })
  expect(await history.getByRole('link').allTextContents()).toEqual(['unregistered.com', 'example.com'])
  await history.getByRole('link', { name: 'example.com', exact: true }).click()
  await page.getByRole('region', { name: 'Registration of example.com' }).waitFor()
  expect(await search.inputValue()).toBe('example.com')
})

it('has the text of a WHOIS answer, collapsed at first, and says that an answer is saved', async () => {
  rdap.respond = (_request, response) => response.writeHead(500).end()
  whois.answers.set(
    'raw.com',
    'Domain Name: RAW.COM\r\nRegistrar: Raw Registrar\r\nRegistry Expiry Date: 2031-08-13T04:00:00Z\r\n',
  )
  const page = await site.open('ada@example.com', 'whois?domain=raw.com')
  await page.getByRole('heading', { name: 'raw.com' }).waitFor()
  expect(await page.getByText('Domain Name: RAW.COM').isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Text of the WHOIS answer' }).click()
  await page.getByText('Domain Name: RAW.COM').waitFor()
  await page.reload()
  await page.getByText(/Saved answer: the registry answered/).waitFor()
  await page.getByRole('button', { name: 'Text of the WHOIS answer' }).click()
  await page.getByText('Domain Name: RAW.COM').waitFor()
  await inspect(page, 'whois')
  rdap.respond = undefined
})

it('shows the message about a name at the field, and why a registry gave no answer', async () => {
  const page = await site.open('ada@example.com', 'whois?domain=www.example.com')
  await page.getByText(/Must be the apex domain example\.com/).waitFor()
  rdap.respond = (_request, response) => response.writeHead(429).end()
  await page.getByRole('textbox', { name: 'Domain' }).fill('busy.com')
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByText(/limits the number of requests/).waitFor()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await inspect(page, 'whois-busy')
  rdap.respond = undefined
})
