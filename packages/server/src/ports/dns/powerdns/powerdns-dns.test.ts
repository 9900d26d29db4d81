import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startPowerDns, type PowerDns } from '../../../../../../test/servers/index.js'
import { ask } from '../../../../test/dns-ask.js'
import { startGateway, type Gateway } from '../../../../test/gateway.js'
import { Deadline } from '../deadline.js'
import { dnsConformance } from '../../../../test/conformance/dns.js'
import { OutcomeUnknown, type DnsProvider, type RRset } from '../port.js'
import { powerdnsDns } from './powerdns-dns.js'

const log = pino({ level: 'silent' })
const nameservers = ['ns1.svc.test', 'ns2.svc.test']
const installation = '0123456789abcdef'

describe('PowerDNS conforms to the port', () => {
  dnsConformance(async () => {
    const server = await startPowerDns()
    return {
      dns: await powerdnsDns({ ...server, nameservers, log, installation }),
      ask: (name, type, options) => ask(server.dnsPort, name, type, options),
      stop: () => server.stop(),
    }
  })
})

describe('behind a gateway', () => {
  const zone = 'adapter.test'
  let server: PowerDns
  let gateway: Gateway
  let dns: DnsProvider
  /** Without a gateway, with the usual deadline. */
  let direct: DnsProvider
  beforeAll(async () => {
    server = await startPowerDns()
    gateway = await startGateway(server.url)
    direct = await powerdnsDns({ ...server, nameservers, log, installation })
    dns = await powerdnsDns({ url: gateway.url, key: server.key, nameservers, log, installation, deadlineMs: 400 })
  })
  afterAll(async () => {
    await gateway.close()
    await server.stop()
  })
  beforeEach(async () => {
    gateway.behaviour = 'pass'
    await direct.setZone({ zone, serial: 1, rrsets: [] })
    gateway.requests.length = 0
  })

  const txt = (host: string, value: string): RRset => ({
    name: `${host}.${zone}`,
    type: 'TXT',
    ttl: 300,
    records: [{ value, priority: null }],
  })
  const publish = (...rrsets: RRset[]) => dns.publish({ zone, serial: 2, rrsets })

  it('sends a change of several RRsets in one request', async () => {
    await publish(txt('a', 'one'), txt('b', 'two'))
    expect(gateway.requests).toEqual([`PATCH /api/v1/servers/localhost/zones/${zone}.`])
  })

  it('reuses keep-alive connections', async () => {
    // A second connection opens if the first one is not free again yet.
    for (let n = 0; n < 3; n++) await dns.ping()
    const before = gateway.connections()
    for (let n = 0; n < 10; n++) await dns.ping()
    expect(gateway.connections()).toBe(before)
  })

  it('setZone sends no change for a zone without drift', async () => {
    await dns.setZone({ zone, serial: 1, rrsets: [] })
    expect(gateway.requests).toEqual([`GET /api/v1/servers/localhost/zones/${zone}.`])
  })

  it('splits a zone that is too large for one request, also a new one', { timeout: 30_000 }, async () => {
    const withDefaultTimeout = await powerdnsDns({ url: gateway.url, key: server.key, nameservers, log, installation })
    const rrsets = Array.from({ length: 60 }, (_, n) => txt(`h${n}`, 'x'.repeat(50_000)))
    for (const name of [zone, 'large.test']) {
      const sets = rrsets.map((set) => ({ ...set, name: set.name.replace(zone, name) }))
      await withDefaultTimeout.setZone({ zone: name, serial: 2, rrsets: sets })
      expect(await withDefaultTimeout.drift({ zone: name, serial: 2, rrsets: sets })).toMatchObject({ differences: [] })
    }
    expect(gateway.requests.filter((request) => request.startsWith('PATCH')).length).toBeGreaterThan(4)
  })

  it('deletes a large new zone again if a part of it is refused', async () => {
    const rrsets = Array.from({ length: 30 }, (_, n) => txt(`h${n}`, 'x'.repeat(50_000)))
    const alias: RRset = { ...txt('h0', ''), type: 'CNAME', records: [{ value: 'example.net', priority: null }] }
    const withDefaultTimeout = await powerdnsDns({ url: gateway.url, key: server.key, nameservers, log, installation })
    const made = withDefaultTimeout.setZone({ zone: 'half.test', serial: 1, rrsets: [...rrsets, alias].map(moved) })
    await expect(made).rejects.toMatchObject({ code: 'upstream_error' })
    expect(await withDefaultTimeout.zone('half.test')).toBeUndefined()
  })
  const moved = (set: RRset): RRset => ({ ...set, name: set.name.replace(zone, 'half.test') })

  it('a change without an answer in time throws OutcomeUnknown, because it may have taken effect', async () => {
    gateway.behaviour = { delayMs: 800 }
    const change = publish(txt('late', 'arrives'))
    await expect(change).rejects.toBeInstanceOf(OutcomeUnknown)
    gateway.behaviour = 'pass'
    expect(await dns.zone(zone)).toEqual([txt('late', 'arrives')])
  })

  it('a refused change does not throw OutcomeUnknown', async () => {
    gateway.behaviour = { key: 'wrong' }
    await expect(publish(txt('a', 'one'))).rejects.not.toBeInstanceOf(OutcomeUnknown)
  })

  describe('marks', () => {
    const accountOf = async (name: string) =>
      ((await server.call('GET', `/zones/${name}.`)).json as { account: string }).account
    const setAccount = (account: string) => server.call('PUT', `/zones/${zone}.`, { account })
    const whole = { zone, serial: 1, rrsets: [] }

    it("a created zone is marked as this installation's", async () => {
      expect(await accountOf(zone)).toBe(`svc-${installation}`)
      expect(await dns.markOf(zone)).toBe('own')
      expect(await dns.markOf('nowhere.test')).toBe('missing')
      expect(await dns.markOf('test')).toBe('missing')
    })

    it('setZone marks a zone without a mark, also one with an account that the operator wrote', async () => {
      for (const account of ['', 'customer 7']) {
        await setAccount(account)
        expect(await dns.markOf(zone)).toBe('none')
        expect(await dns.drift(whole)).toMatchObject({ mark: 'none', differences: [] })
        await dns.setZone(whole)
        expect(await dns.drift(whole)).toMatchObject({ mark: 'own' })
      }
    })

    it('setZone refuses a zone of another installation, and mark() can change its mark', async () => {
      await publish(txt('a', 'theirs'))
      await setAccount('svc-another')
      expect(await dns.markOf(zone)).toBe('other')
      await expect(dns.setZone(whole)).rejects.toMatchObject({ code: 'upstream_error', extra: { zone } })
      expect(await dns.zone(zone)).toEqual([txt('a', 'theirs')])
      await dns.mark(zone)
      expect(await dns.markOf(zone)).toBe('own')
      expect(await dns.zone(zone)).toEqual([txt('a', 'theirs')])
    })
  })

  it('the inventory of a zone has its records, its unreadable records and its unmanaged RRsets', async () => {
    await publish(txt('a', 'one "two"'))
    const sshfp = { name: `_25._tcp.${zone}.`, type: 'SSHFP', ttl: 60, changetype: 'REPLACE' }
    const records = [{ content: `4 2 ${'0'.repeat(64)}`, disabled: false }]
    await server.call('PATCH', `/zones/${zone}.`, { rrsets: [{ ...sshfp, records }] })
    const odd = { ...sshfp, name: `odd.${zone}.`, type: 'TXT', records: [{ content: '"\\255"', disabled: false }] }
    await server.call('PATCH', `/zones/${zone}.`, { rrsets: [odd] })
    const inventory = await dns.inventory(zone)
    expect(inventory?.rrsets.filter(({ records: of }) => of.length > 0)).toEqual([txt('a', 'one "two"')])
    expect(inventory).toMatchObject({
      unreadable: [{ name: `odd.${zone}`, type: 'TXT', content: '"\\255"' }],
      unmanaged: [{ name: `_25._tcp.${zone}`, type: 'SSHFP' }],
    })
    await server.call('PATCH', `/zones/${zone}.`, { rrsets: [{ ...sshfp, changetype: 'DELETE' }] })
    expect(await dns.inventory('nowhere.test')).toBeUndefined()
  })

  it('a change after the deadline sends nothing and does not throw OutcomeUnknown', async () => {
    const over = Deadline.in(0)
    const change = dns.publish({ zone, serial: 2, rrsets: [txt('a', 'one')] }, over)
    await expect(change).rejects.not.toBeInstanceOf(OutcomeUnknown)
    await expect(dns.publish({ zone, serial: 2, rrsets: [txt('a', 'one')] }, over)).rejects.toMatchObject({
      code: 'upstream_error',
    })
    await expect(dns.setZone({ zone, serial: 2, rrsets: [txt('a', 'one')] }, over)).rejects.toMatchObject({
      code: 'upstream_error',
    })
    expect(gateway.requests).toEqual([])
  })

  it('the deadline of a change includes its wait for the changes before it', async () => {
    gateway.behaviour = { delayMs: 250 }
    const began = performance.now()
    const deadline = Deadline.in(600)
    const publishing = Array.from({ length: 6 }, (_, n) =>
      dns.publish({ zone, serial: 2, rrsets: [txt(`h${n}`, 'late')] }, deadline),
    )
    const changes = await Promise.allSettled(publishing)
    expect(performance.now() - began).toBeLessThan(1000)
    expect(changes[0]?.status).toBe('fulfilled')
    expect(changes.at(-1)?.status).toBe('rejected')
    expect(gateway.requests.length).toBeLessThanOrEqual(3)
  })

  it('changes that are queued behind a slow one fail in time', async () => {
    gateway.behaviour = { delayMs: 800 }
    const began = performance.now()
    const changes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => publish(txt(`h${n}`, 'late'))))
    expect(changes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(performance.now() - began).toBeLessThan(3 * 400)
  })
})
