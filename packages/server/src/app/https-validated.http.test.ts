import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { freePort, startPebble, startPowerDns, startUnbound } from '../../../../test/servers/index.js'
import type { Pebble, PowerDns, Unbound } from '../../../../test/servers/index.js'
import { rcodes } from '../../test/dns-server.js'
import { startSite, type Site } from '../../test/site.js'
import { tlsClient } from '../../test/tls-client.js'
import { ownerOn } from '../../test/zone-owner.js'
import { dnsSettings } from '../../test/zone-site.js'
import { assignZone } from '../commands/dns.js'
import { listCertificates, renewCertificate } from '../commands/tls.js'
import { queryDns } from '../ports/resolver/dns-query.js'

/**
 * An order whose proofs the CA finds through a validating resolver. The signed zone `test` has a delegation to svc, which does not sign, and one
 * with a DS record, which makes all answers below it invalid.
 */

const [sitesDomain, bogus] = ['sites.test', 'bogus.test']
const publicUrl = `https://api.${sitesDomain}`
const soon = <R>(check: () => Promise<R>) => vi.waitFor(check, { timeout: 30_000, interval: 50 })

let parent: PowerDns
let unbound: Unbound
let pebble: Pebble
let site: Site
let port: number
let assign: (zone: string) => Promise<unknown>
beforeAll(async () => {
  parent = await startPowerDns({ 'gsqlite3-dnssec': 'yes' })
  const dnsPort = await freePort()
  const anchors = await signedParent()
  unbound = await startUnbound({
    anchors,
    zones: { 'test.': parent.dnsPort, 'sites.test.': dnsPort, 'bogus.test.': dnsPort },
  })
  pebble = await startPebble(unbound.port)
  const dns = { ...dnsSettings([`127.0.0.1:${unbound.port}`]), port: dnsPort }
  site = await startSite('sqlite', {
    sitesDomain,
    publicUrl,
    dns,
    acme: { directoryUrl: pebble.url, email: undefined, profile: undefined, externalAccount: undefined },
    tls: { port: 0, publicUrl, redirectPort: 0, files: undefined },
  })
  const server = site.app.tls?.server
  server?.listen(0, '127.0.0.1')
  await once(server!, 'listening')
  port = (server!.address() as AddressInfo).port
  const { account } = await ownerOn(site)
  const names = { publicUrl, sitesDomain, nameservers: dns.nameservers }
  assign = (zone) => assignZone({ ...site, ...names, dns }, zone, account.email)
})
afterAll(async () => {
  await site.stop()
  await pebble.stop()
  await unbound.stop()
  await parent.stop()
})

/** @returns the DS records of `test` */
async function signedParent(): Promise<string[]> {
  const delegation = (name: string) => ({
    name: `${name}.`,
    type: 'NS',
    ttl: 60,
    records: [{ content: 'ns1.svc.example.' }],
  })
  const ds = { name: `${bogus}.`, type: 'DS', ttl: 60, records: [{ content: `1 13 2 ${'ab'.repeat(32)}` }] }
  const rrsets = [delegation(sitesDomain), delegation(bogus), ds].map((set) => ({
    ...set,
    changetype: 'REPLACE',
    records: set.records.map((record) => ({ ...record, disabled: false })),
  }))
  const zone = { name: 'test.', kind: 'Native', nameservers: ['ns1.svc.example.'] }
  expect((await parent.call('POST', '/zones', zone)).status).toBe(201)
  expect((await parent.call('PUT', '/zones/test.', { dnssec: true, api_rectify: true })).status).toBe(204)
  expect((await parent.call('PATCH', '/zones/test.', { rrsets })).status).toBe(204)
  const { json } = await parent.call('GET', '/zones/test./cryptokeys')
  return (json as { ds?: string[] }[]).flatMap((key) => key.ds ?? []).map((text) => `test. 3600 IN DS ${text}`)
}

it('orders a wildcard, and renews it at once although its proofs are in the cache of the resolver', async () => {
  await assign(sitesDomain)
  const client = tlsClient(port, await pebble.root())
  await soon(async () => expect((await client.get(`api.${sitesDomain}`)).status).toBe(200))
  const serial = async () => {
    const socket = await client.open(`any.${sitesDomain}`)
    const found = socket.getPeerX509Certificate()?.serialNumber
    socket.destroy()
    return found
  }
  const before = await serial()
  await renewCertificate(site, sitesDomain)
  await soon(async () => expect(await serial()).not.toBe(before))
  expect((await listCertificates(site))[0]).toMatchObject({ status: 'issued', error: null })
})

it('the resolver validates: it refuses a zone whose DS record promises signatures', async () => {
  await assign(bogus)
  const resolver = { address: '127.0.0.1', port: unbound.port }
  const look = (name: string) => queryDns(resolver, { name, type: 'NS', transport: 'udp', recursion: true })
  expect(await look(sitesDomain)).toMatchObject({ rcode: 0 })
  expect(await look(bogus)).toMatchObject({ rcode: rcodes.servfail })
})
