import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { dataOf, expected_ns, startZoneSite, type ZoneSite } from '../../../../test/zone-site.js'
import { claimStore } from './store.js'
import { reservedStore } from './reserved-store.js'

/** Zones of the operator: the first claim of an account is not verified at once. */

describe.each(databaseKinds)('zones of the operator on %s', (kind) => {
  let zones: ZoneSite
  beforeAll(async () => {
    zones = await startZoneSite(kind, { publicUrl: 'https://api.public.example', sitesDomain: 'sites.example.org' })
  })
  afterAll(() => zones.stop())

  const reserved = () => reservedStore(zones.site.app.database)
  const claims = () => claimStore(zones.site.app.database)
  const pending = (zone: string) => ({
    zone,
    status: 'pending',
    verification: {
      method: 'txt',
      verified: false,
      name: `_svcdns-verify.${zone}`,
      expected_ns,
      value: expect.stringMatching(/^[\w-]{32,}$/) as string,
    },
  })

  it.each(['svc.example', 'public.example', 'example.org', 'SVC.example.'])(
    '%s, at or above a name of the server, is pending with a TXT challenge for every account',
    async (given) => {
      const zone = given.toLowerCase().replace(/\.$/, '')
      for (const who of ['ada', 'bob'] as const) {
        expect(dataOf(await zones.claim(who, given))).toEqual(pending(zone))
        expect((await zones.call(who, 'POST', `/${zone}/records`, { type: 'A', value: '192.0.2.1' })).status).toBe(403)
        await zones.release(who, zone)
      }
    },
  )

  it('zones of the operator go to the account that proves control', async () => {
    const { verification } = dataOf(await zones.claim('bob', 'public.example')) as { verification: { value: string } }
    expect(dataOf(await zones.verify('bob', 'public.example'))).toMatchObject({ matched: false })
    zones.publish('public.example', [verification.value])
    expect(dataOf(await zones.verify('bob', 'public.example'))).toMatchObject({ matched: true, status: 'verified' })
    await zones.release('bob', 'public.example')
    expect(dataOf(await zones.claim('ada', 'public.example'))).toMatchObject({ status: 'pending' })
  })

  it('zones of the operator go to the account that they are assigned to; later claims of other accounts are pending', async () => {
    const zone = 'svc.example'
    await claims().assign(zones.accounts.ada, zone)
    const shown = { method: 'txt', verified: true, expected_ns }
    expect(dataOf(await zones.get('ada', zone))).toEqual({ zone, status: 'verified', verification: shown })
    dataOf(await zones.call('ada', 'POST', `/${zone}/records`, { type: 'A', host: 'ns1', value: '192.0.2.53' }))
    expect(dataOf(await zones.claim('bob', zone))).toMatchObject({ status: 'pending' })

    await claims().assign(zones.accounts.bob, zone)
    expect(dataOf(await zones.get('ada', zone))).toEqual(pending(zone))
    expect(dataOf(await zones.call('bob', 'GET', `/${zone}/records`))['records']).toEqual([])
    await zones.release('bob', zone)
    expect(dataOf(await zones.claim('cy', zone))).toMatchObject({ status: 'pending' })
  })

  it('zones can be reserved and unreserved by name; a repetition is a no-op', async () => {
    expect(await reserved().add('kept.com')).toBe(true)
    expect(await reserved().add('kept.com')).toBe(false)
    expect(await reserved().list()).toEqual(['kept.com'])
    expect(dataOf(await zones.claim('ada', 'kept.com'))).toEqual(pending('kept.com'))
    expect(await reserved().remove('kept.com')).toBe(true)
    expect(await reserved().remove('kept.com')).toBe(false)
    await zones.release('ada', 'kept.com')
    expect(dataOf(await zones.claim('bob', 'kept.com'))).toMatchObject({ status: 'verified' })
  })

  it('zones are reserved with the reverse zones above and below', async () => {
    await reserved().add('2.0.192.in-addr.arpa')
    for (const zone of ['192.in-addr.arpa', '2.0.192.in-addr.arpa', '7.2.0.192.in-addr.arpa'])
      expect(dataOf(await zones.claim('ada', zone))).toEqual(pending(zone))
    expect(dataOf(await zones.claim('ada', '3.0.192.in-addr.arpa'))).toMatchObject({ status: 'verified' })
  })

  it('zones of the operator are not proven by their delegation: a legacy claim is rejected, or requires a TXT record', async () => {
    const terms = { isHeldByOperator: true }
    await expect(claims().claimLegacy(zones.accounts.ada, 'own.net', terms)).rejects.toThrow('kept for the operator')
    await claims().claimLegacy(zones.accounts.ada, 'own.net')
    await reserved().add('own.net')
    await expect(claims().claimLegacy(zones.accounts.bob, 'own.net')).rejects.toThrow('kept for the operator')
    zones.delegate('own.net', ...expected_ns)
    const note =
      'own.net is still pending: the challenge changed during the look-up. Get the zone for the new challenge.'
    expect(dataOf(await zones.verify('ada', 'own.net'))).toMatchObject({ matched: false, status: 'pending', note })
    expect(dataOf(await zones.get('ada', 'own.net'))).toEqual(pending('own.net'))
  })

  it('zones are logged at the start if an account verified them before they were reserved, until they are assigned', async () => {
    await zones.claim('cy', 'before.com')
    await reserved().add('before.com')
    const warned = async () => {
      const next = await zones.site.another()
      await next.stop()
      return next.log.map((line) => JSON.parse(line) as Record<string, string>).filter(({ zone }) => zone !== undefined)
    }
    expect(await warned()).toMatchObject([{ zone: 'before.com', account: 'cy@example.com', level: 40 }])
    await claims().assign(zones.accounts.cy, 'before.com')
    expect(await warned()).toEqual([])
  }, 30_000)
})
