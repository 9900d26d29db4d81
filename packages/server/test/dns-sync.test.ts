import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SyncedZone } from '../src/areas/dns/provider-sync.js'
import { syncDns } from '../src/commands/dns-sync.js'
import { OperatorError } from '../src/operator-error.js'
import { databaseKinds } from './app.js'
import { putThere, startPowerDnsSite, type PowerDnsSite } from './powerdns-site.js'
import type { ZoneClient } from './zone-owner.js'
import { dnsSettings } from './zone-site.js'

/** `svc dns sync` beside a running server: what differs between the database and PowerDNS is found, and repaired. */

describe.each(databaseKinds)('svc dns sync with %s', (kind) => {
  let on: PowerDnsSite
  let zone: ZoneClient
  /** Those of the tests before are no matter of this one. */
  let mine: string[]
  const claim = async () => {
    const claimed = await (await on.owner()).claim()
    mine.push(claimed.zone)
    return claimed
  }
  beforeAll(async () => {
    on = await startPowerDnsSite(kind)
  })
  beforeEach(async () => {
    mine = []
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
      if (mine.includes(synced.zone)) zones.push(synced)
    }
    const synced = await syncDns(config(nameservers), { zone: only, dryRun, done })
    const differences = zones.flatMap((one) =>
      one.differences.map(({ action, name, type }) => `${action} ${name} ${type}`),
    )
    return { zones, strangers: synced?.strangers, outcomes: zones.map(({ outcome }) => outcome), differences }
  }

  it('finds nothing where nothing differs, and asks for no change', async () => {
    on.gateway.heard.length = 0
    expect(await sync()).toMatchObject({ outcomes: ['in_sync'], differences: [], strangers: [] })
    expect(on.gateway.heard.every((request) => request.startsWith('GET'))).toBe(true)
  })

  it('sets what differs, adds what is missing, removes what nobody here knows of', async () => {
    const before = await on.held(zone.zone)
    const rows = await on.rows()
    const drift = (name: string, ...rest: [string, ...string[]]) => putThere(on.powerdns, zone.zone, name, ...rest)
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

  it('makes a zone that the provider has lost', async () => {
    const before = await on.held(zone.zone)
    await on.powerdns.call('DELETE', `/zones/${zone.zone}.`)
    const { zones } = await sync({ dryRun: true })
    expect(zones).toMatchObject([{ zone: zone.zone, outcome: 'drifted', missing: true }])
    expect(await on.held(zone.zone)).toBeUndefined()
    expect((await sync()).zones).toMatchObject([{ zone: zone.zone, outcome: 'repaired', missing: true }])
    expect(await on.held(zone.zone)).toEqual(before)
  })

  it('gives zones other nameservers when the operator has', async () => {
    const nameservers = ['ns.moved.example', 'ns2.moved.example']
    expect((await sync({ nameservers })).differences).toEqual([`change ${zone.zone} SOA`, `change ${zone.zone} NS`])
    expect(await zone.served('@', 'NS')).toEqual(nameservers.map((name) => `3600 ${name}`))
    expect((await zone.served('@', 'SOA'))[0]).toContain('ns.moved.example')
  })

  it('names zones that only the provider has, and types that svc does not manage, and leaves both alone', async () => {
    const body = { name: 'stranger.example.', kind: 'Native', nameservers: ['ns.stranger.example.'] }
    await on.powerdns.call('POST', '/zones', body)
    await putThere(on.powerdns, zone.zone, `_25._tcp.${zone.zone}`, 'TLSA', `3 1 1 ${'0'.repeat(64)}`)
    const held = [await on.held(zone.zone), await on.held('stranger.example')]
    const { zones, strangers } = await sync()
    expect(strangers).toEqual(['stranger.example'])
    expect(zones).toMatchObject([{ outcome: 'in_sync', unmanaged: [{ name: `_25._tcp.${zone.zone}`, type: 'TLSA' }] }])
    expect([await on.held(zone.zone), await on.held('stranger.example')]).toEqual(held)
  })

  it('lets the serial of a zone that was made elsewhere move again', async () => {
    await on.powerdns.call('PUT', `/zones/${zone.zone}.`, { soa_edit_api: 'OFF' })
    expect((await sync()).zones).toMatchObject([{ outcome: 'repaired', keepsSerial: true }])
    expect((await sync()).outcomes).toEqual(['in_sync'])
    const serial = await zone.serial()
    await zone.add({ type: 'A', host: 'new', value: '192.0.2.1' })
    expect(await zone.serial()).toBeGreaterThan(serial)
  })

  it('does one zone where one is named, and knows which there are', async () => {
    const other = await claim()
    for (const { zone: name } of [zone, other]) await on.powerdns.call('DELETE', `/zones/${name}.`)
    expect((await sync({ zone: other.zone.toUpperCase() })).zones.map((one) => one.zone)).toEqual([other.zone])
    expect(await on.held(zone.zone)).toBeUndefined()
    await expect(sync({ zone: 'nobody.example' })).rejects.toThrow(
      new OperatorError('There is no zone nobody.example: nobody has verified it yet.'),
    )
  })

  it('goes on with the next zone where one fails, and says why', async () => {
    const other = await claim()
    await putThere(on.powerdns, zone.zone, `alias.${zone.zone}`, 'TLSA', `3 1 1 ${'0'.repeat(64)}`)
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

  it('takes no change for drift that is under way while it looks', { timeout: 30_000 }, async () => {
    const writes = Array.from({ length: 40 }, (_, n) => zone.add({ type: 'A', host: `h${n}`, value: '192.0.2.1' }))
    const looks = (async () => {
      for (let n = 0; n < 5; n++) await sync({ zone: zone.zone })
    })()
    await Promise.all([...writes, looks])
    expect(await sync({ zone: zone.zone })).toMatchObject({ outcomes: ['in_sync'], differences: [] })
    expect((await zone.list()).body['data'].records).toHaveLength(42)
  })

  it('ends where the provider does not answer, or refuses the key', async () => {
    await on.gateway.shut()
    await expect(sync()).rejects.toThrow('The DNS provider failed: it cannot be reached.')
    await on.gateway.open()
    await expect(
      syncDns(config(undefined, 'wrong'), { zone: undefined, dryRun: true, done: () => undefined }),
    ).rejects.toThrow('it refuses the key of this server')
  })
})

it('has nothing to do for the embedded nameserver', async () => {
  const database = { kind: 'sqlite', file: '/nowhere' } as const
  const asked = { zone: undefined, dryRun: false, done: () => undefined }
  expect(await syncDns({ database, dns: dnsSettings([]) }, asked)).toBeUndefined()
})
