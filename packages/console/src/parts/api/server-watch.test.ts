import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ServerWatch } from './server-watch.js'

/** Whether the server answers, with attempts that the test answers. */

let served: string | undefined
let attempts: number
let returns: number
let watch: ServerWatch

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  served = 'a'
  attempts = 0
  returns = 0
  watch = new ServerWatch({
    build: 'a',
    readBuild: () => {
      attempts++
      return Promise.resolve(served)
    },
    onReturn: () => returns++,
  })
})
afterEach(() => vi.useRealTimers())

it('a request without an answer is no outage while the server answers', async () => {
  watch.suspect()
  await watch.answering()
  expect([watch.state(), returns]).toEqual([{ outage: undefined, isUpdated: false }, 0])
})

it('an outage ends with the first answer, after attempts at growing intervals', async () => {
  served = undefined
  const answered = vi.fn<() => void>()
  void watch.answering().then(answered)
  const times: number[] = []
  for (let attempt = 0; attempt < 6; attempt++) {
    await vi.advanceTimersByTimeAsync(0)
    const at = watch.state().outage?.retryAt ?? 0
    times.push(at - Date.now())
    await vi.advanceTimersByTimeAsync(at - Date.now() - 1)
    expect(attempts).toBe(attempt + 1)
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(times).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
  expect([answered.mock.calls.length, returns]).toEqual([0, 0])
  served = 'a'
  await vi.advanceTimersByTimeAsync(8_000)
  expect([answered.mock.calls.length, returns, watch.state().outage]).toEqual([1, 1, undefined])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(attempts).toBe(8)
})

it('failures during an outage do not repeat the attempt; the user does', async () => {
  served = undefined
  await watch.check()
  watch.suspect()
  await vi.advanceTimersByTimeAsync(0)
  expect(attempts).toBe(1)
  served = 'a'
  await Promise.all([watch.check(), watch.check()])
  expect([attempts, watch.state().outage]).toEqual([2, undefined])
})

it('tells its listeners that the server has another build, until they leave', async () => {
  const told: boolean[] = []
  const leave = watch.subscribe(() => told.push(watch.state().isUpdated))
  served = 'b'
  await watch.check()
  leave()
  await watch.check()
  expect(told).toEqual([true])
})
