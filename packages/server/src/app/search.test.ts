import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { noLimits } from '../shared/account-limits.js'
import { operatorActor } from '../shared/actor.js'
import type { Account } from '../shared/account.js'
import type { Found, Search } from '../shared/found.js'
import { searchHandlers } from './search.js'

/** The search over all areas, with areas of the test. */

const account: Account = {
  id: 1,
  email: 'ada@example.com',
  nickname: '',
  createdAt: 0,
  limits: noLimits,
  actor: operatorActor('test'),
}
const site = (label: string): Found => ({ kind: 'site', label, detail: '', path: [label] })
const finds =
  (...labels: string[]): Search =>
  async () =>
    labels.map(site)

function open(searches: Record<string, Search>, waitMs?: number) {
  const log: string[] = []
  const logger = pino({}, { write: (line: string) => void log.push(line) })
  const areas = Object.fromEntries(Object.entries(searches).map(([name, search]) => [name, { search }]))
  const { find: handler } = searchHandlers({ ...areas, without: {} }, logger, waitMs)
  const find = async (q: string) => {
    const context = {
      account,
      scopes: [],
      session: null,
      tokenId: null,
      ip: '',
      header: () => undefined,
      requestId: 'req_test',
      behindTrustedProxy: false,
      hasLeft: false,
    }
    const answer = (await handler({ params: {}, query: { q }, body: {} }, context)) as {
      found: Found[]
      complete: boolean
    }
    return { labels: answer.found.map(({ label }) => label), complete: answer.complete }
  }
  return { find, log }
}

async function find(searches: Record<string, Search>, q = 'a', waitMs?: number) {
  const opened = open(searches, waitMs)
  return { ...(await opened.find(q)), log: opened.log }
}

it('has names that are the text first, then those that begin with it, then the others, in the order of the areas', async () => {
  const found = await find({ one: finds('my shop', 'Shop'), two: finds('shopping', 'my shop 2') }, ' shop ')
  expect(found).toEqual({ labels: ['Shop', 'shopping', 'my shop', 'my shop 2'], complete: true, log: [] })
})

it('has at most twenty results', async () => {
  const many = finds(...Array.from({ length: 15 }, (_, n) => `a${String(n)}`))
  expect((await find({ one: many, two: many })).labels).toHaveLength(20)
})

it.each<[string, Search]>([
  ['fails', () => Promise.reject(new Error('The disk is gone.'))],
  [
    'throws',
    () => {
      throw new Error('The disk is gone.')
    },
  ],
  ['is late', () => delay(60_000, [], { ref: false })],
])('has the results of the other areas if one %s, and logs it', async (_, broken) => {
  const { labels, complete, log } = await find({ broken, good: finds('a') }, 'a', 50)
  expect({ labels, complete }).toEqual({ labels: ['a'], complete: false })
  expect(log).toHaveLength(1)
  expect(JSON.parse(log[0]!)).toMatchObject({ area: 'broken', msg: 'the search of an area failed' })
})

it('runs one search of an account at a time, and finds nothing for more than five', async () => {
  let running = 0
  let most = 0
  const slow: Search = async () => {
    most = Math.max(most, ++running)
    await delay(10)
    running--
    return [site('a')]
  }
  const { find: search, log } = open({ slow })
  const answers = await Promise.all(Array.from({ length: 7 }, () => search('a')))
  expect(most).toBe(1)
  expect(answers.map(({ labels, complete }) => [labels.length, complete])).toEqual([
    ...Array<unknown>(5).fill([1, true]),
    ...Array<unknown>(2).fill([0, false]),
  ])
  expect(log).toEqual([])
})

it('tells a search that is late that nobody waits for it', async () => {
  let signal: AbortSignal | undefined
  const slow: Search = async (_account, _text, given) => {
    signal = given
    return delay(60_000, [], { ref: false })
  }
  await find({ slow }, 'a', 20)
  expect(signal?.aborted).toBe(true)
})
