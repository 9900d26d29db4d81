import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rcodes, startDnsServer, type DnsServer } from '../../packages/server/test/dns-server.js'
import { deploySite } from '../../packages/server/test/site-host.js'
import { dnsSettings, expected_ns } from '../../packages/server/test/zone-site.js'
import { freePort, startPebble, type Pebble } from '../../test/servers/index.js'
import { inspect, startConsole, visit, type ConsoleSite } from './harness.js'

/** The page of certificates, on a server that orders them at Pebble. */

const ada = 'ada@example.com'
const elsewhere = 'ns.elsewhere.example'
const passphrase = 'correct horse battery'
const days = 86_400_000
const limited = 'The CA limits the requests: too many certificates already issued for ending.com (rateLimited).'

const delegations = new Map<string, readonly string[]>()
let resolver: DnsServer
let pebble: Pebble
let site: ConsoleSite
let token: string
beforeAll(async () => {
  resolver = await startDnsServer(({ type, name }) => {
    const found = type === 'NS' ? delegations.get(name) : undefined
    if (found === undefined) return { rcode: rcodes.nxdomain }
    return { answers: found.map((data) => ({ type: 'NS', name, data, ttl: 60 })) }
  })
  const port = await freePort()
  pebble = await startPebble(port, { validitySeconds: (90 * days) / 1000 })
  site = await startConsole({
    acme: { directoryUrl: pebble.url, email: undefined, profile: undefined, externalAccount: undefined },
    tls: { port: 0, publicUrl: 'https://api.svc.test', redirectPort: 0, files: undefined },
    dns: { ...dnsSettings([resolver.address]), port },
    sitesDomain: 'sites.example',
  })
  token = await site.token(await site.account(ada), '*')
})
afterAll(async () => {
  await site.close()
  await pebble.stop()
  await resolver.stop()
})

async function claim(zone: string, ...delegatedTo: readonly string[]): Promise<void> {
  delegations.set(zone, delegatedTo)
  expect((await site.call('POST', '/v1/dns/zones', { token, body: { zone } })).status).toBe(200)
}

/** Makes a certificate one that could not be renewed. Its next attempt is in an hour. */
const failRenewal = (zone: string, endsInDays: number, error: string) =>
  site.sql(`update certificate set failures = 3, not_after = ${String(Date.now() + endsInDays * days)},
    next_at = ${String(Date.now() + 3_600_000)}, error = '${error}'
    where zone = '${zone}' and site is null`)

const rowOf = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name })
const choose = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for the certificate for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

it('an empty list says what to do, and names the step before without a verified zone', async () => {
  const page = await site.open(ada, 'certificates')
  await page.getByText('No certificates yet').waitFor()
  await inspect(page, 'certificates-empty')
  await page.getByRole('button', { name: 'Get a certificate' }).first().click()
  await page.getByRole('link', { name: 'Claim the zone of your domain under DNS' }).click()
  await page.getByRole('dialog', { name: 'Claim a zone' }).waitFor()
  await page.context().close()
})

it('orders a certificate for a zone with the keyboard, and shows that it is valid without a reload', async () => {
  await claim('example.com', ...expected_ns)
  const page = await site.open(ada, '')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await page.getByText('No certificates yet').waitFor()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'Get a certificate for a zone' })
  await dialog.getByText('*.example.com').waitFor()
  await inspect(page, 'certificates-get')
  await dialog.getByRole('button', { name: 'Get the certificate' }).press('Enter')
  await page.getByText('The certificate for example.com is being ordered.').waitFor()
  await rowOf(page, 'example.com').getByText('Valid', { exact: true }).waitFor()
  await rowOf(page, 'example.com').getByText('in 90 days').waitFor()
  await page.keyboard.press('j')
  await page.locator('tr:focus').filter({ hasText: '*.example.com' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'example.com' }).waitFor()
  await page.getByRole('link', { name: 'Certificate: valid' }).waitFor()
  await inspect(page, 'certificates-zone')
  await page.getByRole('link', { name: 'Certificate: valid' }).click()
  await expect.poll(() => page.url()).toContain('/certificates?q=example.com')
  await rowOf(page, 'example.com').waitFor()
  await page.context().close()
})

