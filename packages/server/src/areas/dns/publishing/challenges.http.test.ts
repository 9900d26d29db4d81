import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Logger } from 'pino'
import { databaseKinds, type TestApp } from '../../../../test/app.js'
import { ask } from '../../../../test/dns-ask.js'
import type { Database } from '../../../db/port.js'
import { isProvider } from '../../../ports/dns/port.js'
import { startPowerDnsSite, type PowerDnsSite } from '../../../../test/powerdns-site.js'
import { startSite, type Site } from '../../../../test/site.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import { requestZoneLock } from './zone-lock.js'
import { dnsStores } from '../stores.js'
import type { DnsChallenge } from '../challenges/overlay.js'
import { startNameserverProcess, type NameserverProcess } from './nameserver-process.js'
import { dnsChallenges, type DnsChallenges } from './dns-challenges.js'

/** The values of challenges, as DNS shows them. */

const { signal } = new AbortController()
const limits = { recordsMax: 100, zoneBytesMax: 1_000_000, zonesMax: 100 }
const failures: string[] = []
/** Longer than a busy machine needs. */
const patientMs = 60_000

/**
 * @param broken a zone that cannot be read
 * @param waitMs how long an order waits for other servers
 */
async function challengesOn(
  { app: { database, dns } }: Pick<TestApp, 'app'>,
  { broken, waitMs = patientMs }: { readonly broken?: string; readonly waitMs?: number } = {},
): Promise<DnsChallenges> {
  const { zones, ...stores } = dnsStores(database, limits)
  const contents = (zone: string) =>
    zone === broken ? Promise.reject(new Error('The zone is broken.')) : zones.contents(zone)
  const log = { warn: ({ err }: { err?: Error }, message = '') => void failures.push(err?.message ?? message) }
  return dnsChallenges({
    stores: { ...stores, zones: { ...zones, contents } },
    dns,
    nameserverProcess: isProvider(dns) ? undefined : await processOn(database, log, waitMs),
    withZoneLock: requestZoneLock(database.withLock),
    seenAtNameservers: () => Promise.resolve(),
    log,
  })
}

/** The process of the orders. Its nameserver is that of the site, which is another process for it. */
async function processOn(database: Database, log: Pick<Logger, 'warn'>, waitMs: number): Promise<NameserverProcess> {
  const started = await startNameserverProcess(database, log, waitMs)
  // No job of this process loads zones, so no order may wait for it.
  await started.close()
  return started
}

/** The values at `_acme-challenge` of a zone, as the nameserver at a port serves them. */
const valuesAt = async (port: number, zone: string, host = '_acme-challenge') =>
  (await ask(port, `${host}.${zone}`, 'TXT', { tcp: true })).answers.map(({ value }) => value).sort()

const soon = <R>(check: () => Promise<R>) => vi.waitFor(check, { timeout: 10_000, interval: 50 })

