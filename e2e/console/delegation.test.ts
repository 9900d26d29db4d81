import { afterAll, beforeAll, expect, it } from 'vitest'
import { rcodes, startDnsServer, type DnsServer } from '../../packages/server/test/dns-server.js'
import { dnsSettings, expected_ns } from '../../packages/server/test/zone-site.js'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The page of a zone shows whether the public DNS has the nameservers of this server. */

const zone = 'example.com'
let names: readonly string[] | 'failure' = []
let resolver: DnsServer
let site: ConsoleSite
beforeAll(async () => {
  resolver = await startDnsServer(() =>
    names === 'failure'
      ? { rcode: rcodes.servfail }
      : { answers: names.map((data) => ({ type: 'NS', name: zone, data, ttl: 60 })) },
  )
  site = await startConsole({ dns: dnsSettings([resolver.address]) })
  const token = await site.token(await site.account('ada@example.com'), 'dns:write')
  await site.call('POST', '/v1/dns/zones', { token, body: { zone } })
})
afterAll(async () => {
  await site.close()
  await resolver.stop()
})

it('waits for the registrar, names what it still has, and is live after a check', async () => {
  names = ['ns1.old.example', 'ns2.old.example']
  const page = await site.open('ada@example.com', `dns/${zone}`)
  await page.getByText('Waiting for the registrar, which still has ns1.old.example and ns2.old.example.').waitFor()
  await page.getByRole('heading', { name: 'Nameservers' }).waitFor()
  await inspect(page, 'dns-delegation-waiting')

  names = 'failure'
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText(`The nameservers of ${zone} could not be looked up`).waitFor()

  names = expected_ns
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText(`The public DNS has ns1.svc.example and ns2.svc.example for ${zone}.`).waitFor()
  expect(await page.getByRole('heading', { name: 'Nameservers' }).count()).toBe(0)
  await inspect(page, 'dns-delegation-live')
  await page.context().close()
})

it('on a phone, one line says what the zone waits for', async () => {
  names = ['ns1.old.example']
  const page = await site.open('ada@example.com', `dns/${zone}`, { viewport: { width: 390, height: 844 } })
  const card = page.getByRole('button', { name: /^Nameservers\s*Waiting for the registrar, which still has/ })
  await card.click()
  await page.getByRole('button', { name: 'Check now' }).waitFor()
  await page.context().close()
})