it('names what to change for a zone that is not delegated, and orders again after that', async () => {
  await claim('xn--bcher-kva.example', elsewhere)
  const page = await site.open(ada, 'dns/xn--bcher-kva.example')
  await page.getByRole('link', { name: 'Get a certificate' }).click()
  await page.getByRole('button', { name: 'Get the certificate' }).click()
  const row = rowOf(page, 'xn--bcher-kva.example')
  await row.getByText('Failed', { exact: true }).waitFor()
  await row.getByText('bücher.example').waitFor()
  await row.getByText(`has ${elsewhere}, not ${expected_ns.join(' or ')}: change its NS records`).waitFor()
  await row.getByText(/^Next attempt /).waitFor()
  await page.getByText('2 certificates, 1 needs attention').waitFor()
  // What needs the user comes first.
  expect(await page.getByRole('row').nth(1).textContent()).toContain('bücher.example')
  await inspect(page, 'certificates-failed')
  await page.getByLabel('Filter by name').fill('bücher')
  await page.getByText('1 certificate of 2').waitFor()

  delegations.set('xn--bcher-kva.example', expected_ns)
  await choose(page, 'xn--bcher-kva.example', 'Order now')
  await row.getByText('Valid', { exact: true }).waitFor()
  await page.context().close()
})

it('shows certificates that are ordered, or could not be renewed, with the words of the CA', async () => {
  for (const zone of ['late.com', 'ending.com']) {
    await claim(zone, ...expected_ns)
    expect((await site.call('POST', '/v1/tls/certificates', { token, body: { zone } })).status).toBe(200)
  }
  const page = await site.open(ada, 'certificates')
  for (const zone of ['late.com', 'ending.com']) await rowOf(page, zone).getByText('Valid', { exact: true }).waitFor()
  await failRenewal('late.com', 20, 'The CA cannot be reached: connection refused')
  await failRenewal('ending.com', 3, limited)
  await page.route('**/console/api/tls/certificates', async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as {
      data: { certificates: { zone: string; status: string; not_after: null }[] }
    }
    for (const each of body.data.certificates)
      if (each.zone === 'example.com')
        Object.assign(each, { status: 'ordering', issuer: null, not_after: null, renew_at: null })
    await route.fulfill({ response: answer, json: body })
  })
  await page.reload()
  await rowOf(page, 'late.com').getByText('Not renewed').waitFor()
  await rowOf(page, 'ending.com').getByText('Ends in 3 days').waitFor()
  await rowOf(page, 'ending.com').getByText(limited).waitFor()
  await rowOf(page, '*.example.com').getByText('Being ordered').waitFor()
  await inspect(page, 'certificates-states')
  await page.getByText('Need attention', { exact: true }).click()
  await page.getByText('2 certificates of 4').waitFor()
  await page.context().close()

  const overview = await site.open(ada, '')
  const lines = overview.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')
  await lines.first().waitFor()
  expect(await lines.allTextContents()).toEqual([
    'ending.com has a certificate that could not be renewed, and ends in 3 days',
    'late.com has a certificate that could not be renewed, and ends in 20 days',
  ])
  await inspect(overview, 'certificates-overview')
  await lines.first().getByRole('link').click()
  await rowOf(overview, 'ending.com').waitFor()
  await overview.context().close()
})

it('downloads the certificate with a key that the passphrase opens', async () => {
  const page = await site.open(ada, 'certificates')
  await choose(page, 'example.com', 'Download with its key')
  const dialog = page.getByRole('dialog', { name: 'Certificate and key for example.com' })
  await dialog.getByLabel(/^Passphrase/).fill('too short')
  await dialog.getByRole('button', { name: 'Get the files' }).click()
  await dialog.getByText('Enter 12 to 200 characters.').waitFor()
  await dialog.getByLabel(/^Passphrase/).fill(passphrase)
  await dialog.getByRole('button', { name: 'Show the passphrase' }).click()
  await dialog.getByRole('button', { name: 'Hide the passphrase' }).waitFor()
  await inspect(page, 'certificates-passphrase')
  await dialog.getByRole('button', { name: 'Get the files' }).click()
  await dialog.getByText('ssl_certificate_key /etc/nginx/example.com.key;').waitFor()
  await dialog.getByText('openssl pkey -in example.com.key -out example.com.plain.key').waitFor()
  await inspect(page, 'certificates-download')
  const saved = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name, exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe(name)
    return readFile(await download.path(), 'utf8')
  }
  const certificate = new X509Certificate(await saved('example.com.pem'))
  const key = createPrivateKey({ key: await saved('example.com.key'), passphrase })
  expect(certificate.checkPrivateKey(key)).toBe(true)
  expect(certificate.subjectAltName).toBe('DNS:*.example.com, DNS:example.com')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])',
  )
  expect(kept).not.toContain(passphrase)
  await page.context().close()
})

