import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SyncedZone } from '../src/areas/dns/publishing/sync.js'
import { syncDns } from '../src/commands/dns-sync.js'
import { OperatorError } from '../src/shared/operator-error.js'
import { databaseKinds } from './app.js'
import { setRRset, startPowerDnsSite, type PowerDnsSite } from './powerdns-site.js'
import type { ZoneClient } from './zone-owner.js'
import { dnsSettings } from './zone-site.js'

/** All ten record types in the spellings that users write. */
const everySpelling: readonly { type: string; host: string; value: string; priority?: number }[] = [
  { type: 'A', host: 'a', value: '192.0.2.1' },
  { type: 'A', host: 'a', value: ' 192.0.2.200 ' },
  ...['2001:db8::1', '2001:0DB8:0:0:1:0:0:1', '::', '::1', '::ffff:192.0.2.1', '::192.0.2.2', '2001:db8:0:1::'].map(
    (value) => ({ type: 'AAAA', host: 'six', value }),
  ),
  { type: 'CNAME', host: 'alias', value: 'Target_1._DomainKey.Example.NET.' },
  { type: 'MX', host: 'mx', value: ' Mail.Example.NET. ', priority: 0 },
  { type: 'MX', host: 'mx', value: 'mail2.example.net', priority: 65_535 },
  { type: 'MX', host: 'nomail', value: '.', priority: 0 },
  { type: 'TXT', host: 'txt', value: '"one" "two"' },
  { type: 'TXT', host: 'txt', value: 'k=' + 'A'.repeat(700) },
  { type: 'TXT', host: 'txt', value: 'Grüße; "an" \\ alle\t😀' },
  { type: 'TXT', host: 'txt', value: ' ' },
  { type: 'TXT', host: 'txt', value: '"\\065 \\"quoted\\" \\\\"' },
  { type: 'NS', host: 'sub', value: 'NS1.Example.NET.' },
  { type: 'NS', host: 'sub', value: 'ns2.example.net' },
  { type: 'SRV', host: '_sip._tcp', value: '  5   05060  Sip.Example.NET. ', priority: 10 },
  { type: 'SRV', host: '_none._tcp', value: '0 0 .', priority: 0 },
  { type: 'CAA', host: 'caa', value: '0 ISSUE letsencrypt.org' },
  { type: 'CAA', host: 'caa', value: '128 issue "ca.example; policy=\\"ev\\""' },
  { type: 'CAA', host: 'caa', value: '0 issuewild ";"' },
  { type: 'CAA', host: 'caa', value: '0 iodef "mailto:Security@example.com"' },
  { type: 'PTR', host: 'ptr', value: 'Host.Example.NET.' },
  { type: 'SPF', host: 'spf', value: '"v=spf1" " include:_spf.example.net ~all"' },
]

/** Records, and equivalent spellings that PowerDNS stores unchanged. */
const respelled: readonly { type: string; host: string; value: string; priority?: number; spelled: string[] }[] = [
  { type: 'CNAME', host: 'alias', value: 'target.example.net', spelled: ['Target.EXAMPLE.net.'] },
  { type: 'MX', host: 'mx', value: 'mail.example.net', priority: 10, spelled: ['10 MAIL.example.net.'] },
  {
    type: 'SRV',
    host: '_s._tcp',
    value: '5 5060 sip.example.net',
    priority: 1,
    spelled: ['1 5 5060 SIP.example.net.'],
  },
  { type: 'NS', host: 'sub', value: 'ns1.example.net', spelled: ['NS1.example.net.'] },
  { type: 'PTR', host: 'ptr', value: 'host.example.net', spelled: ['HOST.example.net.'] },
  { type: 'TXT', host: 'txt', value: 'one text', spelled: ['"one" " text"'] },
  { type: 'SPF', host: 'spf', value: 'v=spf1 -all', spelled: ['"v=spf1" " -all"'] },
]

/** `svc dns sync` beside a running server finds and repairs drift between the database and PowerDNS. */

