import { ApiError } from '@svc/contract/errors'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeDns } from '../../../../test/fake-dns.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import type { Account } from '../../../shared/account.js'
import type { RRset } from '../../../ports/dns/port.js'
import type { Claim } from '../claims/claim.js'
import { claimStore, type ClaimStore } from '../claims/store.js'
import { recordStore } from '../records/store.js'
import { zoneStore } from './zone-store.js'
import { selectPublisher } from './select.js'
import { dnsStores } from '../stores.js'
import { requestZoneLock } from './zone-lock.js'

/** The zones that are served once a claim is verified. */

let site: TwoProcesses
let claims: ClaimStore
let ada: Account
let bob: Account
beforeAll(async () => {
  site = await twoProcesses('sqlite')
  claims = claimStore(site.db)
  ;[ada, bob] = site.people as [Account, Account]
})
afterAll(() => site.stop())

const add = (account: Account, name: string, value: string) =>
  recordStore(site.db, { recordsMax: 10, zoneBytesMax: 1000 }).apply(
    account,
    name,
    { kind: 'create', record: { type: 'A', host: '@', value, ttl: 60, priority: null } },
    new Date().toISOString(),
  )

let dns: FakeDns
const notRestored: string[] = []
function serving(isExternal: boolean, store: ClaimStore = claims) {
  dns = new FakeDns(isExternal)
  const terms = { isHeldByOperator: false }
  const publisher = selectPublisher(dns, {
    stores: { ...dnsStores(site.db, { recordsMax: 10, zoneBytesMax: 10_000, zonesMax: Infinity }), claims: store },
    withZoneLock: requestZoneLock(site.db.withLock),
    notePublished: undefined,
    reportRestoreFailed: (name) => notRestored.push(name),
  })
  return {
    claim: (account: Account, name: string) => publisher.claim(account, name, terms),
    verify: (account: Account, proven: Claim) => publisher.verify(account, proven, terms),
    assign: (account: Account, name: string) => publisher.assign(account, name),
  }
}

let zones = 0
let zone: string
beforeEach(() => {
  zone = `zone${++zones}.example`
})

describe('the embedded nameserver', () => {
  it('serves a new zone once it is claimed; further claims do not change it', async () => {
    const { claim } = serving(false)
    expect(await claim(ada, zone)).toMatchObject({ status: 'verified' })
    expect(dns.held.get(zone)).toMatchObject({ zone, rrsets: [] })
    await claim(ada, zone)
    await claim(bob, zone)
    expect(dns.calls).toEqual([`set ${zone}`])
  })

  it('serves the records of the new holder of a zone', async () => {
    const { claim, verify } = serving(false)
    await claim(ada, zone)
    await add(ada, zone, '192.0.2.1')
    const contest = await claim(bob, zone)
    expect(await verify(bob, contest)).toMatchObject({ status: 'verified' })
    expect(dns.held.get(zone)).toMatchObject({ holder: bob.id, rrsets: [] })
    await claims.release(bob, zone)
    await claims.release(ada, zone)
    await claim(ada, zone)
    expect(dns.held.get(zone)).toMatchObject({ holder: ada.id, rrsets: [{ records: [{ value: '192.0.2.1' }] }] })
  })

  it('serves a new zone once its legacy claim is verified', async () => {
    const { verify } = serving(false)
    const legacy = await claims.claimLegacy(ada, zone)
    expect(await verify(ada, legacy)).toMatchObject({ status: 'verified', method: 'ns' })
    expect(dns.calls).toEqual([`set ${zone}`])
  })
})

it.each([
  ['the embedded nameserver', false],
  ['an external provider', true],
])('%s serves a zone that the operator assigns, with the records of the account', async (_, external) => {
  const { claim, assign } = serving(external)
  await claim(bob, zone)
  expect(await assign(ada, zone)).toMatchObject({ status: 'verified' })
  expect(dns.held.get(zone)).toMatchObject({ holder: ada.id })
  expect(await claims.find(bob, zone)).toMatchObject({ status: 'pending' })
})

