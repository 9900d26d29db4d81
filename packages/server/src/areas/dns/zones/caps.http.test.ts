import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'
import { ownerOn, type Owner, type ZoneClient } from '../../../../test/zone-owner.js'
import { expectError } from '../../../../test/raw-http.js'
import { readConfig } from '../../../config/config.js'

/** Limits on the content of a zone and on the zones of an account. */

const env = { SVC_DNS_PORT: '0', SVC_DNS_ZONE_BYTES_MAX: '1000', SVC_DNS_ZONES_MAX: '5' }

describe.each(databaseKinds)('caps on %s', (kind) => {
  let site: Site
  let owner: Owner
  beforeAll(async () => {
    site = await startSite(kind, { dns: readConfig({ env }).dns })
  })
  afterAll(() => site.stop())

  const bytes = async ({ zone }: ZoneClient) =>
    (
      await site.sql(`select content_bytes, (select coalesce(sum(octet_length(value) + octet_length(host)), 0)
        from dns_record where zone_id = dns_zone.id and account_id = holder_id) as counted
        from dns_zone where name = '${zone}'`)
    ).map((row) => [Number(row['content_bytes']), Number(row['counted'])])[0]

  it('counts the bytes of values and hosts with every change', async () => {
    owner = await ownerOn(site)
    const zone = await owner.claim()
    const { id } = await zone.add({ type: 'TXT', host: 'grün', value: 'grüße' })
    expect(await bytes(zone)).toEqual(['xn--grn-hoa'.length + 7, 'xn--grn-hoa'.length + 7])
    await zone.add({ type: 'TXT', host: 'grün', value: 'grüße', ttl: 60 })
    await zone.add({ type: 'MX', value: 'mail.example.net', priority: 1 })
    await zone.update(id, { host: 'www', value: 'x' })
    expect(await bytes(zone)).toEqual([4 + 17, 4 + 17])
    await zone.remove(id)
    expect(await bytes(zone)).toEqual([17, 17])
    await owner.call('DELETE', `/v1/dns/zones/${zone.zone}`)
    const next = await (await ownerOn(site)).claim(zone.zone)
    expect(await bytes(next)).toEqual([0, 0])
    await next.add({ type: 'A', value: '192.0.2.1' })
    expect(await bytes(next)).toEqual([10, 10])
    await next.remove(3)
  })

  it('400 bad_request for a change beyond the byte limit of the zone; existing records can be changed and deleted', async () => {
    owner = await ownerOn(site)
    const zone = await owner.claim()
    const { id } = await zone.add({ type: 'TXT', host: 'a', value: 'x'.repeat(499) })
    await zone.add({ type: 'TXT', host: 'b', value: 'x'.repeat(499) })
    const refused = await zone.create({ type: 'A', host: 'www', value: '192.0.2.1' })
    expectError(refused, 'bad_request')
    expect(refused.body['message']).toBe(
      "value would bring the values and hosts of the zone's records to 1012 bytes; a zone holds at most 1000: delete some first.",
    )
    const longer = await zone.update(id, { value: 'x'.repeat(500) })
    expect(longer.body['message']).toMatch(/^value would bring .* to 1001 bytes/)
    const moved = await zone.update(id, { host: 'longer' })
    expect(moved.body['message']).toMatch(/^host would bring .* to 1005 bytes/)
    expect((await zone.update(id, { ttl: 60, value: 'y'.repeat(499) })).status).toBe(200)
    expect((await zone.update(id, { value: 'short' })).status).toBe(200)
    await zone.add({ type: 'A', host: 'www', value: '192.0.2.1' })
    expect(await bytes(zone)).toEqual([518, 518])
  })

  it('a zone above the byte limit can be listed and can shrink, but cannot grow', async () => {
    owner = await ownerOn(site)
    const zone = await owner.claim()
    const { id } = await zone.add({ type: 'TXT', host: 'a', value: 'x' })
    await site.sql(`update dns_zone set content_bytes = 5000 where name = '${zone.zone}'`)
    expectError(await zone.create({ type: 'A', host: 'b', value: '192.0.2.1' }), 'bad_request')
    expectError(await zone.update(id, { value: 'xx' }), 'bad_request')
    expect((await zone.update(id, { value: 'y' })).status).toBe(200)
    expect((await zone.list()).body['data'].records).toHaveLength(1)
    expect((await zone.remove(id)).status).toBe(200)
  })

  it('parallel creates stay within the byte limit', async () => {
    owner = await ownerOn(site)
    const zone = await owner.claim()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => zone.create({ type: 'TXT', host: `h${i}`, value: 'x'.repeat(197) })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    const [kept, counted] = (await bytes(zone))!
    expect(kept).toBe(counted)
    expect(kept).toBeLessThanOrEqual(1000)
  })

  it('400 bad_request for claims beyond the limit of the account, parallel and pending claims included', async () => {
    owner = await ownerOn(site)
    const other = await ownerOn(site)
    await other.claim('contested.example')
    const claim = (zone: string) => owner.call('POST', '/v1/dns/zones', { zone })
    expect((await claim('contested.example')).body['data'].status).toBe('pending')
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => claim(`many${i}.example`)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(16)
    for (const answer of refused) {
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toBe('zone cannot be claimed: the account has reached its limit of 5 zones.')
    }
    expect((await owner.call('GET', '/v1/dns/zones')).body['data'].zones).toHaveLength(5)
    // Repeating an existing claim is a no-op; releasing a claim allows another one.
    expect((await claim('contested.example')).status).toBe(200)
    await owner.call('DELETE', '/v1/dns/zones/contested.example')
    expect((await claim('room.example')).status).toBe(200)
    expectError(await claim('more.example'), 'bad_request')
    expect((await other.call('POST', '/v1/dns/zones', { zone: 'of-another.example' })).status).toBe(200)
  })

  it('an account that claims and releases zones alternately cannot fill the nameserver', async () => {
    owner = await ownerOn(site)
    const turn = async (zone: string) => {
      const answer = await owner.call('POST', '/v1/dns/zones', { zone })
      await owner.call('DELETE', `/v1/dns/zones/${zone}`)
      return answer
    }
    for (let i = 0; i < 5; i++) expect((await turn(`left${i}.example`)).status).toBe(200)
    const refused = await turn('left5.example')
    expectError(refused, 'bad_request')
    expect(refused.body['message']).toBe(
      'zone cannot be claimed: 5 released zones of the account are still served, which is the limit.',
    )
    // The account can claim these zones again.
    expect((await turn('left3.example')).status).toBe(200)
    // A zone that another account has taken over is not counted.
    await (await ownerOn(site)).claim('left0.example')
    expect((await turn('left5.example')).status).toBe(200)
  })
})
