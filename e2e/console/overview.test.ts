import { afterAll, beforeAll, expect, it } from 'vitest'
import { closedServer } from '../../packages/server/test/app.js'
import type { Account } from '../../packages/server/src/shared/account.js'
import { rdapDocument, startRdap, type RdapServer } from '../../packages/server/test/registry-servers.js'
import { deploySite } from '../../packages/server/test/site-host.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The start page of the console. */

let site: ConsoleSite
let rdap: RdapServer
let adaAccount: Account
beforeAll(async () => {
  rdap = await startRdap()
  site = await startConsole({ registries: { rdapUrl: rdap.url, whois: closedServer } })
  for (const name of ['new', 'bob']) await site.account(`${name}@example.com`)
  adaAccount = await site.account('ada@example.com')
})
afterAll(async () => {
  await site.close()
  await rdap.stop()
})

it('shows the first steps to a new account, and ticks off what is done', async () => {
  const page = await site.open('new@example.com', '')
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByText('0 of 4 done').waitFor()
  await page.getByText('Add the domains of all your registrars').waitFor()
  await inspect(page, 'overview-new')
  await steps.getByRole('link', { name: 'Create an API key' }).click()
  await page.getByLabel('Name').fill('ci')
  await page.getByRole('checkbox', { name: 'dns:read' }).check()
  await page.getByRole('button', { name: 'Create the key' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'Overview' }).click()
  await steps.getByText('1 of 4 done').waitFor()
  await steps.getByRole('button', { name: 'Hide the first steps' }).click()
  await steps.waitFor({ state: 'hidden' })
})

it('shows what needs attention, and what happened last', async () => {
  const events = [{ eventAction: 'expiration', eventDate: new Date(Date.now() + 9.5 * 86_400_000).toISOString() }]
  rdap.documents.set('soon.com', rdapDocument('soon.com', { events }))
  rdap.documents.set('example.org', rdapDocument('example.org', {}))
  const [ada, bob] = await Promise.all([site.browser('ada@example.com'), site.browser('bob@example.com')])
  await bob.call('POST', '/dns/zones', { body: { zone: 'contested.com' } })
  const answers = [
    await ada.call('POST', '/dns/zones', { body: { zone: 'contested.com' } }),
    await ada.call('POST', '/dns/zones', { body: { zone: 'example.com' } }),
    await ada.call('POST', '/domains/add', { body: { domains: ['soon.com', 'example.org'] } }),
    await ada.call('POST', '/files/upload', {
      body: { name: 'catalog.pdf', content: Buffer.alloc(420_000, 1).toString('base64') },
    }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const pages = { 'index.html': 'Welcome\n'.repeat(400), 'prices.html': 'Prices\n'.repeat(900) }
  await deploySite(site.url, await site.token(adaAccount, '*'), 'docs', pages)
  const key = (await ada.call('POST', '/sms/keys', { body: { label: 'phone' } })).body['data'].key
  const message = { from: '+15550100', text: 'Your code is 123456' }
  expect((await site.call('POST', `/sms/${String(key)}`, { body: message })).status).toBe(200)

  const page = await site.open('ada@example.com', '')
  const card = (name: string) => page.getByRole('region', { name })
  await card('Expiring domains').getByRole('link', { name: 'soon.com' }).waitFor()
  await card('Expiring domains')
    .getByText(/^In (9|10) days$/)
    .waitFor()
  await card('Zones to verify').getByText('Publish the TXT record _svcdns-verify.contested.com').waitFor()
  await card('Storage').getByText('1 file').waitFor()
  await card('Recent deploys').getByRole('link', { name: 'docs' }).waitFor()
  await card('Last messages').getByText('Your code is 123456').waitFor()
  await inspect(page, 'overview')
})

it('shows the other cards if one fails, and loads that one again', async () => {
  const page = await site.open('ada@example.com', 'account/keys')
  const envelope = { success: false, error: 'internal_error', message: 'The list failed.', request_id: 'req_1' }
  const path = '**/console/api/domains'
  await page.route(path, (route) => route.fulfill({ status: 500, json: envelope }))
  await page.goto(`${site.url}/console/`)
  const failed = page.getByRole('region', { name: 'Expiring domains' })
  await failed.getByText('The list failed.').waitFor()
  await failed.getByText('req_1').waitFor()
  await page.getByRole('region', { name: 'Recent deploys' }).getByRole('link', { name: 'docs' }).waitFor()
  await page.unroute(path)
  await failed.getByRole('button', { name: 'Try again' }).click()
  await failed.getByRole('link', { name: 'soon.com' }).waitFor()
})