it('renews a certificate now, deletes it after a question, and Undo brings the same one back', async () => {
  const page = await site.open(ada, 'certificates?q=late')
  await choose(page, 'late.com', 'Renew now')
  await page.getByText('The certificate for late.com is being renewed.').waitFor()
  await rowOf(page, 'late.com').getByText('Valid', { exact: true }).waitFor()
  const rows = () => site.sql(`select id, chain from certificate where zone = 'late.com'`)
  const before = await rows()
  await choose(page, 'late.com', 'Delete')
  await page.getByRole('dialog', { name: 'Delete the certificate for late.com?' }).waitFor()
  await inspect(page, 'certificates-delete')
  await page.getByRole('button', { name: 'Delete the certificate' }).click()
  await page.getByText('The certificate for late.com is deleted.').waitFor()
  await page.getByText('No certificate matches this filter.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await rowOf(page, 'late.com').getByText('Valid', { exact: true }).waitFor()
  expect(await rows()).toEqual(before)
  await page.context().close()
})

it('the own domain of a site has a light that says whether HTTPS works', async () => {
  await deploySite(site.url, token, 'docs', { 'index.html': 'the docs' })
  await claim('own.com', ...expected_ns)
  await claim('away.com', elsewhere)
  const page = await site.open(ada, 'sites/docs?domain')
  const dialog = page.getByRole('dialog', { name: 'Add a domain to docs' })
  await dialog.getByRole('combobox', { name: 'Zone' }).click()
  await page.getByRole('option', { name: 'own.com' }).click()
  await dialog.getByRole('button', { name: 'Add the domain' }).click()
  await rowOf(page, 'www.own.com').getByRole('link', { name: 'HTTPS works' }).waitFor()
  const added = await site.call('POST', '/v1/sites/domains/add', {
    token,
    body: { name: 'docs', host: 'www.away.com' },
  })
  expect(added.status).toBe(200)
  await page.reload()
  const away = rowOf(page, 'www.away.com')
  await away.getByText(/^www\.away\.com (has no address|leads to)/).waitFor()
  await inspect(page, 'certificates-site')
  await page.setViewportSize({ width: 390, height: 844 })
  await away.scrollIntoViewIfNeeded()
  await page.setViewportSize({ width: 1440, height: 900 })
  await away.getByRole('link', { name: 'HTTPS failed' }).waitFor()
  await site.sql(`update certificate set next_at = ${String(Date.now() + 3_600_000)} where names = '["www.away.com"]'`)
  await away.getByRole('link', { name: 'HTTPS failed' }).click()
  await rowOf(page, 'www.away.com').getByRole('link', { name: 'Site docs' }).waitFor()
  delegations.set('away.com', expected_ns)
  await choose(page, 'www.away.com', 'Order now')
  await page.getByText('The certificate for www.away.com is being ordered.').waitFor()
  await rowOf(page, 'www.away.com').getByText('Valid', { exact: true }).waitFor()
  await page.context().close()
})

it('the palette finds the page and its dialog', async () => {
  const page = await site.open(ada, 'account')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  const palette = page.locator('[data-palette]')
  await palette.getByLabel('Search').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('wildcard')
  await palette
    .locator('[data-action]')
    .filter({ hasText: 'Get a certificate' })
    .and(page.locator('[data-selected]'))
    .waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Get a certificate for a zone' }).waitFor()
  await page.context().close()
})

it('says what the operator sets on a server that orders no certificates', async () => {
  const plain = await startConsole()
  const owner = await plain.account(ada)
  const body = { zone: 'plain.com' }
  await plain.call('POST', '/v1/dns/zones', { token: await plain.token(owner, 'dns:write'), body })
  const page = await plain.open(ada, 'certificates?get=plain.com')
  await page.getByText('This server orders no certificates: its operator has not set SVC_ACME.').waitFor()
  await inspect(page, 'certificates-unavailable')
  expect(await page.getByRole('button', { name: 'Get a certificate' }).count()).toBe(0)
  await visit(page, `${plain.url}/console/dns/plain.com`)
  await page.getByRole('heading', { name: 'plain.com' }).waitFor()
  expect(await page.getByRole('link', { name: /certificate/i }).count()).toBe(1)
  await plain.close()
})
