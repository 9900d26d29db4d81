import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventReader } from '../../../../test/account-events.js'
import { databaseKinds } from '../../../../test/app.js'
import { dataOf, startZoneSite, type ZoneSite } from '../../../../test/zone-site.js'
import { claimStore } from './store.js'

describe.each(databaseKinds)('the events of claims on %s', (kind) => {
  let zones: ZoneSite
  let ada: Awaited<ReturnType<typeof eventReader>>
  let bob: Awaited<ReturnType<typeof eventReader>>
  beforeAll(async () => {
    zones = await startZoneSite(kind)
    ada = await eventReader(zones.site, zones.accounts.ada)
    bob = await eventReader(zones.site, zones.accounts.bob)
  })
  afterAll(() => zones.stop())

  it('show a pending claim that was requested and withdrawn, without its TXT value, to its account alone', async () => {
    const zone = 'contested.com'
    await zones.claim('ada', zone)
    await ada.fresh()
    const claim = dataOf(await zones.claim('bob', zone))
    await zones.claim('bob', zone)
    dataOf(await zones.release('bob', zone))
    expect((await zones.release('bob', zone)).status).toBe(403)
    expect((await zones.claim('bob', 'www.contested.com')).status).toBe(400)
    const all = await bob.fresh()
    expect(all.map(({ action, object, actor }) => [action, object, actor.kind])).toEqual([
      ['claim_request', zone, 'token'],
      ['claim_withdraw', zone, 'token'],
    ])
    expect(JSON.stringify(all)).not.toContain((claim['verification'] as { value: string }).value)
    expect(await ada.fresh()).toEqual([])
  })

  it('a claim that is verified at once is a change of its zone alone', async () => {
    await zones.claim('ada', 'own.com')
    await zones.release('ada', 'own.com')
    expect((await ada.fresh()).map(({ action }) => action)).toEqual(['zone_claim', 'zone_release'])
  })

  it('a legacy claim has the command of the operator', async () => {
    const account = { ...zones.accounts.bob, actor: { ...zones.accounts.bob.actor, name: 'svc dns claim-legacy' } }
    await claimStore(zones.site.app.database).claimLegacy(account, 'legacy.com')
    expect((await bob.fresh()).map(({ action, actor }) => [action, actor.name])).toEqual([
      ['claim_request', 'svc dns claim-legacy'],
    ])
  })
})
