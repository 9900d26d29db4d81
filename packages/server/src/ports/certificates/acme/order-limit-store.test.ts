import { beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { orderLimitStore, type OrderLimitStore } from './order-limit-store.js'
import type { OverLimit } from './order-limits.js'

/** How many certificates accounts may have, and order. */

const now = Date.UTC(2026, 10, 27)
const hour = 3_600_000
const limits = { accountOrders: 5, domainOrders: 3, certificates: 100 }
const certificate = { chain: null, zone: 'example.com' }

describe.each(databaseKinds)('the limits of orders on %s', (kind) => {
  let place: TwoProcesses
  let store: OrderLimitStore
  let accountId: number
  let otherId: number
  let id: number
  beforeEach(async () => {
    place = await twoProcesses(kind)
    store = orderLimitStore(place.db, limits)
    ;[accountId, otherId] = place.people.map((account) => account.id) as [number, number]
    id = 1
    return () => place.stop()
  })

  const order = (fields: object = {}, at = now) => store.reserve({ id: id++, accountId, ...certificate, ...fields }, at)
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => 'allowed',
      (error: unknown) => {
        const { message, nextAt } = error as OverLimit
        return [message, new Date(nextAt).toISOString()]
      },
    )

  it('orders of two processes at once are not more than an account may have in 24 hours', async () => {
    const other = orderLimitStore(place.otherDb, limits)
    const all = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 === 0 ? store : other).reserve({ id: n, accountId, chain: null, zone: `z${n}.com` }, now + n),
      ),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await refusal(order({ zone: 'new.com' }))).toEqual([
      'The account has ordered 5 certificates in 24 hours, which is the maximum of this server.',
      expect.stringMatching(/^2026-11-28T00:00:00\.0\d\dZ$/),
    ])
    expect(await order({ accountId: otherId, zone: 'new.com' })).toBeTypeOf('number')
    expect(await order({ zone: 'new.com' }, now + 25 * hour)).toBeTypeOf('number')
  })

  it('a domain gets new certificates for all accounts together; orders that failed do not count', async () => {
    const [first] = [await order(), await order({}, now + hour), await order({ accountId: otherId }, now + 2 * hour)]
    const full = [
      'example.com has got 3 new certificates in seven days, which is the maximum of this server.',
      '2026-12-04T00:00:00.000Z',
    ]
    expect(await refusal(order({}, now + 3 * hour))).toEqual(full)
    expect(await refusal(order({ accountId: otherId }, now + 3 * hour))).toEqual(full)
    await store.fail(first!)
    expect(await order({ accountId: otherId }, now + 3 * hour)).toBeTypeOf('number')
    expect(await refusal(order({}, now + 4 * hour))).toMatchObject([full[0], '2026-12-04T01:00:00.000Z'])
  })

  it("renewals and the server's own are not counted", async () => {
    for (let n = 0; n < 10; n++) {
      expect(await order({ chain: 'a chain' })).toBeUndefined()
      expect(await order({ accountId: null, zone: null })).toBeUndefined()
    }
    expect(await runSql(place.config, 'select * from certificate_order')).toEqual([])
  })

  it('what an account has beyond its number of certificates waits; its own limit overrides the setting', async () => {
    await runSql(
      place.config,
      `insert into certificate (account_id, zone, names, next_at, failures) values
        (${accountId}, 'a.com', '["a.com"]', 1, 0), (${accountId}, 'b.com', '["b.com"]', 1, 0),
        (${otherId}, 'c.com', '["c.com"]', 1, 0)`,
    )
    const [, second] = await runSql(place.config, 'select id from certificate order by id')
    const ofSecond = () => order({ id: Number(second!['id']), zone: 'b.com' })
    expect(await ofSecond()).toBeTypeOf('number')
    await runSql(place.config, `update account set limits = '{"tls_certificates":1}' where id = ${accountId}`)
    expect(await refusal(ofSecond())).toEqual([
      'The account has more than 1 certificates, which is the maximum: delete one, or remove a domain of a site.',
      '2026-11-27T01:00:00.000Z',
    ])
    expect(await order({ id: Number(second!['id']) - 1, zone: 'a.com' })).toBeTypeOf('number')
  })

  it('forgets the orders of an account after a week', async () => {
    await order()
    await order({ zone: 'b.com' }, now + 8 * 24 * hour)
    expect(await runSql(place.config, 'select domain from certificate_order')).toEqual([{ domain: 'b.com' }])
  })
})
