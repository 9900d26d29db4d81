import { afterAll, beforeAll, expect, it } from 'vitest'
import { closedServer } from '../../packages/server/test/app.js'
import type { Account } from '../../packages/server/src/shared/account.js'
import { rdapDocument, startRdap, type RdapServer } from '../../packages/server/test/registry-servers.js'
import { deploySite } from '../../packages/server/test/site-host.js'
import { inspect, startConsole, visit, type ConsoleSite } from './harness.js'

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
  await page.getByText('Nothing needs attention.').waitFor()
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

it('shows what needs attention with links to it, and what happened last', async () => {
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

  const { id: webhook } = (
    await ada.call('POST', '/deployments/create', {
      body: { kind: 'webhook', slug: 'orders', target: 'https://example.com/' },
    })
  ).body['data'] as { id: number }
  await site.sql(
    `insert into webhook_delivery (deployment_id, request_id, account_id, host, state, attempts, updated_at, failing_since)
    values (${String(webhook)}, 1, ${String(adaAccount.id)}, 'x', 'failed', 8, 0, ${String(Date.now())})`,
  )
  const today = Math.floor(Date.now() / 86_400_000)
  for (const [day, uses] of [
    [today - 6, 2],
    [today - 1, 9],
  ] as const)
    await site.sql(
      `insert into deployment_use_day (deployment_id, day, uses) values (${String(webhook)}, ${String(day)}, ${String(uses)})`,
    )

  const expiring = async () => (await ada.call('GET', '/overview')).body['data'].parts.domains.expiring as number
  await expect.poll(expiring).toBe(1)
  const page = await site.open('ada@example.com', '')
  const card = (name: string) => page.getByRole('region', { name })
  const lines = card('Needs attention').getByRole('listitem')
  await lines.first().waitFor()
  expect(await lines.allTextContents()).toEqual([
    expect.stringMatching(/^orders has 1 failing delivery since /),
    expect.stringMatching(/^soon.com expires in (9|10) days$/),
    'contested.com is not verified: publish the TXT record _svcdns-verify.contested.com',
  ])
  await card('Storage').getByText('1 file').waitFor()
  await card('Recent deploys').getByRole('link', { name: 'docs' }).waitFor()
  await card('Last messages').getByText('Your code is 123456').waitFor()
  await card('Uses of forms and links')
    .getByRole('img', { name: /^11 uses, .*most on .*: 9$/ })
    .waitFor()
  await inspect(page, 'overview')
  for (const [subject, address] of [
    ['orders', `/deployments/${String(webhook)}`],
    ['soon.com', '/domains?domain=soon.com'],
    ['contested.com', '/dns/contested.com'],
  ] as const) {
    await page.goto(`${site.url}/console/`)
    await lines.getByRole('link', { name: subject }).click()
    await page.waitForURL(`${site.url}/console${address}`)
  }
})

it('reads all parts in one request', async () => {
  const page = await site.open('ada@example.com', 'none')
  await visit(page, `${site.url}/console/account`)
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await visit(page, `${site.url}/console/`)
  await page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: 'soon.com' }).waitFor()
  expect(requests.filter((path) => path.startsWith('/console/api/')).toSorted()).toEqual([
    '/console/api/events',
    '/console/api/overview',
    '/console/api/session',
  ])
})

it('shows the other parts if one cannot be read, and reads it again', async () => {
  const page = await site.open('ada@example.com', 'account/keys')
  const path = '**/console/api/overview'
  await page.route(path, async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as { data: { parts: object } }
    await route.fulfill({ json: { ...body, data: { ...body.data, parts: { ...body.data.parts, sites: null } } } })
  })
  await page.goto(`${site.url}/console/`)
  const failed = page.getByRole('region', { name: 'Recent deploys' })
  await failed.getByText('This part could not be read.').waitFor()
  await page.getByRole('region', { name: 'Needs attention' }).getByText('Some parts could not be read.').waitFor()
  await page.getByRole('region', { name: 'Storage' }).getByText('1 file').waitFor()
  await inspect(page, 'overview-failed-part')
  await page.unroute(path)
  await failed.getByRole('button', { name: 'Try again' }).click()
  await failed.getByRole('link', { name: 'docs' }).waitFor()
})

it('says why the overview cannot be read, and reads it again', async () => {
  const page = await site.open('ada@example.com', 'account/keys')
  const envelope = { success: false, error: 'internal_error', message: 'The database failed.', request_id: 'req_1' }
  const path = '**/console/api/overview'
  await page.route(path, (route) => route.fulfill({ status: 500, json: envelope }))
  await page.goto(`${site.url}/console/`)
  const failed = page.getByRole('alert')
  await failed.getByText('The database failed.').waitFor()
  await failed.getByText('req_1').waitFor()
  await page.unroute(path)
  await failed.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('region', { name: 'Recent deploys' }).getByRole('link', { name: 'docs' }).waitFor()
})
