import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { opensslCa, type OpensslCa } from '../../../../test/openssl-ca.js'
import { noOrderLimits } from '../../../../test/order-limits.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { MasterKey } from '../../../shared/master-key.js'
import { Wakeup } from '../../../shared/wakeup.js'
import { openVault } from '../../vault/envelope-vault.js'
import { namesKeyOf } from './certificate-row-store.js'
import { certificateStore, queueRenewal } from './certificate-store.js'
import { checkChain } from './chain.js'
import type { AcmeClient, Ordered } from './client.js'
import { certificateManager } from './manager.js'
import { followWanted } from './wanted-follower.js'
import { certificateRequest } from './x509.js'

/** Several orders at the same time, and what starts them, with a CA that signs when the test says so. */

let ca: OpensslCa
beforeAll(async () => {
  ca = await opensslCa()
})
afterAll(() => ca.stop())

const unused = () => Promise.reject(new Error('not used'))

describe.each(databaseKinds)('orders on %s', (kind) => {
  let place: TwoProcesses
  let wanted: string[][]
  let elsewhere: Set<string>
  /** Called after a look-up has its answer. */
  let onLookUp: () => void
  let wakeup: Wakeup
  let stopping: AbortController
  /** The orders that the CA has not answered, by their first name. */
  let open: Map<string, () => void>
  let run: () => Promise<void>
  beforeEach(async () => {
    place = await twoProcesses(kind)
    ;[wanted, elsewhere, open, wakeup, stopping] = [[], new Set(), new Map(), new Wakeup(), new AbortController()]
    onLookUp = () => undefined
    const order = async ({ names, key }: Ordered, signal: AbortSignal) => {
      await new Promise<void>((resolve, reject) => {
        open.set(names[0]!, resolve)
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
      open.delete(names[0]!)
      return checkChain((await ca.sign(certificateRequest(names, key))) + ca.intermediate, key, names, Date.now())
    }
    const client: AcmeClient = { order, renewalInfo: () => Promise.resolve(undefined) }
    const store = certificateStore(place.db, await openVault({ kind: 'setting', key: MasterKey.random() }, place.db))
    const manager = certificateManager({
      store,
      limits: noOrderLimits,
      client: () => Promise.resolve(client),
      proofs: { typesFor: () => Promise.resolve([]), publish: unused, withdraw: unused },
      syncWanted: () => store.want(wanted.map(namesKeyOf), Date.now()),
      wakeup,
      problemOf: async (name) => {
        const problem = elsewhere.has(name) ? `${name} leads elsewhere.` : undefined
        onLookUp()
        return problem
      },
      profile: undefined,
      log: { info: () => undefined, warn: () => undefined },
    })
    run = () => manager.run(stopping.signal)
    return () => place.stop()
  })

  const underWay = () => [...open.keys()].toSorted()
  const answerAll = async (running: Promise<void>) => {
    const state = { isOver: false }
    void running.then(() => (state.isOver = true))
    while (!state.isOver) {
      for (const answer of open.values()) answer()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const valid = async () =>
    (await runSql(place.config, 'select names from certificate where chain is not null and leased_until = 0')).length

  it('are eight at once, and the next one begins when one has ended', async () => {
    wanted = Array.from({ length: 10 }, (_, i) => [`${i}.test`])
    const running = run()
    await expect.poll(underWay).toHaveLength(8)
    const [first] = underWay()
    open.get(first!)?.()
    await expect.poll(() => underWay().length === 8 && !underWay().includes(first!)).toBe(true)
    await answerAll(running)
    expect(await valid()).toBe(10)
  })

  it('are two at once of those that have failed before, and new ones go before them', async () => {
    for (const { id } of place.people)
      for (const name of ['one', 'two', 'three'])
        await runSql(
          place.config,
          `insert into certificate (account_id, zone, names, created_at, next_at, failures)
            values (${id}, '${name}${id}.test', '["${name}${id}.test"]', 0, 0, 1)`,
        )
    const running = run()
    await expect.poll(underWay).toHaveLength(2)
    wanted = [['new.test']]
    wakeup.call()
    await expect.poll(underWay).toContain('new.test')
    expect(underWay()).toHaveLength(3)
    await answerAll(running)
    expect(await valid()).toBe(1 + 3 * place.people.length)
  })

  it('begin for a new name although an old one takes long', async () => {
    wanted = [['slow.test']]
    const running = run()
    await expect.poll(underWay).toEqual(['slow.test'])
    wanted = [['slow.test'], ['new.test']]
    wakeup.call()
    await expect.poll(underWay).toEqual(['new.test', 'slow.test'])
    await answerAll(running)
    expect(await valid()).toBe(2)
  })

  it('begin at once for a name that leads here now, and the CA was not asked before', async () => {
    wanted = [['moved.test']]
    elsewhere.add('moved.test')
    await run()
    await run()
    expect(await runSql(place.config, 'select error, failures from certificate')).toEqual([
      { error: 'moved.test leads elsewhere.', failures: 1 },
    ])
    elsewhere.clear()
    wakeup.call()
    const running = run()
    await expect.poll(underWay).toEqual(['moved.test'])
    await answerAll(running)
    expect(await valid()).toBe(1)
  })

  it('are tried again soon after a change that a resolver does not see yet', async () => {
    wanted = [['unseen.test']]
    elsewhere.add('unseen.test')
    await run()
    for (let attempt = 0; attempt < 2; attempt++) {
      wakeup.call()
      await run()
      const [row] = await runSql(place.config, 'select next_at from certificate')
      expect(Number(row?.['next_at']) - Date.now()).toBeLessThan(12_000)
    }
  })

  it('begin for a name that leads here since its look-up', async () => {
    wanted = [['late.test']]
    elsewhere.add('late.test')
    onLookUp = () => {
      elsewhere.clear()
      wakeup.call()
    }
    const running = run()
    await expect.poll(underWay).toEqual(['late.test'])
    await answerAll(running)
    expect(await valid()).toBe(1)
  })

  it('end when another process has taken the certificate', async () => {
    wanted = [['taken.test']]
    const running = run()
    await expect.poll(underWay).toEqual(['taken.test'])
    await runSql(place.config, `update certificate set leased_until = leased_until + 60000`)
    await running
    expect(await runSql(place.config, 'select failures, error, chain from certificate')).toEqual([
      { failures: 0, error: null, chain: null },
    ])
  })

  it('are all released by a stop', async () => {
    wanted = [['one.test'], ['two.test']]
    const running = run()
    await expect.poll(underWay).toHaveLength(2)
    stopping.abort()
    await running
    expect(await runSql(place.config, 'select leased_until, failures from certificate')).toEqual([
      { leased_until: 0, failures: 0 },
      { leased_until: 0, failures: 0 },
    ])
  })

  it('are started by a change that another process has noted', async () => {
    let calls = 0
    wakeup.listen(() => calls++)
    const follower = followWanted(place.db, wakeup)
    await follower.run(stopping.signal)
    await follower.run(stopping.signal)
    expect(calls).toBe(1)
    await queueRenewal(place.otherDb, 1)
    await follower.run(stopping.signal)
    expect(calls).toBe(2)
  })
})
