import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { runSql } from '../../../../test/site.js'
import { startTarget, type TargetServer } from '../../../../test/target-server.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { userTargets } from '../../../ports/outbound/user-targets.js'
import { deploymentStore } from '../store.js'
import { Deliverer } from '../../../ports/outbound/deliveries/deliverer.js'
import { deliveryLimits } from '../../../ports/outbound/deliveries/delivery-limits.js'
import { deliveryStore } from './delivery-store.js'
import { receiveStore } from './receive-store.js'
import { createSecret } from '../../../ports/outbound/deliveries/signature.js'

/** A target that answers with `Retry-After` gets no request of the webhook before that time. */

describe.each(databaseKinds)('the pause of a webhook on %s', (kind) => {
  let site: TwoProcesses
  let target: TargetServer
  let deliverer: Deliverer
  let id: number
  beforeAll(async () => {
    site = await twoProcesses(kind)
  })
  afterAll(() => site.stop())
  let slugs = 0
  beforeEach(async () => {
    target = await startTarget()
    target.retryAfter = '3000'
    await runSql(site.config, 'delete from webhook_delivery')
    deliverer = new Deliverer({
      name: 'test',
      deliveries: deliveryStore(site.db),
      targets: userTargets({ allowed: ['127.0.0.0/8'], deadlineMs: 18_000 }),
      log: pino({ level: 'silent' }),
      backoff: [20, 20],
      graceMs: 0,
    })
    const terms = { target: target.url, settings: '{}', secret: createSecret(), expiresAt: null, maxUses: null }
    const webhook = { kind: 'webhook', slug: `hook-${String(++slugs)}`, isEnabled: true, ...terms } as const
    id = (await deployments().create(site.people[0]!, webhook))!.id
  })
  afterEach(async () => {
    await deliverer.close()
    await target.stop()
  })

  const deployments = () => deploymentStore(site.db, 0, () => undefined)
  const receive = async (count = 1) => {
    for (let n = 0; n < count; n++)
      await receiveStore(site.db).receive(id, {
        receivedAt: Date.now(),
        method: 'POST',
        path: '',
        query: '',
        ip: '192.0.2.1',
        contentType: null,
        headers: '[]',
        body: Buffer.from('hello'),
        isTruncated: false,
        isLoop: false,
      })
  }
  /** In how many seconds the waiting deliveries are due, in the order of their requests. */
  const dueIn = async () => {
    const rows = await runSql(site.config, 'select due_at from webhook_delivery order by request_id')
    return rows.map(({ due_at }) => Math.round((Number(due_at) - Date.now()) / 1000))
  }
  const about = (seconds: number) => expect.closeTo(seconds, -1.5)

  it('delays all requests that wait', async () => {
    await receive(10)
    target.answer = () => 429
    deliverer.wake()
    await expect.poll(() => target.received.length).toBeGreaterThan(0)
    await expect.poll(dueIn).toEqual(Array.from({ length: 10 }, () => about(3000)))
    // Those that were under way when the answer came.
    expect(target.received.length).toBeLessThanOrEqual(2 * deliveryLimits.host)
  })

  it('delays requests that arrive later, and ends with a new target', async () => {
    await receive()
    target.answer = () => 503
    deliverer.wake()
    await expect.poll(dueIn).toEqual([about(3000)])
    await receive()
    expect(await dueIn()).toEqual([about(3000), about(3000)])
    const sent = target.received.length

    target.answer = () => 200
    await deployments().change(site.people[0]!, id, { target: `${target.url}/other` })
    await receive()
    deliverer.wake()
    await expect.poll(() => target.received.length).toBe(sent + 1)
  })

  it('the pause is an hour at most, also in a row that another installation has written', async () => {
    await runSql(site.config, `update deployment set paused_until = ${String(Date.now() * 2)}`)
    await receive()
    expect(await dueIn()).toEqual([about(3600)])
  })
})
