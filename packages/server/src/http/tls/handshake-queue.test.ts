import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { HandshakeQueue, type HandshakeLimits } from './handshake-queue.js'

let queue: HandshakeQueue
let begun: string[] = []
afterEach(() => {
  queue.stop()
  begun = []
})

const start = (limits: HandshakeLimits) => {
  queue = new HandshakeQueue(limits)
}
const add = (network: string, count = 1, isLimited = true) =>
  Array.from({ length: count }, () => queue.add(network, isLimited, () => void begun.push(network)))

it('begins at most so many in a turn of the event loop', async () => {
  start({ perSecond: 1_000, perTurn: 4 })
  add('a', 10)
  expect(begun).toHaveLength(0)
  for (const count of [4, 8, 10, 10]) {
    await nextTurn()
    expect(begun).toHaveLength(count)
  }
})

it('begins one in two milliseconds while connections arrive, and the others after them', async () => {
  start({ perSecond: 1_000, perTurn: 4 })
  add('a', 100)
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  // A turn takes half a millisecond.
  for (; now < 40; now += 0.5) {
    queue.noteAccept()
    await nextTurn()
  }
  const whileAccepting = begun.length
  clock.mockRestore()
  expect(whileAccepting).toBe(20)
  await expect.poll(() => begun.length).toBe(100)
})

it('serves the networks in turn: one with many waiting handshakes does not hold up the others', async () => {
  start({ perSecond: 1_000, perTurn: 1 })
  add('many', 500)
  add('one')
  add('two', 2)
  for (let turn = 0; turn < 6; turn++) await nextTurn()
  expect(begun).toEqual(['many', 'one', 'two', 'many', 'two', 'many'])
})

it('begins at most so many of a network in a second, and the others in the next one', async () => {
  start({ perSecond: 3, perTurn: 10 })
  add('a', 7)
  add('b', 2)
  await sleep(100)
  expect(begun.toSorted()).toEqual(['a', 'a', 'a', 'b', 'b'])
  // A later one waits behind the earlier ones of its network.
  add('a')
  await expect.poll(() => begun.filter((network) => network === 'a').length, { timeout: 5_000 }).toBe(8)
})

it('has no limit per second for this machine and trusted proxies', async () => {
  start({ perSecond: 3, perTurn: 10 })
  add('a', 20, false)
  await expect.poll(() => begun.length, { timeout: 500 }).toBe(20)
})

it('forgets a handshake whose connection has closed', async () => {
  start({ perSecond: 2, perTurn: 4 })
  const [first, ...rest] = add('a', 5)
  first?.()
  await sleep(20)
  expect(begun).toEqual(['a', 'a'])
  for (const cancel of rest) cancel()
  add('b')
  await sleep(1_100)
  expect(begun).toEqual(['a', 'a', 'b'])
})
