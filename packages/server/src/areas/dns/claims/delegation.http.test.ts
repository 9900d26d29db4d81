import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answer } from '../../../../test/app.js'
import { rcodes, startDnsServer, type DnsResponse, type DnsServer } from '../../../../test/dns-server.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import { dnsSettings, expected_ns } from '../../../../test/zone-site.js'

/** The delegation of a zone, which the console looks up. */

const zone = 'example.com'
const answers = (...names: string[]): DnsResponse => ({
  answers: names.map((data) => ({ type: 'NS', name: zone, data, ttl: 60 })),
})

let responses: readonly DnsResponse[] = []
const resolvers: DnsServer[] = []
let site: Site
let browser: Browser
beforeAll(async () => {
  for (const index of [0, 1]) resolvers.push(await startDnsServer(() => responses[index] ?? { rcode: rcodes.servfail }))
  site = await startSite('sqlite', { dns: dnsSettings(resolvers.map(({ address }) => address)) })
  await site.account('ada@example.com')
  browser = await site.browser('ada@example.com')
  await browser.call('POST', '/dns/zones', { body: { zone } })
})
afterAll(async () => {
  await site.stop()
  await Promise.all(resolvers.map((resolver) => resolver.stop()))
})

const look = (): Promise<Answer> => browser.call('GET', `/dns/zones/${zone}/delegation`)

it.each<[string, readonly DnsResponse[], string, readonly string[]]>([
  [
    'the nameservers, in any order',
    [answers(...expected_ns), answers(...expected_ns.toReversed())],
    'live',
    expected_ns,
  ],
  ['the nameservers at one resolver while the other fails', [answers(...expected_ns)], 'live', expected_ns],
  ['others', [answers('NS1.old.example'), answers('ns1.old.example')], 'waiting', ['ns1.old.example']],
  ['others besides them', [answers(...expected_ns, 'ns1.old.example')], 'waiting', [...expected_ns, 'ns1.old.example']],
  ['the old ones at one resolver', [answers(...expected_ns), answers('ns1.old.example')], 'waiting', expected_ns],
  ['no name', [{ rcode: rcodes.nxdomain }, { rcode: rcodes.nxdomain }], 'waiting', []],
  ['only failures', [{ rcode: rcodes.servfail }, { rcode: rcodes.refused }], 'unknown', []],
])('resolvers that find %s', async (_what, given, state, values) => {
  responses = given
  const { status, body } = await look()
  expect(status).toBe(200)
  expect(body['data']).toMatchObject({ zone, state, lookup: { type: 'NS', name: zone, expected: expected_ns } })
  const [first] = body['data'].lookup.resolvers
  expect([...first.values].sort()).toEqual([...values].sort())
})

it('an account sees the delegation of its own verified zones only', async () => {
  await site.account('bob@example.com')
  const bob = await site.browser('bob@example.com')
  expect((await bob.call('GET', `/dns/zones/${zone}/delegation`)).body).toMatchObject({ error: 'forbidden_zone' })
})
