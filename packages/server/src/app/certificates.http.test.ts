import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort, startPebble, type Pebble } from '../../../../test/servers/index.js'
import { databaseKinds, type DatabaseKind } from '../../test/app.js'
import { startDnsServer, type DnsServer } from '../../test/dns-server.js'
import { startSite, type Site } from '../../test/site.js'
import { ownerOn } from '../../test/zone-owner.js'
import { dnsSettings, expected_ns } from '../../test/zone-site.js'
import { listCertificates, renewCertificate } from '../commands/tls.js'

/** A server that orders the wildcard of its sites at Pebble, which asks the server's own nameserver. */

const sitesDomain = 'sites.test'
const soon = <R>(check: () => Promise<R>) => vi.waitFor(check, { timeout: 30_000, interval: 50 })

describe.each(databaseKinds)('SVC_ACME=on with %s', (kind: DatabaseKind) => {
  let resolver: DnsServer
  let pebble: Pebble
  let site: Site
  let delegatedTo: readonly string[] = ['ns.registrar.test']
  beforeAll(async () => {
    const port = await freePort()
    pebble = await startPebble(port)
    resolver = await startDnsServer(({ type, name }) =>
      type === 'NS' ? { answers: delegatedTo.map((data) => ({ type, name, data, ttl: 1 })) } : {},
    )
    site = await startSite(kind, {
      sitesDomain,
      dns: { ...dnsSettings([resolver.address]), port },
      acme: { directoryUrl: pebble.url, email: 'ada@example.com', profile: undefined, externalAccount: undefined },
    })
  })
  afterAll(async () => {
    await site.stop()
    await resolver.stop()
    await pebble.stop()
  })

  const listed = async () => (await listCertificates(site))[0]

  it('says why no certificate is ordered, and orders the wildcard once the domain is delegated to svc', async () => {
    await soon(async () =>
      expect(await listed()).toMatchObject({
        names: [`*.${sitesDomain}`, sitesDomain],
        status: 'failed',
        error: `svc does not serve the zone of *.${sitesDomain}, and only DNS can prove a wildcard: claim ${sitesDomain}, or give it to an account with svc dns assign ${sitesDomain} EMAIL.`,
      }),
    )
    const owner = await ownerOn(site)
    await site.sql(`insert into dns_zone (name, serial, version, last_record_id, holder_id, content_bytes)
      values ('${sitesDomain}', 1, 1, 0, ${owner.account.id}, 0)`)
    await renewCertificate(site, sitesDomain)
    await soon(async () =>
      expect((await listed())?.error).toBe(
        `The domain ${sitesDomain} has ns.registrar.test, not ${expected_ns.join(' or ')}: change its NS records at the registrar.`,
      ),
    )
    delegatedTo = expected_ns
    expect(await renewCertificate(site, `*.${sitesDomain}`.toUpperCase())).toEqual([`*.${sitesDomain}`, sitesDomain])
    await soon(async () => expect(await listed()).toMatchObject({ status: 'issued', error: null }))
    const { issuer, not_after: end, renew_at: renewal } = (await listed())!
    expect(issuer).toMatch(/^Pebble/)
    expect(Date.parse(renewal!)).toBeLessThan(Date.parse(end!))
    expect(await site.sql('select * from dns_challenge')).toEqual([])
    expect(await site.everythingKept()).not.toContain('PRIVATE KEY')
  })

  it('renews at the request of the operator, and knows no other names', async () => {
    const before = (await listed())?.not_after
    // The time has no fractions of a second.
    await sleep(1_100)
    await renewCertificate(site, sitesDomain)
    await soon(async () => expect((await listed())?.not_after).not.toBe(before))
    await expect(renewCertificate(site, 'other.test')).rejects.toThrow(
      'No certificate has the name "other.test": svc tls list shows the names.',
    )
  })
})