describe.each(databaseKinds)('two servers on %s', (kind) => {
  let site: Site
  let other: TestApp
  let owner: Owner
  let zone: ZoneClient
  let challenges: DnsChallenges
  beforeAll(async () => {
    site = await startSite(kind)
    other = await site.another()
    owner = await ownerOn(site)
    challenges = await challengesOn(site)
  })
  afterAll(async () => {
    await other.stop()
    await site.stop()
  })
  beforeEach(async () => {
    zone = await owner.claim()
  })

  const challenge = (value: string, host = '_acme-challenge'): DnsChallenge => ({ name: `${host}.${zone.zone}`, value })
  const values = (host?: string) => valuesAt(site.dnsPort, zone.zone, host)
  const rows = () => site.sql('select host, value from dns_challenge order by value')

  it('both serve two values at one name, in no list and without an id, and no longer once they are withdrawn', async () => {
    const both = [challenge('first'), challenge('second')]
    const before = await zone.serial()
    await challenges.publish(both, signal)
    expect(await values()).toEqual(['first', 'second'])
    expect(await valuesAt(other.dnsPort, zone.zone)).toEqual(['first', 'second'])
    expect(await zone.serial()).toBeGreaterThan(before)
    expect((await zone.list()).body['data'].records).toEqual([])
    const exported = await owner.call('GET', `/v1/dns/zones/${zone.zone}/zone-file`)
    expect([exported.status, exported.text.includes('_acme-challenge')]).toEqual([200, false])
    expect((await zone.add({ type: 'A', host: 'www', value: '192.0.2.1' }))['id']).toBe(1)
    await challenges.withdraw(both)
    expect(await values()).toEqual([])
    await soon(async () => expect(await valuesAt(other.dnsPort, zone.zone)).toEqual([]))
    expect(await rows()).toEqual([])
  })

  it('a name below a host exists while it is proven, and the host is an empty non-terminal', async () => {
    const below = challenge('below', '_acme-challenge.www')
    await challenges.publish([below], signal)
    expect(await values('_acme-challenge.www')).toEqual(['below'])
    expect((await ask(site.dnsPort, `www.${zone.zone}`, 'A')).rcode).toBe('NOERROR')
    await challenges.withdraw([below])
    expect((await ask(site.dnsPort, `www.${zone.zone}`, 'A')).rcode).toBe('NXDOMAIN')
  })

  it('records of the account at the same name stay, and changes of them keep the value', async () => {
    const record = await zone.add({ type: 'TXT', host: '_acme-challenge', value: 'of a user', ttl: 300 })
    await challenges.publish([challenge('ours')], signal)
    expect(await values()).toEqual(['of a user', 'ours'])
    await zone.update(record['id'], { value: 'changed' })
    expect(await values()).toEqual(['changed', 'ours'])
    await zone.remove(record['id'])
    expect(await values()).toEqual(['ours'])
    await zone.add({ type: 'TXT', host: '_acme-challenge', value: 'later', ttl: 300 })
    await challenges.withdraw([challenge('ours')])
    expect(await values()).toEqual(['later'])
  })

  it('an order goes on without a server that was killed, and the next one does not wait for it', async () => {
    const running = await site.sql('select id from dns_process')
    await site.sql(`insert into dns_process (id) values ('killed')`)
    const impatient = await challengesOn(site, { waitMs: 300 })
    await impatient.publish([challenge('first')], signal)
    expect(failures.splice(0)).toContainEqual(expect.stringMatching(/^an order does not wait for a server/))
    expect(await site.sql(`select id from dns_process where id = 'killed'`)).toEqual([])
    // A busy server that runs may have been left out, too.
    for (const { id } of running)
      await site.sql(`insert into dns_process (id) values ('${String(id)}') on conflict do nothing`)
    await challenges.publish([challenge('second')], signal)
    expect(await valuesAt(other.dnsPort, zone.zone)).toEqual(['first', 'second'])
    expect(failures.splice(0)).toEqual([])
    await challenges.withdraw([challenge('first'), challenge('second')])
  })

  it('a server that was not waited for is again, once it has loaded a zone', async () => {
    await site.sql('delete from dns_process')
    await challenges.publish([challenge('unseen')], signal)
    await soon(async () => expect(await site.sql('select id from dns_process')).toHaveLength(2))
    await challenges.publish([challenge('seen')], signal)
    expect(await valuesAt(other.dnsPort, zone.zone)).toEqual(['seen', 'unseen'])
    await challenges.withdraw([challenge('seen'), challenge('unseen')])
  })

  it('a server that cannot note its end stops, and logs it', async () => {
    const broken = { write: () => Promise.reject(new Error('gone')), all: () => Promise.resolve([]) }
    const database = { ...site.app.database, write: site.app.database.write.bind(site.app.database) }
    const log = { warn: (_: unknown, message = '') => void failures.push(message) }
    const started = await startNameserverProcess(database, log)
    Object.assign(database, broken)
    await started.close()
    expect(failures.splice(0)).toEqual([expect.stringMatching(/^the end of the nameserver could not be noted/)])
    await site.sql('delete from dns_process')
  })

  it('a server that stops is not waited for', async () => {
    const before = await site.sql('select id from dns_process')
    const late = await site.another()
    expect(await site.sql('select id from dns_process')).toHaveLength(before.length + 1)
    await late.stop()
    expect(await site.sql('select id from dns_process')).toHaveLength(before.length)
  })

  it('a server that starts meanwhile serves the value', async () => {
    await challenges.publish([challenge('early')], signal)
    const late = await site.another()
    try {
      expect(await valuesAt(late.dnsPort, zone.zone)).toEqual(['early'])
    } finally {
      await late.stop()
      await challenges.withdraw([challenge('early')])
    }
  })

  it('values that an interrupted order has left end, and those of others stay', async () => {
    await challenges.publish([challenge('left'), challenge('under way')], signal)
    await site.sql(`update dns_challenge set expires_at = 1 where value = 'left'`)
    await challenges.job.run(signal)
    expect(await values()).toEqual(['under way'])
    expect(await rows()).toEqual([{ host: '_acme-challenge', value: 'under way' }])
    await challenges.withdraw([challenge('under way')])
  })

  it('the values of a long order are extended, and end soon after its process was killed', async () => {
    await challenges.publish([challenge('long')], signal)
    await (await challengesOn(site)).publish([challenge('killed')], signal)
    const inTwoSeconds = Date.now() + 2_000
    await site.sql(`update dns_challenge set expires_at = ${inTwoSeconds}`)
    await challenges.job.run(signal)
    await expect.poll(() => Date.now()).toBeGreaterThan(inTwoSeconds)
    await challenges.job.run(signal)
    expect(await values()).toEqual(['long'])
    await challenges.withdraw([challenge('long')])
    expect(await rows()).toEqual([])
  })

  it('a zone that was deleted during an order is not served as an empty one', async () => {
    await challenges.publish([challenge('left')], signal)
    await site.sql(`update dns_zone set deleted_at = 1 where name = '${zone.zone}'`)
    await site.sql('update dns_challenge set expires_at = 1')
    await challenges.job.run(signal)
    expect((await ask(site.dnsPort, zone.zone, 'SOA')).rcode).toBe('REFUSED')
    expect(await rows()).toEqual([])
  })

  it('a zone of a stopped account is refused', async () => {
    await site.sql(`update account set state = 'stopped' where id = ${owner.account.id}`)
    try {
      await expect(challenges.publish([challenge('hidden')], signal)).rejects.toThrow(
        `svc does not serve the zone ${zone.zone} now.`,
      )
    } finally {
      await challenges.withdraw([challenge('hidden')])
      await site.sql(`update account set state = 'active' where id = ${owner.account.id}`)
    }
  })

  it('a zone that fails keeps the values of no other one', async () => {
    const { zone: broken } = zone
    await challenges.publish([challenge('stuck')], signal)
    zone = await owner.claim()
    await challenges.publish([challenge('left')], signal)
    await site.sql('update dns_challenge set expires_at = 1')
    await expect((await challengesOn(site, { broken })).job.run(signal)).rejects.toThrow('The zone is broken.')
    expect(await values()).toEqual([])
    expect((await rows()).map(({ value }) => value)).toEqual(['stuck'])
    await challenges.job.run(signal)
    expect(await rows()).toEqual([])
  })

  it('a name with an alias is refused, and so is a name of another server', async () => {
    await zone.add({ type: 'CNAME', host: '_acme-challenge', value: 'elsewhere.example.net' })
    await expect(challenges.publish([challenge('hidden')], signal)).rejects.toThrow(
      `_acme-challenge.${zone.zone} is an alias (CNAME), so svc cannot answer a challenge there: remove it.`,
    )
    await challenges.withdraw([challenge('hidden')])
    const elsewhere = { name: '_acme-challenge.elsewhere.test', value: 'x' }
    await expect(challenges.publish([elsewhere], signal)).rejects.toThrow(
      'svc serves no zone of _acme-challenge.elsewhere.test.',
    )
    expect(await challenges.zoneOf(elsewhere.name)).toBeUndefined()
    expect(await challenges.zoneOf(challenge('x').name)).toBe(zone.zone)
    expect(failures.splice(0)).toEqual([])
    await challenges.withdraw([elsewhere])
    expect(failures.splice(0)).toEqual(['svc serves no zone of _acme-challenge.elsewhere.test.'])
  })

  it('a name that is delegated away is refused before the CA is asked', async () => {
    await zone.add({ type: 'NS', host: 'below', value: 'ns.elsewhere.example' })
    const below = challenge('below', '_acme-challenge.below')
    await expect(challenges.publish([below], signal)).rejects.toThrow(
      `below.${zone.zone} is delegated (NS), so svc cannot answer a challenge there: remove its NS records.`,
    )
    await challenges.withdraw([below])
  })

  it('an order that ends before anything is published publishes nothing', async () => {
    await expect(challenges.publish([challenge('never')], AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
    expect(await rows()).toEqual([])
  })
})

describe.each(databaseKinds)('with PowerDNS and %s', (kind) => {
  let on: PowerDnsSite
  let owner: Owner
  let zone: ZoneClient
  let challenges: DnsChallenges
  beforeAll(async () => {
    on = await startPowerDnsSite(kind, { 'gsqlite3-dnssec': 'yes' })
    owner = await on.owner()
    challenges = await challengesOn(on.site)
  })
  afterAll(() => on.stop())
  beforeEach(async () => {
    zone = await owner.claim()
  })
  // The values of a failed test must not fail the others.
  afterEach(() => on.site.sql('delete from dns_challenge'))

  const challenge = (value: string): DnsChallenge => ({ name: `_acme-challenge.${zone.zone}`, value })
  const values = () => valuesAt(on.powerdns.dnsPort, zone.zone)

  it('a value is served when it is published, signed in a signed zone, and gone once it is withdrawn', async () => {
    const { status } = await on.powerdns.call('PUT', `/zones/${zone.zone}.`, { dnssec: true, api_rectify: true })
    expect(status).toBe(204)
    await challenges.publish([challenge('signed')], signal)
    const reply = await ask(on.powerdns.dnsPort, `_acme-challenge.${zone.zone}`, 'TXT', {
      tcp: true,
      edns: 1232,
      dnssecOk: true,
    })
    expect(reply.answers.map(({ type }) => type).sort()).toEqual(['RRSIG', 'TXT'])
    await challenges.withdraw([challenge('signed')])
    expect(await values()).toEqual([])
  })

  it('records of the account at the same name stay, also through an import', async () => {
    const record = await zone.add({ type: 'TXT', host: '_acme-challenge', value: 'of a user', ttl: 300 })
    await challenges.publish([challenge('ours')], signal)
    expect(await values()).toEqual(['of a user', 'ours'])
    await zone.remove(record['id'])
    expect(await values()).toEqual(['ours'])
    const file = { text: 'www 300 IN A 192.0.2.1\n', replace: true }
    expect((await owner.call('POST', `/v1/dns/zones/${zone.zone}/zone-file/import`, file)).status).toBe(200)
    expect(await values()).toEqual(['ours'])
    await challenges.withdraw([challenge('ours')])
    expect(await values()).toEqual([])
  })

  it('a value that the provider could not remove ends with the next run of the job', async () => {
    await challenges.publish([challenge('stuck')], signal)
    on.gateway.behaviour = { status: 503, body: '{}' }
    await challenges.withdraw([challenge('stuck')])
    expect(failures.splice(0)).toHaveLength(1)
    on.gateway.behaviour = 'pass'
    expect(await values()).toEqual(['stuck'])
    await challenges.job.run(signal)
    expect(await values()).toEqual([])
    expect(await on.site.sql('select value from dns_challenge')).toEqual([])
  })
})
