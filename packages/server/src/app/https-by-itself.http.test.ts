import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort, startPebble, type Pebble } from '../../../../test/servers/index.js'
import { databaseKinds, startApp, testVault, type TestApp } from '../../test/app.js'
import { startDnsServer, type DnsServer } from '../../test/dns-server.js'
import { startSite, type Site } from '../../test/site.js'
import { testAuthority } from '../../test/test-authority.js'
import { tlsClient } from '../../test/tls-client.js'
import { ownerOn } from '../../test/zone-owner.js'
import { dnsSettings, expected_ns } from '../../test/zone-site.js'
import { assignZone } from '../commands/dns.js'
import { importCertificate } from '../commands/tls-import.js'
import { listCertificates, renewCertificate } from '../commands/tls.js'

/** Two servers on one database that serve HTTPS with certificates that they order at Pebble. */

const sitesDomain = 'sites.test'
const publicUrl = `https://api.${sitesDomain}`
const soon = <R>(check: () => Promise<R>) => vi.waitFor(check, { timeout: 30_000, interval: 50 })

async function listen(server: Server | undefined): Promise<number> {
  if (server === undefined) throw new Error('no TLS')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

describe.each(databaseKinds)('HTTPS by itself on %s', (kind) => {
  let resolver: DnsServer
  let pebble: Pebble
  let site: Site
  let port: number
  let startOther: () => Promise<TestApp>
  /** `svc dns assign` for the domain of sites. */
  let assign: () => Promise<void>
  beforeAll(async () => {
    const dnsPort = await freePort()
    pebble = await startPebble(dnsPort)
    resolver = await startDnsServer(({ type, name }) =>
      type === 'NS' ? { answers: expected_ns.map((data) => ({ type, name, data, ttl: 1 })) } : {},
    )
    const config = {
      sitesDomain,
      publicUrl,
      dns: { ...dnsSettings([resolver.address]), port: dnsPort },
      acme: { directoryUrl: pebble.url, email: undefined, profile: undefined, externalAccount: undefined },
      tls: { port: 0, publicUrl, redirectPort: 0, files: undefined },
    }
    site = await startSite(kind, config)
    port = await listen(site.app.tls?.server)
    startOther = () =>
      startApp('sqlite', {
        ...config,
        database: site.database,
        blobs: site.blobs,
        dns: dnsSettings([resolver.address]),
      })
    const { account } = await ownerOn(site)
    assign = async () => {
      const names = { publicUrl, sitesDomain, nameservers: config.dns.nameservers }
      await assignZone({ ...site, ...names, dns: config.dns }, sitesDomain, account.email)
    }
  })
  afterAll(async () => {
    await site.stop()
    await resolver.stop()
    await pebble.stop()
  })

  it('refuses handshakes until it has the zone, and then serves the API with a wildcard, without a further command', async () => {
    const client = tlsClient(port, await pebble.root())
    await soon(async () =>
      expect((await listCertificates(site))[0]?.error).toBe(
        `svc does not serve the zone of *.${sitesDomain}, and only DNS can prove a wildcard: claim ${sitesDomain}, or give it to an account with svc dns assign ${sitesDomain} EMAIL.`,
      ),
    )
    await expect(client.open(`any.${sitesDomain}`)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' })
    await assign()
    await soon(async () => expect((await client.get(`api.${sitesDomain}`)).status).toBe(200))
    const [socket] = [await client.open(`any.${sitesDomain}`)]
    expect(socket.getPeerX509Certificate()?.subjectAltName).toBe(`DNS:*.${sitesDomain}, DNS:${sitesDomain}`)
    socket.destroy()
    await expect(client.open('elsewhere.test')).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' })
  })

  it('a renewed certificate is served by both processes', async () => {
    const root = await pebble.root()
    const other = await startOther()
    const otherPort = await listen(other.app.tls?.server)
    const serialAt = async (at: number) => {
      const socket = await tlsClient(at, root).open(`any.${sitesDomain}`)
      const found = socket.getPeerX509Certificate()?.serialNumber
      socket.destroy()
      return found
    }
    const before = await serialAt(port)
    // A process that starts later has the certificate from the start.
    expect(await serialAt(otherPort)).toBe(before)
    await renewCertificate(site, sitesDomain)
    await soon(async () => expect(await serialAt(port)).not.toBe(before))
    await soon(async () => expect(await serialAt(otherPort)).toBe(await serialAt(port)))
    expect((await listCertificates(site))[0]).toMatchObject({ status: 'issued', error: null })
    await other.stop()
  })

  it('serves a certificate that was imported beside it, and renews it when it is due', async () => {
    const authority = testAuthority()
    const { chain, key } = authority.issue([sitesDomain, `*.${sitesDomain}`])
    authority.remove()
    const folder = await mkdtemp(join(tmpdir(), 'svc-import-'))
    const files = { certificate: join(folder, 'chain.pem'), key: join(folder, 'key.pem') }
    await writeFile(files.certificate, chain)
    await writeFile(files.key, key)
    await importCertificate({ ...site, vault: testVault }, files, undefined)
    await rm(folder, { recursive: true })
    const imported = tlsClient(port, authority.ca)
    await soon(async () => expect((await imported.get(`api.${sitesDomain}`)).status).toBe(200))
    await renewCertificate(site, sitesDomain)
    const client = tlsClient(port, await pebble.root())
    await soon(async () => expect((await client.get(`api.${sitesDomain}`)).status).toBe(200))
  })
})
