import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import type { Claim } from './claim.js'
import { claimStore, type ClaimStore } from './store.js'

/** Concurrent claims: two accounts never hold one zone, through any number of processes. */

const allClaims = prepared((db, p: { zone: string }) =>
  db.selectFrom('dns_claim').where('zone', '=', p.zone).select(['status', 'method']),
)

describe.each(databaseKinds)('concurrent claims on %s', (kind) => {
  let site: TwoProcesses
  let claims: ClaimStore
  let others: ClaimStore
  beforeAll(async () => {
    site = await twoProcesses(kind)
    claims = claimStore(site.db)
    others = claimStore(site.otherDb)
  })
  afterAll(() => site.stop())

  const claimsOn = async (zone: string) =>
    (await site.db.all(allClaims, { zone })).map(({ status, method }) => `${status} ${method}`)

  const fromBoth = <R>(act: (store: ClaimStore, account: Account, i: number) => Promise<R>) =>
    Promise.all(site.people.map((account, i) => act(i % 2 === 0 ? claims : others, account, i)))

  it('40 accounts claim one zone at once: exactly one is verified', async () => {
    const claimed = await fromBoth((store, account) => store.claim(account, 'race.example'))
    expect(claimed.filter(({ claim }) => claim.status === 'verified')).toHaveLength(1)
    expect(claimed.filter(({ isNewlyVerified }) => isNewlyVerified)).toHaveLength(1)
    expect((await claimsOn('race.example')).sort()).toEqual([...Array(39).fill('pending txt'), 'verified auto'])
  })

  it('one account claims one zone 40 times at once: one claim is created', async () => {
    const claimed = await fromBoth((store) => store.claim(site.people[0] as Account, 'self.example'))
    expect(new Set(claimed.map(({ claim }) => JSON.stringify(claim))).size).toBe(1)
    expect(claimed.filter(({ isNewlyVerified }) => isNewlyVerified)).toHaveLength(1)
    expect(await claimsOn('self.example')).toEqual(['verified auto'])
  })

  it.each([
    [['30.in-addr.arpa', '1.30.in-addr.arpa', '2.1.30.in-addr.arpa', '1.2.1.30.in-addr.arpa']],
    [['race.io', 'shop.cust.prod.race.io', 'a.shop.cust.prod.race.io']],
  ])('zones above each other are claimed at once: exactly one is verified: %j', async (nested) => {
    const claimed = await fromBoth((store, account, i) => store.claim(account, nested[i % nested.length] ?? ''))
    expect(claimed.filter(({ claim }) => claim.status === 'verified')).toHaveLength(1)
  })

  it('40 accounts prove control at once: exactly one is verified at the end', async () => {
    await fromBoth((store, account) => store.claim(account, 'proofs.example'))
    const contests = await Promise.all(site.people.map((account) => claims.find(account, 'proofs.example')))
    const results = await fromBoth((store, account, i) => store.verify(account, contests[i] as Claim))
    expect(results).toHaveLength(40)
    expect((await claimsOn('proofs.example')).filter((state) => state.startsWith('verified'))).toHaveLength(1)
  })
})