describe('an external provider', () => {
  it('gets a zone that it does not know, with the records of its new holder', async () => {
    const { claim } = serving(true)
    expect(await claim(ada, zone)).toMatchObject({ status: 'verified' })
    expect(dns.held.get(zone)).toMatchObject({ holder: ada.id, rrsets: [] })
    await add(ada, zone, '192.0.2.1')
    await claims.release(ada, zone)
    dns.held.clear()
    await claim(ada, zone)
    expect(dns.held.get(zone)).toMatchObject({ rrsets: [{ records: [{ value: '192.0.2.1' }] }] })
  })

  it('keeps its records of a zone that the same account claims again', async () => {
    const { claim } = serving(true)
    await claim(ada, zone)
    await claims.release(ada, zone)
    const ahead = { zone, serial: 9, rrsets: [] }
    dns.held.set(zone, ahead)
    await claim(ada, zone)
    expect(dns.held.get(zone)).toBe(ahead)
  })

  it('gets the records of the next account that claims a released zone', async () => {
    const { claim } = serving(true)
    await claim(ada, zone)
    await add(ada, zone, '192.0.2.1')
    const { serial } = await zoneStore(site.db).contents(zone)
    await claims.release(ada, zone)
    await claim(bob, zone)
    expect(dns.held.get(zone)).toEqual({ zone, serial: serial + 2, holder: bob.id, owner: bob.id, rrsets: [] })
    expect(await zoneStore(site.db).contents(zone)).toEqual(dns.held.get(zone))
  })

  it('is not called for a contested or an existing claim', async () => {
    const { claim } = serving(true)
    await claims.claim(ada, zone)
    expect(await claim(ada, zone)).toMatchObject({ status: 'verified' })
    expect(await claim(bob, zone)).toMatchObject({ status: 'pending' })
    expect(dns.calls).toEqual([])
  })

  it('leaves no claim behind when it fails; the next attempt succeeds', async () => {
    const { claim } = serving(true)
    dns.broken = true
    await expect(claim(ada, zone)).rejects.toMatchObject({ code: 'upstream_error' })
    expect(await claims.find(ada, zone)).toBeUndefined()
    dns.broken = false
    expect(await claim(ada, zone)).toMatchObject({ status: 'verified' })
  })

  it('leaves the zone to its holder when it fails at a verification', async () => {
    const { verify } = serving(true)
    await claims.claim(ada, zone)
    const { claim: contest } = await claims.claim(bob, zone)
    dns.broken = true
    await expect(verify(bob, contest)).rejects.toMatchObject({ code: 'upstream_error' })
    expect(await claims.find(ada, zone)).toMatchObject({ status: 'verified' })
    expect(await claims.find(bob, zone)).toEqual(contest)
    dns.broken = false
    expect(await verify(bob, contest)).toMatchObject({ status: 'verified' })
    expect(dns.held.has(zone)).toBe(true)
  })

  it('is restored when the commit of a new holder fails', async () => {
    const failing = { ...claims, verify: () => Promise.reject(new Error('disk full')) }
    const { claim, verify } = serving(true, failing)
    await claim(ada, zone)
    await add(ada, zone, '192.0.2.1')
    const contest = await claim(bob, zone)
    await expect(verify(bob, contest)).rejects.toThrow('disk full')
    expect(dns.calls.filter((call) => call.startsWith('set'))).toHaveLength(3)
    expect(dns.held.get(zone)).toMatchObject({ holder: ada.id, rrsets: [{ records: [{ value: '192.0.2.1' }] }] })
  })

  it('is restored when the claim has changed in the meantime, and a failed restore is reported', async () => {
    const { claim, verify } = serving(true, {
      ...claims,
      verify: async (...args) => {
        dns.broken = broken
        return claims.verify(...args)
      },
    })
    let broken = false
    await claim(ada, zone)
    const contest = await claim(bob, zone)
    await claims.release(bob, zone)
    await claims.claim(bob, zone)
    expect(await verify(bob, contest)).toMatchObject({ status: 'pending' })
    expect(dns.held.get(zone)).toMatchObject({ holder: ada.id })
    expect(notRestored).toEqual([])
    broken = true
    expect(await verify(bob, contest)).toMatchObject({ status: 'pending' })
    expect(notRestored).toEqual([zone])
  })

  it('serves a claim that was committed although the answer of the database was lost', async () => {
    const { claim, verify } = serving(true, {
      ...claims,
      claim: async (...args) => {
        await claims.claim(...args)
        throw new Error('Connection terminated unexpectedly')
      },
      verify: async (...args) => {
        await claims.verify(...args)
        throw new Error('Connection terminated unexpectedly')
      },
    })
    expect(await claim(ada, zone)).toMatchObject({ status: 'verified' })
    await add(ada, zone, '192.0.2.1')
    const { claim: contest } = await claims.claim(bob, zone)
    expect(await verify(bob, contest)).toMatchObject({ status: 'verified' })
    expect(dns.held.get(zone)).toMatchObject({ holder: bob.id, rrsets: [] })
  })

  it('is left as it is when the outcome of a commit cannot be determined, and that is reported', async () => {
    const lost = () => Promise.reject(new Error('Connection terminated unexpectedly'))
    const { claim } = serving(true, { ...claims, claim: lost, findSettled: lost })
    notRestored.length = 0
    await expect(claim(ada, zone)).rejects.toThrow('Connection terminated')
    expect(notRestored).toEqual([zone])
    expect(dns.held.has(zone)).toBe(true)
  }, 20_000)

  describe('with a zone that svc did not create', () => {
    const proven = async (account: Account) => (await claims.claim(account, zone, { isHeldByOperator: true })).claim
    const records = (): RRset[] => [
      { name: `www.${zone}`, type: 'A', ttl: 300, records: [{ value: '192.0.2.1', priority: null }] },
      { name: zone, type: 'MX', ttl: 300, records: [{ value: `mail.${zone}`, priority: 10 }] },
    ]
    const changes = () => dns.calls.filter((call) => !call.startsWith('mark of'))

    it('keeps it unchanged when an account claims it or a zone below it; the claim is pending', async () => {
      const { claim } = serving(true)
      dns.foreign.set(zone, records())
      expect(await claim(ada, zone)).toMatchObject({ status: 'pending', method: 'txt' })
      dns.foreign.set('20.10.in-addr.arpa', [])
      expect(await claim(bob, '30.20.10.in-addr.arpa')).toMatchObject({ status: 'pending', method: 'txt' })
      expect(changes()).toEqual([])
    })

    it('keeps its records for the account that proves control by TXT', async () => {
      const { verify } = serving(true)
      dns.foreign.set(zone, records())
      expect(await verify(ada, await proven(ada))).toMatchObject({ status: 'verified' })
      expect(changes()).toEqual([`mark ${zone}`, `set ${zone}`])
      expect(dns.held.get(zone)?.rrsets).toHaveLength(2)
    })

    it('gives it to the account even if the provider fails after the commit, and reports that', async () => {
      const { verify } = serving(true)
      dns.foreign.set(zone, records())
      dns.mark = () => Promise.reject(new ApiError('upstream_error', 'The DNS provider is down.'))
      notRestored.length = 0
      expect(await verify(ada, await proven(ada))).toMatchObject({ status: 'verified' })
      expect(notRestored).toEqual([zone])
    })

    it('names the claimed zone when the look-up of a zone above it fails', async () => {
      const { claim } = serving(true)
      const markOf = dns.markOf.bind(dns)
      dns.markOf = (name) =>
        name === zone ? markOf(name) : Promise.reject(new ApiError('upstream_error', 'down', { zone: name }))
      await expect(claim(ada, zone)).rejects.toMatchObject({ code: 'upstream_error', extra: { zone } })
    })

    it("requires a TXT record, because NS answers prove only the operator's control", async () => {
      const { verify } = serving(true)
      dns.foreign.set(zone, records())
      const legacy = await claims.claimLegacy(ada, zone)
      expect(await verify(ada, legacy)).toMatchObject({ status: 'pending', method: 'txt' })
      expect(changes()).toEqual([])
    })

    it('keeps it unchanged when one of its records cannot be taken over', async () => {
      const { verify } = serving(true)
      dns.foreign.set(zone, [{ ...records()[0]!, type: 'CNAME', name: zone }])
      await expect(verify(ada, await proven(ada))).rejects.toMatchObject({ code: 'upstream_error', extra: { zone } })
      expect(changes()).toEqual([])
      expect(await claims.find(ada, zone)).toMatchObject({ status: 'pending' })
    })

    it('keeps it unchanged when the operator assigns it, which would empty it', async () => {
      const { assign } = serving(true)
      dns.foreign.set(zone, records())
      await expect(assign(ada, zone)).rejects.toThrow('svc dns adopt')
      expect(changes()).toEqual([])
    })
  })

  it('gets a zone once when several accounts claim it in parallel', async () => {
    const { claim } = serving(true)
    const results = await Promise.all(site.people.map((account) => claim(account, zone)))
    expect(results.filter(({ status }) => status === 'verified')).toHaveLength(1)
    expect(dns.calls.filter((call) => call.startsWith('set'))).toEqual([`set ${zone}`])
  })
})