describe.each(databaseKinds)('svc dns sync with %s', (kind) => {
  let on: PowerDnsSite
  let zone: ZoneClient
  /** Zones of the current test. The results leave out the zones of earlier tests. */
  let claimedHere: string[]
  const claim = async () => {
    const claimed = await (await on.owner()).claim()
    claimedHere.push(claimed.zone)
    return claimed
  }
  beforeAll(async () => {
    on = await startPowerDnsSite(kind)
  })
  beforeEach(async () => {
    claimedHere = []
    zone = await claim()
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.1', ttl: 300 })
    await zone.add({ type: 'MX', host: '@', value: 'mail.example.net', priority: 10, ttl: 300 })
  })
  afterAll(() => on.stop())

  const config = (nameservers?: readonly string[], key = on.powerdns.key) => ({
    database: on.site.database,
    dns: {
      ...dnsSettings([]),
      ...(nameservers && { nameservers }),
      provider: { kind: 'powerdns', url: on.gateway.url, key } as const,
    },
  })

  async function sync(options: { dryRun?: boolean; zone?: string; nameservers?: readonly string[] } = {}) {
    const zones: SyncedZone[] = []
    const { dryRun = false, zone: only, nameservers } = options
    const done = (synced: SyncedZone) => {
      if (claimedHere.includes(synced.zone)) zones.push(synced)
    }
    const synced = await syncDns(config(nameservers), { zone: only, dryRun, done })
    const differences = zones.flatMap((one) =>
      one.differences.map(({ action, name, type }) => `${action} ${name} ${type}`),
    )
    return { zones, strangers: synced?.strangers, outcomes: zones.map(({ outcome }) => outcome), differences }
  }

  it('reports in_sync and sends no write when nothing differs', async () => {
    on.gateway.requests.length = 0
    expect(await sync()).toMatchObject({ outcomes: ['in_sync'], differences: [], strangers: [] })
    expect(on.gateway.requests.every((request) => request.startsWith('GET'))).toBe(true)
  })

  it("is in the operator's journal, with the zone if one was given, but not if it only reports", async () => {
    await on.site.sql('delete from operator_event')
    await sync({ dryRun: true })
    await sync()
    await sync({ zone: zone.zone })
    await expect(sync({ zone: 'unknown.example' })).rejects.toThrow('There is no zone unknown.example')
    expect(await on.site.sql('select command, object from operator_event order by id')).toEqual([
      { command: 'svc dns sync', object: '' },
      { command: 'svc dns sync', object: zone.zone },
    ])
  })

  it('leaves a zone in sync unchanged, for records of every type and spelling', { timeout: 30_000 }, async () => {
    for (const body of everySpelling) await zone.add(body)
    const [held, serial] = [await on.held(zone.zone), await zone.serial()]
    on.gateway.requests.length = 0
    expect(await sync({ zone: zone.zone })).toMatchObject({ outcomes: ['in_sync'], differences: [] })
    expect(on.gateway.requests.filter((request) => !request.startsWith('GET'))).toEqual([])
    expect(await zone.serial()).toBe(serial)
    expect(await on.held(zone.zone)).toEqual(held)
  })

  it('repairs a missing RRset of every type once, and then leaves it unchanged', { timeout: 30_000 }, async () => {
    for (const body of everySpelling) await zone.add(body)
    const before = await on.held(zone.zone)
    for (const { type, host } of everySpelling) await setRRset(on.powerdns, zone.zone, `${host}.${zone.zone}`, type)
    const names = new Set(everySpelling.map(({ type, host }) => `add ${host}.${zone.zone} ${type}`))
    expect((await sync({ zone: zone.zone })).differences.sort()).toEqual([...names].sort())
    expect(await on.held(zone.zone)).toEqual(before)
    const serial = await zone.serial()
    expect((await sync({ zone: zone.zone })).outcomes).toEqual(['in_sync'])
    expect(await zone.serial()).toBe(serial)
  })

  it('treats other spellings of the same records as equal, and leaves them unchanged', async () => {
    for (const { spelled: _, ...body } of respelled) await zone.add({ ...body, ttl: 300 })
    for (const { type, host, spelled } of respelled)
      await setRRset(on.powerdns, zone.zone, `${host}.${zone.zone}`, type, ...spelled)
    const held = await on.held(zone.zone)
    expect(await sync({ zone: zone.zone })).toMatchObject({ outcomes: ['in_sync'], differences: [] })
    expect(await on.held(zone.zone)).toEqual(held)
  })

  it('sets changed RRsets, adds missing ones and removes unknown ones; --dry-run only reports them', async () => {
    const before = await on.held(zone.zone)
    const rows = await on.rows()
    const drift = (name: string, ...rest: [string, ...string[]]) => setRRset(on.powerdns, zone.zone, name, ...rest)
    await drift(`www.${zone.zone}`, 'A', '192.0.2.66')
    await drift(zone.zone, 'MX')
    await drift(`extra.${zone.zone}`, 'CNAME', 'elsewhere.example.')
    const found = [`remove extra.${zone.zone} CNAME`, `change www.${zone.zone} A`, `add ${zone.zone} MX`]

    const drifted = await on.held(zone.zone)
    expect(await sync({ dryRun: true })).toMatchObject({ outcomes: ['drifted'], differences: found })
    expect(await on.held(zone.zone)).toEqual(drifted)

    const serial = await zone.serial()
    expect(await sync()).toMatchObject({ outcomes: ['repaired'], differences: found })
    expect(await on.held(zone.zone)).toEqual(before)
    expect(await zone.served('www', 'A')).toEqual(['300 192.0.2.1'])
    expect(await zone.served('extra', 'CNAME')).toEqual([])
    expect(await zone.serial()).toBeGreaterThan(serial)
    expect(await on.rows()).toEqual(rows)
    expect(await sync()).toMatchObject({ outcomes: ['in_sync'], differences: [] })
  })

  it('creates a zone that the provider has lost', async () => {
    const before = await on.held(zone.zone)
    await on.powerdns.call('DELETE', `/zones/${zone.zone}.`)
    const { zones } = await sync({ dryRun: true })
    expect(zones).toMatchObject([{ zone: zone.zone, outcome: 'drifted', missing: true }])
    expect(await on.held(zone.zone)).toBeUndefined()
    expect((await sync()).zones).toMatchObject([{ zone: zone.zone, outcome: 'repaired', missing: true }])
    expect(await on.held(zone.zone)).toEqual(before)
  })

  it('updates the SOA and NS records after a change of the configured nameservers', async () => {
    const nameservers = ['ns.moved.example', 'ns2.moved.example']
    expect((await sync({ nameservers })).differences).toEqual([`change ${zone.zone} SOA`, `change ${zone.zone} NS`])
    expect(await zone.served('@', 'NS')).toEqual(nameservers.map((name) => `3600 ${name}`))
    expect((await zone.served('@', 'SOA'))[0]).toContain('ns.moved.example')
  })

  it('reports zones that only the provider has and types that svc does not manage, and changes neither', async () => {
    const body = { name: 'stranger.example.', kind: 'Native', nameservers: ['ns.stranger.example.'] }
    await on.powerdns.call('POST', '/zones', body)
    await setRRset(on.powerdns, zone.zone, `_25._tcp.${zone.zone}`, 'SSHFP', `4 2 ${'0'.repeat(64)}`)
    const held = [await on.held(zone.zone), await on.held('stranger.example')]
    const { zones, strangers } = await sync()
    expect(strangers).toEqual(['stranger.example'])
    expect(zones).toMatchObject([{ outcome: 'in_sync', unmanaged: [{ name: `_25._tcp.${zone.zone}`, type: 'SSHFP' }] }])
    expect([await on.held(zone.zone), await on.held('stranger.example')]).toEqual(held)
  })

  it('repairs a zone whose serial does not increase with changes', async () => {
    await on.powerdns.call('PUT', `/zones/${zone.zone}.`, { soa_edit_api: 'OFF' })
    expect((await sync()).zones).toMatchObject([{ outcome: 'repaired', keepsSerial: true }])
    expect((await sync()).outcomes).toEqual(['in_sync'])
    const serial = await zone.serial()
    await zone.add({ type: 'A', host: 'new', value: '192.0.2.1' })
    expect(await zone.serial()).toBeGreaterThan(serial)
  })

  it('syncs only the given zone, and refuses an unknown one', async () => {
    const other = await claim()
    for (const { zone: name } of [zone, other]) await on.powerdns.call('DELETE', `/zones/${name}.`)
    expect((await sync({ zone: other.zone.toUpperCase() })).zones.map((one) => one.zone)).toEqual([other.zone])
    expect(await on.held(zone.zone)).toBeUndefined()
    await expect(sync({ zone: 'nobody.example' })).rejects.toThrow(
      new OperatorError('There is no zone nobody.example: no account has verified it yet.'),
    )
  })

  it('continues with the next zone after a failure, and reports the problem', async () => {
    const other = await claim()
    await setRRset(on.powerdns, zone.zone, `alias.${zone.zone}`, 'SSHFP', `4 2 ${'0'.repeat(64)}`)
    await on.site.sql(
      `insert into dns_record (zone_id, id, account_id, type, host, value, ttl, created_at, updated_at)
        select zone_id, 99, account_id, 'CNAME', 'alias', 'example.net', 300, created_at, updated_at from dns_record where host = 'www'`,
    )
    await on.powerdns.call('DELETE', `/zones/${other.zone}.`)
    const { zones } = await sync()
    expect(zones).toMatchObject([
      { zone: zone.zone, outcome: 'failed', problem: 'The DNS provider failed: it refuses this change.' },
      { zone: other.zone, outcome: 'repaired' },
    ])
  })

  it('does not mistake a change in progress for drift', { timeout: 30_000 }, async () => {
    const writes = Array.from({ length: 40 }, (_, n) => zone.add({ type: 'A', host: `h${n}`, value: '192.0.2.1' }))
    const syncs = (async () => {
      for (let n = 0; n < 5; n++) await sync({ zone: zone.zone })
    })()
    await Promise.all([...writes, syncs])
    expect(await sync({ zone: zone.zone })).toMatchObject({ outcomes: ['in_sync'], differences: [] })
    expect((await zone.list()).body['data'].records).toHaveLength(42)
  })

  it('fails when the provider cannot be reached or refuses the key', async () => {
    await on.gateway.close()
    await expect(sync()).rejects.toThrow('The DNS provider failed: it cannot be reached.')
    await on.gateway.open()
    await expect(
      syncDns(config(undefined, 'wrong'), { zone: undefined, dryRun: true, done: () => undefined }),
    ).rejects.toThrow('it refuses the key of this server')
  })
})

it('has nothing to do for the embedded nameserver', async () => {
  const database = { kind: 'sqlite', file: '/nowhere' } as const
  const options = { zone: undefined, dryRun: false, done: () => undefined }
  expect(await syncDns({ database, dns: dnsSettings([]) }, options)).toBeUndefined()
})
