import type { Answer as DnsRecord } from 'dns-packet'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startPebble, type Pebble } from '../../../../test/servers/index.js'
import { databaseKinds } from '../../test/app.js'
import { rcodes, startDnsServer, type DnsServer } from '../../test/dns-server.js'
import { deploySite } from '../../test/site-host.js'
import { startSite, type Site } from '../../test/site.js'
import { tlsClient } from '../../test/tls-client.js'
import { dataOf, dnsSettings } from '../../test/zone-site.js'

/** The own domain of a site in a zone that is delegated elsewhere: a CNAME leads to the host of the site, and the ports of the server prove it. */

const sitesDomain = 'sites.example'
const publicUrl = 'https://api.svc.test'

/** The DNS that Pebble and the server ask. It answers with the whole chain of CNAMEs, as a recursive resolver does. */
const world = new Map<string, readonly DnsRecord[]>([
  ['NS own.com', [{ type: 'NS', name: 'own.com', data: 'ns.elsewhere.example', ttl: 1 }]],
])

/** The limit is 2 s on an idle machine. */
const soon = <R>(check: () => Promise<R>) => vi.waitFor(check, { timeout: 20_000, interval: 20 })

function lead(host: string, address: string): void {
  const target = `docs.${sitesDomain}`
  const cname: DnsRecord = { type: 'CNAME', name: host, data: target, ttl: 1 }
  world.set(`A ${host}`, [cname, { type: 'A', name: target, data: address, ttl: 1 }])
  world.set(`AAAA ${host}`, [cname])
}

async function listen(server: Server | undefined, port: number): Promise<void> {
  if (server === undefined) throw new Error('no TLS')
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

describe.each(databaseKinds)('an own domain whose DNS is elsewhere on %s', (kind) => {
  let resolver: DnsServer
  let pebble: Pebble
  let site: Site
  let token: string
  beforeAll(async () => {
    resolver = await startDnsServer(({ type, name }) => {
      const answers = world.get(`${type} ${name.toLowerCase()}`)
      return answers === undefined ? { rcode: rcodes.nxdomain } : { answers }
    })
    pebble = await startPebble(Number(resolver.address.split(':')[1]))
    site = await startSite(kind, {
      sitesDomain,
      publicUrl,
      dns: dnsSettings([resolver.address]),
      acme: { directoryUrl: pebble.url, email: undefined, profile: undefined, externalAccount: undefined },
      tls: { port: 0, publicUrl, redirectPort: 0, files: undefined },
    })
    // Pebble asks these instead of 443 and 80.
    await listen(site.app.tls?.server, pebble.tlsPort)
    await listen(site.app.tls?.redirects, pebble.httpPort)
    token = await site.token(await site.account('ada@example.com'), 'dns:write', 'sites:write')
    await deploySite(site.url, token, 'docs', { 'index.html': 'page of docs' })
    dataOf(await site.call('POST', '/v1/dns/zones', { token, body: { zone: 'own.com' } }))
  })
  afterAll(async () => {
    await site.stop()
    await pebble.stop()
    await resolver.stop()
  })

  const change = async (act: 'add' | 'remove', body: object) =>
    dataOf(await site.call('POST', `/v1/sites/domains/${act}`, { token, body }))
  const stateOf = async (host: string) => {
    const { certificates } = dataOf(await site.call('GET', '/v1/tls/certificates', { token }))
    return (certificates as { names: string[] }[]).find(({ names }) => names.includes(host))
  }

  it('is served over https with a trusted chain soon after it was added, and no more after it was removed', async () => {
    const host = `www.${kind}.own.com`
    lead(host, '127.0.0.1')
    const client = tlsClient(pebble.tlsPort, await pebble.root())
    await expect(client.open(host)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' })
    await change('add', { name: 'docs', host })
    await soon(async () => expect(await client.get(host, '/')).toMatchObject({ status: 200, text: 'page of docs' }))
    expect(await stateOf(host)).toMatchObject({ names: [host], site: 'docs', status: 'issued', error: null })
    const [record] = await site.sql(`select sealed from certificate where names = '["${host}"]'`)
    expect(Buffer.from(record!['sealed'] as Buffer).toString('latin1')).not.toContain('PRIVATE KEY')
    // The ports have proven it: its zone here is not the one that the CA asks.
    expect(resolver.queries.filter((query) => query.includes('_acme-challenge'))).toEqual([])

    await change('remove', { host })
    await soon(async () => expect((await client.get(host, '/')).status).toBe(404))
    await soon(async () => expect(await stateOf(host)).toBeUndefined())
  })

  it('is not ordered while the resolvers say that it leads elsewhere, and ordered when it leads here', async () => {
    const host = `later.${kind}.own.com`
    lead(host, '192.0.2.1')
    await change('add', { name: 'docs', host })
    await soon(async () =>
      expect(await stateOf(host)).toMatchObject({
        status: 'failed',
        error: `${host} leads to 192.0.2.1, and svc knows no address of this server: its operator must set SVC_SITES_ADDRESSES.`,
      }),
    )
    lead(host, '127.0.0.1')
    // The owner adds it again instead of waiting for the next attempt.
    await change('remove', { host })
    await change('add', { name: 'docs', host })
    const client = tlsClient(pebble.tlsPort, await pebble.root())
    await soon(async () => expect(await client.get(host, '/')).toMatchObject({ status: 200, text: 'page of docs' }))
    expect(await stateOf(host)).toMatchObject({ status: 'issued', error: null })
  })
})
