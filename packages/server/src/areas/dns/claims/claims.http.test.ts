import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../../../../test/servers/index.js'
import { databaseKinds, startApp } from '../../../../test/app.js'
import { rcodes } from '../../../../test/dns-server.js'
import { dataOf, dnsSettings, expected_ns, startZoneSite, type ZoneSite } from '../../../../test/zone-site.js'
import { claimStore } from './store.js'
import { written } from '../../../../test/zone-owner.js'

/** Claims and their verification, through the real server (specification, sections 3 and 4.4). */

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string

const auto = { method: 'auto', verified: true, expected_ns }
const txt = (zone: string) => ({
  method: 'txt',
  verified: false,
  name: `_svcdns-verify.${zone}`,
  value: expect.stringMatching(/^[\w-]{32,}$/) as string,
  expected_ns,
})

describe.each(databaseKinds)('zones on %s', (kind) => {
  let zones: ZoneSite
  beforeAll(async () => {
    zones = await startZoneSite(kind)
  })
  afterAll(() => zones.stop())

  describe('claim', () => {
    it('is verified at once if no other account has claimed the zone', async () => {
      const zone = 'first.com'
      expect(dataOf(await zones.claim('ada', zone))).toEqual({ zone, status: 'verified', verification: auto })
      expect(dataOf(await zones.get('ada', zone))).toEqual({ zone, status: 'verified', verification: auto })
    })

    it('is pending with a TXT value if another account has claimed the zone', async () => {
      const zone = 'second.com'
      await zones.claim('ada', zone)
      const pending = dataOf(await zones.claim('bob', zone))
      expect(pending).toEqual({ zone, status: 'pending', verification: txt(zone) })
      expect(dataOf(await zones.get('bob', zone))).toEqual(pending)
      expect(dataOf(await zones.get('ada', zone))).toMatchObject({ status: 'verified' })
    })

    it('answers the existing claim unchanged when repeated', async () => {
      const zone = 'again.com'
      const verified = dataOf(await zones.claim('ada', zone))
      expect(dataOf(await zones.claim('ada', zone))).toEqual(verified)
      const pending = dataOf(await zones.claim('bob', zone))
      expect(dataOf(await zones.claim('bob', ` ${zone}`.trim().toUpperCase()))).toEqual(pending)
    })

    it.each([
      ['upper case and a dot at the end', 'UPPER.Com.', 'upper.com'],
      ['an IDN', 'bücher.example', 'xn--bcher-kva.example'],
      ['an IDN in another script', 'пример.рф', 'xn--e1afmkfd.xn--p1ai'],
      ['below a suffix of two labels', 'shop.co.uk', 'shop.co.uk'],
      ['a reverse zone', '2.0.192.in-addr.arpa', '2.0.192.in-addr.arpa'],
      ['a reverse zone of IPv6', '8.B.D.0.1.0.0.2.ip6.arpa', '8.b.d.0.1.0.0.2.ip6.arpa'],
    ])('accepts %s, and every operation finds the zone in the same spelling', async (_what, given, zone) => {
      expect(dataOf(await zones.claim('ada', given))).toEqual({ zone, status: 'verified', verification: auto })
      expect(dataOf(await zones.get('ada', given))).toMatchObject({ zone })
      expect(dataOf(await zones.verify('ada', given))).toMatchObject({ zone, matched: true })
      expect(dataOf(await zones.release('ada', given))).toEqual({ zone, released: true })
    })

    it.each([
      ['a subdomain', 'www.example.com', /example\.com/],
      ['a public suffix', 'co.uk', /public suffix/],
      ['a single label', 'localhost', /label/],
      ['an address', '192.0.2.1', /address/],
      ['an empty name', '', /zone/],
      ['a reverse zone off the boundary', '0-25.2.0.192.in-addr.arpa', /reverse/],
    ])('400 for %s, and nothing is claimed', async (_what, zone, message) => {
      const before = dataOf(await zones.call('ada', 'GET', ''))
      const answer = await zones.claim('ada', zone)
      expect([answer.status, answer.body['error']]).toEqual([400, 'bad_request'])
      expect(answer.body['message']).toMatch(message)
      expect(dataOf(await zones.call('ada', 'GET', ''))).toEqual(before)
    })

    it('is pending for a reverse zone above or below that of another account', async () => {
      await zones.claim('ada', '1.10.in-addr.arpa')
      expect(dataOf(await zones.claim('bob', '10.in-addr.arpa'))).toMatchObject({ status: 'pending' })
      expect(dataOf(await zones.claim('bob', '2.1.10.in-addr.arpa'))).toMatchObject({ status: 'pending' })
      expect(dataOf(await zones.claim('bob', '2.10.in-addr.arpa'))).toMatchObject({ status: 'verified' })
      expect(dataOf(await zones.claim('bob', '11.in-addr.arpa'))).toMatchObject({ status: 'verified' })
    })
  })

  describe('verify of a pending claim', () => {
    it('stays pending while the look-up does not match', async () => {
      const zone = 'notyet.com'
      await zones.claim('ada', zone)
      const before = dataOf(await zones.claim('bob', zone))
      const { name, value } = before['verification'] as { name: string; value: string }
      const resolver = zones.resolver.address
      const unmatched = (result: string, values: readonly string[], what: string) => ({
        zone,
        status: 'pending',
        matched: false,
        verified: false,
        note: `${zone} is still pending: the TXT record ${name} must have the value "${value}", but ${resolver} ${what}.`,
        lookup: {
          type: 'TXT',
          name,
          expected: [value],
          looked_up_at: timestamp,
          resolvers: [{ resolver, result, values, more: 0 }],
        },
      })
      expect(dataOf(await zones.verify('bob', zone))).toEqual(
        unmatched('nxdomain', [], 'answered that the name does not exist (NXDOMAIN)'),
      )
      zones.publish(zone, ['something else'])
      expect(dataOf(await zones.verify('bob', zone))).toEqual(
        unmatched('found', ['something else'], 'found "something else"'),
      )
      zones.publish(zone, { rcode: rcodes.servfail })
      expect(dataOf(await zones.verify('bob', zone))).toEqual(
        unmatched('servfail', [], 'failed to resolve it (SERVFAIL)'),
      )
      expect(dataOf(await zones.get('bob', zone))).toEqual(before)
      expect(dataOf(await zones.get('ada', zone))['status']).toBe('verified')
    })

    it('moves a contested zone, without its records, to the account that proves control; the former holder is pending', async () => {
      const zone = 'contested.com'
      await zones.claim('ada', zone)
      const www = { type: 'A', host: 'www', value: '192.0.2.1' }
      dataOf(await zones.call('ada', 'POST', `/${zone}/records`, www))
      const { value } = dataOf(await zones.claim('bob', zone))['verification'] as { value: string }
      expect((await zones.call('bob', 'GET', `/${zone}/records`)).status).toBe(403)

      zones.publish(zone, ['v=other', value])
      expect(dataOf(await zones.verify('bob', zone))).toEqual({
        zone,
        status: 'verified',
        matched: true,
        verified: true,
      })
      expect(dataOf(await zones.get('bob', zone))['verification']).toEqual({
        method: 'txt',
        verified: true,
        expected_ns,
      })
      const former = dataOf(await zones.get('ada', zone))
      expect(former).toEqual({ zone, status: 'pending', verification: txt(zone) })
      expect((former['verification'] as { value: string }).value).not.toBe(value)

      expect(dataOf(await zones.call('bob', 'GET', `/${zone}/records`))['records']).toEqual([])
      expect((await zones.call('ada', 'GET', `/${zone}/records`)).body['error']).toBe('forbidden_zone')
      expect((await zones.call('ada', 'POST', `/${zone}/records`, www)).body['error']).toBe('forbidden_zone')

      // The published value is no longer a proof: the former holder has a new value.
      expect(dataOf(await zones.verify('ada', zone))).toMatchObject({ status: 'pending', matched: false })
    })

    it('verifies a legacy claim by the live NS answers', async () => {
      const zone = 'legacy.com'
      await claimStore(zones.site.app.database).claimLegacy(zones.accounts.ada, zone)
      const pending = { verify_method: 'ns', verified: false, expected_ns }
      expect(dataOf(await zones.get('ada', zone))).toEqual({ zone, status: 'pending', verification: pending })
      zones.delegate(zone, 'ns1.svc.example')
      expect(dataOf(await zones.verify('ada', zone))).toMatchObject({
        status: 'pending',
        matched: false,
        verified: false,
        note: `${zone} is still pending: the NS records of ${zone} must be exactly ns1.svc.example and ns2.svc.example, but ${zones.resolver.address} found "ns1.svc.example".`,
        lookup: { type: 'NS', name: zone, expected: expected_ns, resolvers: [{ values: ['ns1.svc.example'] }] },
      })
      zones.delegate(zone, 'NS2.svc.example', 'ns1.svc.example')
      expect(dataOf(await zones.verify('ada', zone))).toEqual({
        zone,
        status: 'verified',
        matched: true,
        verified: true,
      })
      expect(dataOf(await zones.get('ada', zone))['verification']).toEqual({ ...pending, verified: true })
    })

    it.each(['home.lan', 'home.arpa', '1.168.192.in-addr.arpa'])(
      'names the operator for %s, which the public DNS does not have, and sends no DNS query',
      async (zone) => {
        const first = { zone, status: 'verified', verification: auto }
        expect(dataOf(await zones.claim('ada', zone))).toEqual(first)
        const note = expect.stringMatching(`control of ${zone}, .* svc dns assign ${zone} EMAIL\\.$`) as string
        const pending = { zone, status: 'pending', verification: { ...txt(zone), note } }
        expect(dataOf(await zones.claim('bob', zone))).toEqual(pending)
        const queries = zones.resolver.queries.length
        expect(dataOf(await zones.verify('bob', zone))).toEqual({
          zone,
          status: 'pending',
          matched: false,
          verified: false,
          note,
        })
        expect(zones.resolver.queries).toHaveLength(queries)
        await claimStore(zones.site.app.database).assign(zones.accounts.bob, zone)
        expect(dataOf(await zones.get('bob', zone))['status']).toBe('verified')
        expect(dataOf(await zones.get('ada', zone))).toEqual(pending)
      },
    )

    it('502 upstream_error with the zone when no resolver can be reached, and nothing changes', async () => {
      const zone = 'unreachable.com'
      await zones.claim('ada', zone)
      const before = dataOf(await zones.claim('bob', zone))
      const { database } = zones.site
      const lonely = await startApp('sqlite', { database, dns: dnsSettings([`127.0.0.1:${await freePort()}`]) })
      const answer = await lonely.call('POST', `/v1/dns/zones/${zone}/verify`, { token: zones.tokens.bob })
      expect([answer.status, answer.body['error'], answer.body['zone']]).toEqual([502, 'upstream_error', zone])
      expect(dataOf(await zones.get('bob', zone))).toEqual(before)
      await lonely.stop()
    })
  })

  it('verify leaves a verified zone unchanged, and sends no DNS query', async () => {
    const zone = 'idempotent.com'
    const before = dataOf(await zones.claim('ada', zone))
    const queries = zones.resolver.queries.length
    for (let time = 0; time < 2; time++)
      expect(dataOf(await zones.verify('ada', zone))).toEqual({
        zone,
        status: 'verified',
        matched: true,
        verified: true,
      })
    expect(zones.resolver.queries).toHaveLength(queries)
    expect(dataOf(await zones.get('ada', zone))).toEqual(before)
  })

  describe('release', () => {
    it('the release of a verified claim keeps the records for their owner, and for no other account', async () => {
      const zone = 'released.com'
      await zones.claim('ada', zone)
      const record = written(await zones.call('ada', 'POST', `/${zone}/records`, { type: 'TXT', value: 'kept' }))
      expect(dataOf(await zones.release('ada', zone))).toEqual({ zone, released: true })
      expect((await zones.get('ada', zone)).body['error']).toBe('forbidden_zone')
      expect((await zones.release('ada', zone)).body['error']).toBe('forbidden_zone')
      expect(dataOf(await zones.claim('bob', zone))).toMatchObject({ status: 'verified' })
      expect(dataOf(await zones.call('bob', 'GET', `/${zone}/records`))['records']).toEqual([])
      await zones.release('bob', zone)
      expect(dataOf(await zones.claim('ada', zone))).toMatchObject({ status: 'verified' })
      expect(dataOf(await zones.call('ada', 'GET', `/${zone}/records`))['records']).toEqual([record])
    })

    it('the release of a pending claim leaves the zone to its holder', async () => {
      const zone = 'withdrawn.com'
      await zones.claim('ada', zone)
      await zones.claim('bob', zone)
      expect(dataOf(await zones.release('bob', zone))).toEqual({ zone, released: true })
      expect((await zones.get('bob', zone)).body['error']).toBe('forbidden_zone')
      expect(dataOf(await zones.get('ada', zone))['status']).toBe('verified')
    })
  })

  describe('the list', () => {
    it("has the account's own claims, by name, filtered by status", async () => {
      await zones.claim('ada', 'c-list.com')
      for (const zone of ['c-list.com', 'a-list.com', 'b-list.com']) await zones.claim('cy', zone)
      const list = async (query: string) =>
        dataOf(await zones.call('cy', 'GET', query))['zones'] as Record<string, unknown>[]
      const [a, b] = ['a-list.com', 'b-list.com'].map((zone) => ({
        zone,
        status: 'verified',
        verification: auto,
        created_at: timestamp,
      }))
      const c = { zone: 'c-list.com', status: 'pending', verification: txt('c-list.com'), created_at: timestamp }
      expect(await list('')).toEqual([a, b, c])
      expect(await list('?status=all')).toEqual([a, b, c])
      expect(await list('?status=verified')).toEqual([a, b])
      expect(await list('?status=pending')).toEqual([c])
      expect((await zones.call('cy', 'GET', '?status=open')).body['error']).toBe('bad_request')
    })
  })
})
