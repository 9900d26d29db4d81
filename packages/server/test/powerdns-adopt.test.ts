import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adoptZone } from '../src/commands/dns-adopt.js'
import { databaseKinds } from './app.js'
import { setRRset, startPowerDnsSite, type PowerDnsSite } from './powerdns-site.js'
import { dnsSettings } from './zone-site.js'
import { zoneClient, type Owner } from './zone-owner.js'

/** Adoption of zones that the operator created in PowerDNS: by a TXT record, and by `svc dns adopt`. */

describe.each(databaseKinds)('a zone of the operator in PowerDNS, with %s', (kind) => {
  let on: PowerDnsSite
  let owner: Owner
  let zone: string
  let zones = 0
  beforeAll(async () => {
    on = await startPowerDnsSite(kind)
    owner = await on.owner()
  })
  afterAll(() => on.stop())
  beforeEach(async () => {
    zone = `operators${++zones}.com`
    const body = { name: `${zone}.`, kind: 'Native', nameservers: [`ns.${zone}.`] }
    await on.powerdns.call('POST', '/zones', body)
    await setRRset(on.powerdns, zone, `www.${zone}`, 'A', '192.0.2.1')
  })

  const config = () => ({
    database: on.site.database,
    dns: { ...dnsSettings([]), provider: { kind: 'powerdns', url: on.gateway.url, key: on.powerdns.key } as const },
  })
  const adopt = (dryRun = false, name = zone) => adoptZone(config(), { zone: name, email: owner.account.email, dryRun })
  const client = () => zoneClient({ dnsPort: on.powerdns.dnsPort }, owner.call, zone)
  const line = 'www\t300\tIN\tA\t192.0.2.1'

  it('a zone is adopted by an account once, with its records; a dry run changes nothing', async () => {
    const rows = await on.rows()
    expect(await adopt(true)).toMatchObject({ wasHolder: false, records: [line], notes: [] })
    expect(await on.rows()).toEqual(rows)
    expect(await adopt()).toEqual({ zone, account: owner.account.email, wasHolder: false, records: [line], notes: [] })
    const { records } = (await client().list()).body['data']
    expect(records).toMatchObject([{ id: 1, host: 'www', type: 'A', value: '192.0.2.1', ttl: 300 }])
    await client().add({ type: 'A', host: 'www', value: '192.0.2.2', ttl: 300 })
    expect(await client().served('www', 'A')).toEqual(['300 192.0.2.1', '300 192.0.2.2'])
    expect(await adopt()).toMatchObject({ wasHolder: true, records: [] })
    expect(await client().served('www', 'A')).toEqual(['300 192.0.2.1', '300 192.0.2.2'])
  })

  it('a zone is verified with its records for the account that publishes the TXT record', async () => {
    const pending = (await owner.call('POST', '/v1/dns/zones', { zone })).body['data']
    expect(pending).toMatchObject({ status: 'pending' })
    const { name, value } = pending.verification
    on.world.set(`TXT ${name}`, { answers: [{ type: 'TXT', name, data: value, ttl: 60 }] })
    const { body } = await owner.call('POST', `/v1/dns/zones/${zone}/verify`)
    expect(body['data']).toMatchObject({ status: 'verified', matched: true })
    expect((await client().list()).body['data'].records).toMatchObject([{ host: 'www', value: '192.0.2.1' }])
    expect(await client().served('www', 'A')).toEqual(['300 192.0.2.1'])
  })

  it('a zone is not adopted if svc does not support a record or the zone has too many', async () => {
    await setRRset(on.powerdns, zone, `*.${zone}`, 'NS', 'ns.elsewhere.example.')
    await expect(adopt()).rejects.toThrow(`*.${zone} NS "ns.elsewhere.example": * cannot have NS records`)
    await setRRset(on.powerdns, zone, `*.${zone}`, 'NS')
    const many = Array.from({ length: 101 }, (_, n) => `192.0.2.${n}`)
    await setRRset(on.powerdns, zone, `many.${zone}`, 'A', ...many)
    await expect(adopt()).rejects.toThrow('The zone would have 102 records; the limit is 100.')
    expect((await client().list()).status).toBe(403)
  })

  it('a zone is not adopted if it does not exist, another account holds it, or the provider is the embedded nameserver', async () => {
    await expect(adopt(false, 'nowhere.example')).rejects.toThrow('has no zone nowhere.example')
    const other = await (await on.owner()).claim()
    await expect(adopt(false, other.zone)).rejects.toThrow('svc dns assign')
    await expect(
      adoptZone({ ...config(), dns: dnsSettings([]) }, { zone, email: 'x@example.com', dryRun: false }),
    ).rejects.toThrow('nothing to adopt')
  })
})
