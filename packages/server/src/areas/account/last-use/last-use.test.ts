import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lastUse, lastUseJob } from './last-use.js'
import type { Uses } from './store.js'

const start = Date.parse('2026-11-20T09:30:00Z')

/** A use of a session, which has no network. */
const used = (at: number) => ({ at, network: null })

let saved: Uses[]
let uses: ReturnType<typeof lastUse>

beforeEach(() => {
  vi.useFakeTimers({ now: start })
  saved = []
  uses = lastUse(async (batch) => void saved.push(batch))
})
afterEach(() => vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

it('saves many uses in one call, each id once, with the time of its first use', async () => {
  uses.note(1, null)
  await pass(1000)
  for (let i = 0; i < 100; i++) uses.note(1, null)
  uses.note(2, start - 120_000)
  expect(saved).toEqual([])
  await uses.flush()
  expect(saved).toEqual([
    [
      [1, used(start)],
      [2, used(start + 1000)],
    ],
  ])
})

it('does not save a use within a minute of the stored one', async () => {
  uses.note(1, start - 59_999)
  await uses.flush()
  expect(saved).toEqual([])
  await pass(30_000)
  uses.note(1, start - 30_000)
  await uses.flush()
  expect(saved).toEqual([[[1, used(start + 30_000)]]])
})

it('writes nothing without new uses', async () => {
  uses.note(1, null)
  await uses.flush()
  await uses.flush()
  expect(saved).toHaveLength(1)
})

it('saves the later time of a token that is used again while a save fails', async () => {
  let fail: (error: Error) => void = () => undefined
  const times: unknown[] = []
  const slow = lastUse((batch) => {
    times.push(batch)
    return times.length === 1 ? new Promise((_, reject) => (fail = reject)) : Promise.resolve()
  })
  slow.note(1, null)
  const failing = slow.flush()
  await pass(30_000)
  slow.note(1, null)
  fail(new Error('gone'))
  await expect(failing).rejects.toThrow('gone')
  await slow.flush()
  expect(times).toEqual([[[1, used(start)]], [[1, used(start + 30_000)]]])
})

it('the last use is saved every half minute in every process', async () => {
  const job = lastUseJob('account.test-uses', uses.flush)
  expect(job).toMatchObject({ everyMs: 30_000, runsIn: 'every process' })
  uses.note(1, null)
  await job.run(new AbortController().signal)
  expect(saved).toHaveLength(1)
})
