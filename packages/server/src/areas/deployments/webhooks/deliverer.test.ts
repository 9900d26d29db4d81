import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { runSql } from '../../../../test/site.js'
import { startTarget, type TargetServer } from '../../../../test/target-server.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import type { Database } from '../../../db/port.js'
import { userTargets } from '../../../ports/outbound/user-targets.js'
import { removalJob } from '../removal-store.js'
import { deploymentStore } from '../store.js'
import { Deliverer, type DelivererOptions } from '../../../ports/outbound/deliveries/deliverer.js'
import { deliveryStore } from './delivery-store.js'
import { deliveryLimits } from '../../../ports/outbound/deliveries/delivery-limits.js'
import { receiveStore } from './receive-store.js'
import { requestStore } from './request-store.js'
import { createSecret } from '../../../ports/outbound/deliveries/signature.js'

/** How processes share the deliveries of webhooks: with slow targets, at a stop, and after the end of a process. */

const targets = userTargets({ allowed: ['127.0.0.0/8'], deadlineMs: 18_000 })
const log = pino({ level: 'silent' })
const noop = () => undefined

describe.each(databaseKinds)('deliveries on %s', (kind) => {
  let site: TwoProcesses
  let target: TargetServer
  let deliverers: Deliverer[]
  let slugs = 0
  beforeAll(async () => {
    site = await twoProcesses(kind)
  })
  afterAll(() => site.stop())
  beforeEach(async () => {
    target = await startTarget()
    deliverers = []
    await runSql(site.config, 'delete from webhook_delivery')
  })
  afterEach(async () => {
    for (const deliverer of deliverers) await deliverer.close()
    await target.stop()
  })

  const deliverer = (db: Database, options: Partial<DelivererOptions> = {}): Deliverer => {
    const defaults = { name: 'test', deliveries: deliveryStore(db), targets, log, backoff: [20, 20], graceMs: 0 }
    const created = new Deliverer({ ...defaults, ...options })
    deliverers.push(created)
    return created
  }
  const owner = (person = 0) => site.people[person]!
  const create = async (url = target.url, person = 0): Promise<number> => {
    const terms = { target: url, settings: '{}', secret: createSecret(), expiresAt: null, maxUses: null }
    const webhook = { kind: 'webhook', slug: `hook-${String(++slugs)}`, isEnabled: true, ...terms } as const
    return (await deploymentStore(site.db, 0, noop).create(owner(person), webhook))!.id
  }
  const receive = (id: number, count = 1) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        receiveStore(site.db).receive(id, {
          receivedAt: Date.now(),
          method: 'POST',
          path: '',
          query: `n=${String(n)}`,
          ip: '192.0.2.1',
          contentType: null,
          headers: '[]',
          body: Buffer.from(`body ${String(n)}`),
          isTruncated: false,
          isLoop: false,
        }),
      ),
    )
  const states = async (id: number, person = 0) => {
    const found: unknown[] = []
    for (let before: number | null = 1e9; before !== null;) {
      const { entries, next } = await requestStore(site.db).list(owner(person), id, { limit: 100, before })
      found.push(...entries.map(({ state }) => state))
      before = next
    }
    return found
  }
  const ends = (id: number, count: number, state = 'delivered', person = 0) =>
    expect.poll(() => states(id, person), { timeout: 15_000 }).toEqual(Array.from({ length: count }, () => state))

  it('two processes deliver each request once', async () => {
    const id = await create()
    await receive(id, 60)
    const both = [deliverer(site.db), deliverer(site.otherDb)]
    for (const one of both) one.wake()
    const jobs = setInterval(() => void Promise.all(both.map(({ job }) => job.run(new AbortController().signal))), 20)
    await ends(id, 60)
    clearInterval(jobs)
    expect(target.received.map(({ body }) => body.toString()).toSorted()).toEqual(
      Array.from({ length: 60 }, (_, n) => `body ${String(n)}`).toSorted(),
    )
  })

  it('sends at most two requests to a host at a time', async () => {
    const id = await create()
    await receive(id, 5)
    target.answer = () => undefined
    deliverer(site.db).wake()
    await expect.poll(() => target.received.length).toBe(deliveryLimits.host)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(target.received).toHaveLength(deliveryLimits.host)
  })

  it('a hung target does not delay others, even with many requests before theirs', async () => {
    const [hung, good] = [await startTarget(), await create()]
    hung.answer = () => undefined
    const slow = await create(hung.url, 1)
    await receive(slow, 200)
    await receive(good, 3)
    deliverer(site.db).wake()
    await ends(good, 3)
    expect(hung.received.length).toBeLessThanOrEqual(deliveryLimits.host)
    expect(await states(slow, 1)).toEqual(Array.from({ length: 200 }, () => 'waiting'))
    await hung.stop()
  })

  it('many hung targets of one account do not delay those of others', async () => {
    const hung = await Promise.all(Array.from({ length: 12 }, () => startTarget()))
    for (const server of hung) {
      server.answer = () => undefined
      await receive(await create(server.url, 2), 3)
    }
    const good = await create()
    await receive(good, 3)
    deliverer(site.db).wake()
    await ends(good, 3)
    await expect.poll(() => hung.flatMap(({ received }) => received).length).toBe(deliveryLimits.account)
    for (const server of hung) await server.stop()
  })

  it('repeats a delivery that a process has claimed before its end', async () => {
    const id = await create()
    await receive(id)
    const due = { webhookId: id, accountId: owner().id, host: new URL(target.url).host }
    const claimed = await deliveryStore(site.otherDb).claim([due], Date.now(), 300)
    expect(claimed).toMatchObject([{ webhookId: id, attempts: 1 }])
    const next = deliverer(site.db)
    await next.job.run(new AbortController().signal)
    expect(target.received).toHaveLength(0)
    const jobs = setInterval(() => void next.job.run(new AbortController().signal), 20)
    await ends(id, 1)
    clearInterval(jobs)
    expect(target.received).toHaveLength(1)
    // What the first process would note now counts no more.
    const late = { state: 'failed', dueAt: null, pausedUntil: null, status: null, error: 'late' } as const
    await deliveryStore(site.otherDb).saveOutcome(claimed[0]!, late, null)
    expect(await states(id)).toEqual(['delivered'])
  })

  it('aborts running deliveries at a stop, and the next process sends them', async () => {
    const id = await create()
    await receive(id)
    target.answer = () => undefined
    const first = deliverer(site.db)
    first.wake()
    await expect.poll(() => target.received.length).toBe(1)
    await first.close()
    target.answer = () => 200
    const second = deliverer(site.otherDb)
    await second.job.run(new AbortController().signal)
    await ends(id, 1)
    // The aborted attempt does not count.
    const { attempts } = await requestStore(site.db).get(owner(), id, 1)
    expect(attempts).toBe(1)
    first.wake()
    await receive(id)
    await first.job.run(new AbortController().signal)
    expect(target.received).toHaveLength(2)
  })

  it('releases what a claim returns after a stop, and sends nothing', async () => {
    const id = await create()
    await receive(id)
    const deliveries = deliveryStore(site.db)
    let isClaimed = false
    let open: () => void = noop
    const gate = new Promise<void>((resolve) => (open = resolve))
    const claim: typeof deliveries.claim = async (...given) => {
      const result = await deliveries.claim(...given)
      isClaimed = true
      await gate
      return result
    }
    const one = deliverer(site.db, { deliveries: { ...deliveries, claim } })
    one.wake()
    await expect.poll(() => isClaimed).toBe(true)
    const closed = one.close()
    open()
    await closed
    const { state, attempts, due_at: dueAt } = await requestStore(site.db).get(owner(), id, 1)
    expect([state, attempts, dueAt! <= Date.now()]).toEqual(['waiting', 0, true])
    expect(target.received).toHaveLength(0)
  })

  it('claims nothing after a stop while it looks for due deliveries', async () => {
    await receive(await create())
    const deliveries = deliveryStore(site.db)
    const dueHosts: typeof deliveries.dueHosts = async (...given) => {
      one.stop()
      return deliveries.dueHosts(...given)
    }
    const claim = () => Promise.reject(new Error('claimed'))
    const one = deliverer(site.db, { deliveries: { ...deliveries, dueHosts, claim } })
    await one.job.run(new AbortController().signal)
  })

  it('looks for due deliveries at most every 100 ms, however often it is woken', async () => {
    await receive(await create())
    const deliveries = deliveryStore(site.db)
    let looks = 0
    const dueHosts = () => {
      looks += 1
      return Promise.resolve([])
    }
    const one = deliverer(site.db, { deliveries: { ...deliveries, dueHosts } })
    const start = performance.now()
    while (looks < 4) {
      one.wake()
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    // Timers may be a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(290)
  })

  it('gives up after the last attempt', async () => {
    const id = await create()
    await receive(id)
    target.answer = () => 500
    const one = deliverer(site.db)
    const jobs = setInterval(() => void one.job.run(new AbortController().signal), 20)
    await ends(id, 1, 'failed')
    clearInterval(jobs)
    expect(target.received).toHaveLength(3)
  })

  it('gives up a request that cannot be read after the last attempt, and logs why', async () => {
    const id = await create()
    await receive(id)
    const lines: string[] = []
    const outgoing = () => Promise.reject(new Error('made by the test'))
    const noisy = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
    const one = deliverer(site.db, { deliveries: { ...deliveryStore(site.db), outgoing }, log: noisy })
    const jobs = setInterval(() => void one.job.run(new AbortController().signal), 20)
    await ends(id, 1, 'failed')
    clearInterval(jobs)
    expect(lines.map((line) => line.includes('made by the test'))).toEqual([true, true, true])
  })

  it('sends nothing that waits for an account that has been stopped', async () => {
    const id = await create(target.url, 1)
    await receive(id)
    const account = String(owner(1).id)
    await runSql(site.config, `update account set state = 'stopped' where id = ${account}`)
    deliverer(site.db).wake()
    await ends(id, 1, 'failed', 1)
    await runSql(site.config, `update account set state = 'active' where id = ${account}`)
    expect(target.received).toHaveLength(0)
  })

  it('keeps a request beyond the last 500 until its delivery has ended', async () => {
    const id = await create()
    await receive(id)
    await deploymentStore(site.db, 0, noop).change(owner(), id, { target: null })
    await runSql(site.config, `update deployment set uses = 500 where id = ${String(id)}`)
    await receive(id, 2)
    const { list, get } = requestStore(site.db)
    const kept = async () => {
      const { entries, total } = await list(owner(), id, { limit: 1000, before: 1e9 })
      return { ids: entries.map((entry) => entry.id), total }
    }
    expect(await kept()).toEqual({ ids: [502, 501, 1], total: 3 })
    await deploymentStore(site.db, 0, noop).change(owner(), id, { target: target.url })
    deliverer(site.db).wake()
    await expect.poll(kept).toEqual({ ids: [502, 501], total: 2 })
    expect(target.received).toHaveLength(1)
    await expect(get(owner(), id, 1)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('the requests of a deleted webhook are removed, and no longer sent', async () => {
    const id = await create()
    await receive(id, 60)
    await deploymentStore(site.db, 0, noop).remove(owner(), id)
    deliverer(site.db).wake()
    const later = Date.now() + 1e6
    const underWay = { free: 16, hosts: new Map<string, number>(), accounts: new Map<number, number>() }
    await removalJob(site.db).run(new AbortController().signal)
    expect(await deliveryStore(site.db).dueHosts(later, underWay)).toEqual([])
    expect(target.received).toHaveLength(0)
  })

  it('logs that the outcome of a delivery could not be noted, and sends the next ones', async () => {
    const id = await create()
    await receive(id)
    const lines: string[] = []
    const deliveries = deliveryStore(site.db)
    const failing = { ...deliveries, saveOutcome: () => Promise.reject(new Error('disk full')) }
    const noisy = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
    deliverer(site.db, { deliveries: failing, log: noisy, leaseMs: 100 }).wake()
    await expect.poll(() => lines.join('')).toContain('deliveries of webhooks could not be read or saved')
    const closed = { ...deliveries, dueHosts: () => Promise.reject(new Error('closed')) }
    deliverer(site.db, { deliveries: closed, log: noisy }).wake()
    await expect.poll(() => lines.join('')).toContain('closed')
    const next = deliverer(site.db)
    const jobs = setInterval(() => void next.job.run(new AbortController().signal), 20)
    await ends(id, 1)
    clearInterval(jobs)
  })
})
