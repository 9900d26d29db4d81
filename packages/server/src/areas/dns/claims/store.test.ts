import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import type { Claim } from './claim.js'
import { claimStore, type ClaimStore } from './store.js'

/** Claims in the database (specification, section 3). */

const allClaims = prepared((db, p: { zone: string }) =>
  db.selectFrom('dns_claim').where('zone', '=', p.zone).select(['status', 'method']).orderBy('id'),
)
const allZones = prepared((db, _: object) => db.selectFrom('dns_zone').selectAll().orderBy('version'))

describe.each(databaseKinds)('claims on %s', (kind) => {
  let site: TwoProcesses
  let claims: ClaimStore
  let ada: Account
  let bob: Account
  let cy: Account
  let dee: Account

  beforeAll(async () => {
    site = await twoProcesses(kind)
    claims = claimStore(site.db)
    ;[ada, bob, cy, dee] = site.people as [Account, Account, Account, Account]
  })
  afterAll(() => site.stop())

  const claimsOn = async (zone: string) =>
    (await site.db.all(allClaims, { zone })).map(({ status, method }) => `${status} ${method}`)
  const served = async (zone: string) => (await site.db.all(allZones, {})).filter(({ name }) => name === zone)
  /** Verifies the account's claim as if a look-up had proven it. */
  const prove = async (account: Account, zone: string) =>
    (await claims.verify(account, (await claims.find(account, zone)) as Claim)).claim

  describe('claim', () => {
    it('is verified at once if it is the first, and returns that it is newly verified', async () => {
      const before = Math.floor(Date.now() / 1000)
      const { claim, isNewlyVerified } = await claims.claim(ada, 'first.example')
      expect(claim).toMatchObject({ zone: 'first.example', status: 'verified', method: 'auto', txtValue: null })
      expect(Math.abs(claim.createdAt - Date.now())).toBeLessThan(60_000)
      expect(isNewlyVerified).toBe(true)
      const [zone] = await served('first.example')
      expect(zone).toMatchObject({ holder_id: ada.id, content_bytes: 0, last_record_id: 0 })
      expect(zone!.serial).toBeGreaterThanOrEqual(before)
    })

    it('is pending if another account has claimed the zone: each with a separate TXT value', async () => {
      await claims.claim(ada, 'later.example')
      const { claim: bobs, isNewlyVerified } = await claims.claim(bob, 'later.example')
      const { claim: cys } = await claims.claim(cy, 'later.example')
      expect(isNewlyVerified).toBe(false)
      expect(bobs).toMatchObject({ status: 'pending', method: 'txt', txtValue: expect.stringMatching(/^[\w-]{32,}$/) })
      expect(cys.txtValue).not.toBe(bobs.txtValue)
    })

    it('is pending also if the other claim is pending', async () => {
      await claims.claimLegacy(ada, 'legacy-first.example')
      expect((await claims.claim(bob, 'legacy-first.example')).claim).toMatchObject({
        status: 'pending',
        method: 'txt',
      })
      expect(await served('legacy-first.example')).toEqual([])
    })

    it('leaves an existing claim unchanged, even if it is no longer contested', async () => {
      await claims.claim(ada, 'again.example')
      const { claim: pending } = await claims.claim(bob, 'again.example')
      await claims.release(ada, 'again.example')
      expect(await claims.claim(bob, 'again.example')).toEqual({ claim: pending, isNewlyVerified: false })
      const { claim: verified } = await claims.claim(cy, 'own.example')
      expect(await claims.claim(cy, 'own.example')).toEqual({ claim: verified, isNewlyVerified: false })
    })

    it('gives a released zone to the next account: serial and version increase, as with the release', async () => {
      await claims.claim(ada, 'left.example')
      const [created] = await served('left.example')
      await claims.release(ada, 'left.example')
      const [left] = await served('left.example')
      expect(left).toMatchObject({ serial: created!.serial + 1, holder_id: ada.id })
      expect(left!.version).toBeGreaterThan(created!.version)
      expect(await claims.claim(bob, 'left.example')).toMatchObject({
        claim: { status: 'verified' },
        isNewlyVerified: true,
      })
      const [given] = await served('left.example')
      expect(given).toMatchObject({ serial: created!.serial + 2, holder_id: bob.id })
      expect(given!.version).toBeGreaterThan(left!.version)
    })

    it('gives every new zone a unique version', async () => {
      const zones = Array.from({ length: 20 }, (_, i) => `version${i}.example`)
      await Promise.all(zones.map((zone, i) => (i % 2 === 0 ? claims : claimStore(site.otherDb)).claim(ada, zone)))
      const versions = (await site.db.all(allZones, {})).map(({ version }) => version)
      expect(new Set(versions).size).toBe(versions.length)
    })

    it('isFree is true until the zone is claimed', async () => {
      expect(await claims.isFree(ada, 'free.example')).toBe(true)
      await claims.claim(ada, 'free.example')
      expect(await claims.isFree(ada, 'free.example')).toBe(false)
      expect(await claims.isFree(bob, 'free.example')).toBe(false)
    })
  })

  describe('zones above each other', () => {
    it.each([
      ['above', 'thingdust.io', 'shop.cust.prod.thingdust.io'],
      ['below', 'shop.cust.testing.dust.io', 'dust.io'],
      ['above', '10.in-addr.arpa', '1.10.in-addr.arpa'],
      ['below', '2.1.11.in-addr.arpa', '11.in-addr.arpa'],
      ['above, by nibbles', '8.b.d.0.1.0.0.2.ip6.arpa', '1.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
      ['below, by nibbles', '1.9.b.d.0.1.0.0.2.ip6.arpa', '9.b.d.0.1.0.0.2.ip6.arpa'],
    ])('zones are contested by a claim %s', async (_where, first, second) => {
      expect((await claims.claim(ada, first)).claim.status).toBe('verified')
      expect((await claims.claim(bob, second)).claim).toMatchObject({ status: 'pending', method: 'txt' })
      expect((await claims.claim(ada, second)).claim.status).toBe('pending')
    })

    it('zones are not contested by zones beside them, nor by their holder', async () => {
      expect((await claims.claim(ada, 'one.cust.dev.beside.io')).claim.status).toBe('verified')
      expect((await claims.claim(bob, 'two.cust.dev.beside.io')).claim.status).toBe('verified')
      expect((await claims.claim(cy, 'xbeside.io')).claim.status).toBe('verified')
      expect((await claims.claim(ada, 'own.io')).claim.status).toBe('verified')
      expect((await claims.claim(ada, 'shop.cust.own.io')).claim.status).toBe('verified')
      expect((await claims.claim(ada, '12.in-addr.arpa')).claim.status).toBe('verified')
      expect((await claims.claim(ada, '1.12.in-addr.arpa')).claim.status).toBe('verified')
      expect((await claims.claim(bob, '112.in-addr.arpa')).claim.status).toBe('verified')
      expect((await claims.claim(bob, '2.in-addr.arpa')).claim.status).toBe('verified')
      expect((await claims.claim(cy, '12.ip6.arpa')).claim.status).toBe('verified')
    })

    it.each([
      ['21.in-addr.arpa', '7.21.in-addr.arpa'],
      ['proven.io', 'shop.cust.prod.proven.io'],
    ])('a proof for %s takes %s from an account that has proven nothing', async (above, below) => {
      await claims.claim(ada, below)
      const [before] = await served(below)
      await claims.claim(bob, above)
      await prove(bob, above)
      expect(await claims.find(bob, above)).toMatchObject({ status: 'verified' })
      expect(await claims.find(ada, below)).toMatchObject({ status: 'pending', method: 'txt' })
      // Other processes have to learn that no account has verified it.
      const [after] = await served(below)
      expect(after).toMatchObject({ serial: before!.serial + 1, holder_id: ada.id })
      expect(after!.version).toBeGreaterThan(before!.version)
    })

    it.each([
      ['20.in-addr.arpa', '5.20.in-addr.arpa'],
      ['landlord.io', 'tenant.cust.prod.landlord.io'],
    ])('a proof for %s or for %s leaves the other, proven or above, verified', async (above, below) => {
      await claims.claim(ada, above)
      const [before] = await served(above)
      await claims.claim(bob, below)
      await prove(bob, below)
      expect(await claims.find(bob, below)).toMatchObject({ status: 'verified' })
      expect(await claims.find(ada, above)).toMatchObject({ status: 'verified', method: 'auto' })
      expect(await served(above)).toEqual([before])
      await claims.claim(cy, above)
      await prove(cy, above)
      expect(await claims.find(ada, above)).toMatchObject({ status: 'pending' })
      expect(await claims.find(bob, below)).toMatchObject({ status: 'verified', method: 'txt' })
    })
  })

  describe('verify', () => {
    it('moves the zone: the former holder is pending with a new value, and the serial increases', async () => {
      await claims.claim(ada, 'move.example')
      const [zone] = await served('move.example')
      const { claim: contest } = await claims.claim(bob, 'move.example')
      expect(await claims.verify(bob, contest)).toEqual({
        claim: { ...contest, status: 'verified', txtValue: null },
        isNewlyVerified: true,
      })
      const former = await claims.find(ada, 'move.example')
      expect(former).toMatchObject({
        status: 'pending',
        method: 'txt',
        txtValue: expect.stringMatching(/^[\w-]{32,}$/),
      })
      expect(former!.txtValue).not.toBe(contest.txtValue)
      expect(await served('move.example')).toMatchObject([{ serial: zone!.serial + 1, holder_id: bob.id }])
    })

    it('creates the zone if no account had it verified before', async () => {
      const legacy = await claims.claimLegacy(ada, 'moved-in.example')
      expect(legacy).toMatchObject({ status: 'pending', method: 'ns', txtValue: null })
      expect(await claims.verify(ada, legacy)).toMatchObject({
        claim: { status: 'verified', method: 'ns' },
        isNewlyVerified: true,
      })
      expect(await served('moved-in.example')).toMatchObject([{ holder_id: ada.id }])
    })

    it('leaves pending claims of others unchanged, except legacy ones, whose proof no longer identifies the owner', async () => {
      await claims.claimLegacy(ada, 'sold.example')
      const { claim: bobs } = await claims.claim(bob, 'sold.example')
      const { claim: cys } = await claims.claim(cy, 'sold.example')
      await claims.verify(bob, bobs)
      expect(await claimsOn('sold.example')).toEqual(['pending txt', 'verified txt', 'pending txt'])
      expect(await claims.find(cy, 'sold.example')).toEqual(cys)
    })

    it('is a no-op for a claim that is verified, or that requires another value by now', async () => {
      const { claim: adas } = await claims.claim(ada, 'stale.example')
      expect(await claims.verify(ada, adas)).toEqual({ claim: adas, isNewlyVerified: false })
      expect(await claims.findSettled(ada, adas.zone)).toEqual(adas)
      expect(await claims.findSettled(ada, 'unclaimed.example')).toBe(undefined)
      const { claim: stale } = await claims.claim(bob, 'stale.example')
      await claims.release(bob, 'stale.example')
      const { claim: fresh } = await claims.claim(bob, 'stale.example')
      expect(await claims.verify(bob, stale)).toEqual({ claim: fresh, isNewlyVerified: false })
      expect(await claimsOn('stale.example')).toEqual(['verified auto', 'pending txt'])
    })

    it('throws forbidden_zone for a claim that was released meanwhile, and the holder keeps the zone', async () => {
      await claims.claim(ada, 'gone.example')
      const { claim: gone } = await claims.claim(bob, 'gone.example')
      await claims.release(bob, 'gone.example')
      await expect(claims.verify(bob, gone)).rejects.toMatchObject({
        code: 'forbidden_zone',
        extra: { zone: 'gone.example' },
      })
      expect(await claimsOn('gone.example')).toEqual(['verified auto'])
    })
  })

  describe('claims of an account', () => {
    it('the claims of an account are listed by name, filtered by status', async () => {
      await claims.claim(ada, 'b.list.example')
      for (const zone of ['c.list.example', 'b.list.example', 'a.list.example']) await claims.claim(dee, zone)
      const names = async (status: 'all' | 'verified' | 'pending') =>
        (await claims.list(dee, status)).map(({ zone }) => zone)
      expect(await names('all')).toEqual(['a.list.example', 'b.list.example', 'c.list.example'])
      expect(await names('verified')).toEqual(['a.list.example', 'c.list.example'])
      expect(await names('pending')).toEqual(['b.list.example'])
    })

    it('the claims of an account are released by that account only', async () => {
      await claims.claim(ada, 'kept.example')
      await expect(claims.release(bob, 'kept.example')).rejects.toMatchObject({ code: 'forbidden_zone' })
      await claims.claim(bob, 'kept.example')
      await claims.release(bob, 'kept.example')
      expect(await claims.find(bob, 'kept.example')).toBeUndefined()
      expect(await claimsOn('kept.example')).toEqual(['verified auto'])
    })
  })

  describe('legacy claims', () => {
    it('legacy claims are rejected if the account has a claim, or another account has the zone', async () => {
      await claims.claim(ada, 'taken.example')
      await expect(claims.claimLegacy(ada, 'taken.example')).rejects.toThrow(
        'taken.example has a verified claim of this account.',
      )
      await expect(claims.claimLegacy(bob, 'taken.example')).rejects.toThrow(
        'taken.example is verified for another account',
      )
      expect(await claimsOn('taken.example')).toEqual(['verified auto'])
    })
  })
})
