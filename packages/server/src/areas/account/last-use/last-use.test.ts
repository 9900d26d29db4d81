import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lastUse } from './last-use.js'

const start = Date.parse('2026-11-20T09:30:00Z')
const halfMinute = 30_000

let saved: (readonly (readonly [number, number])[])[]
let failure: Error | undefined
let reported: unknown[]
let uses: ReturnType<typeof lastUse>

beforeEach(() => {
  vi.useFakeTimers({ now: start })
  saved = []
  reported = []
  failure = undefined
  uses = lastUse(
    async (batch) => {
      if (failure) throw failure
      saved.push(batch)
    },
    (error) => void reported.push(error),
  )
})
afterEach(() => vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

it('saves many uses in one go, each once, half a minute after the first', async () => {
  uses.note(1, null)
  await pass(1000)
  for (let i = 0; i < 100; i++) uses.note(1, null)
  uses.note(2, start - 120_000)
  await pass(halfMinute - 1001)
  expect(saved).toEqual([])
  await pass(1)
  expect(saved).toEqual([
    [
      [1, start],
      [2, start + 1000],
    ],
  ])
})

it('does not note what the database has heard of within the minute', async () => {
  uses.note(1, start - 59_999)
  await pass(halfMinute)
  expect(saved).toEqual([])
  uses.note(1, start + halfMinute - 60_000)
  await pass(halfMinute)
  expect(saved).toEqual([[[1, start + halfMinute]]])
})

it('writes nothing, and keeps no timer, while nothing is used', async () => {
  expect(vi.getTimerCount()).toBe(0)
  uses.note(1, null)
  await pass(halfMinute)
  expect(vi.getTimerCount()).toBe(0)
  await uses.close()
  expect(saved).toHaveLength(1)
})

it('reports a save that fails, loses nothing, and tries again', async () => {
  failure = new Error('the disk is full')
  uses.note(1, null)
  uses.note(2, null)
  await pass(halfMinute)
  expect(reported).toEqual([failure])
  await pass(halfMinute)
  expect(reported).toHaveLength(2)
  failure = undefined
  uses.note(3, null)
  await pass(halfMinute)
  expect(saved).toEqual([
    [
      [1, start],
      [2, start],
      [3, start + 2 * halfMinute],
    ],
  ])
  expect(vi.getTimerCount()).toBe(0)
})

it('keeps the later time of what is used again while a save is failing', async () => {
  let fail: (error: Error) => void = () => undefined
  const times: unknown[] = []
  const slow = lastUse(
    (batch) => {
      times.push(batch)
      return times.length === 1 ? new Promise((_, reject) => (fail = reject)) : Promise.resolve()
    },
    (error) => void reported.push(error),
  )
  slow.note(1, null)
  await pass(halfMinute)
  slow.note(1, null)
  fail(new Error('gone'))
  await pass(halfMinute)
  expect(times).toEqual([[[1, start]], [[1, start + halfMinute]]])
})

it('close saves what waits', async () => {
  uses.note(1, null)
  await uses.close()
  expect(saved).toEqual([[[1, start]]])
  expect(vi.getTimerCount()).toBe(0)
})

it('close waits for a save under way', async () => {
  let finish: () => void = () => undefined
  const slow = lastUse(
    () => new Promise((resolve) => (finish = resolve)),
    () => undefined,
  )
  slow.note(1, null)
  await pass(halfMinute)
  let closed = false
  const closing = slow.close().then(() => (closed = true))
  await pass(0)
  expect(closed).toBe(false)
  finish()
  await closing
})

it('close tries again what a save under way could not write, and leaves no timer behind', async () => {
  let fail: (error: Error) => void = () => undefined
  let tries = 0
  const slow = lastUse(
    () => (++tries === 1 ? new Promise((_, reject) => (fail = reject)) : Promise.resolve()),
    (error) => void reported.push(error),
  )
  slow.note(1, null)
  await pass(halfMinute)
  const closing = slow.close()
  fail(new Error('gone'))
  await closing
  expect([tries, reported.length, vi.getTimerCount()]).toEqual([2, 1, 0])
})

it('close does not fail when saving does; it reports, and leaves no timer behind', async () => {
  failure = new Error('the database is gone')
  uses.note(1, null)
  await expect(uses.close()).resolves.toBeUndefined()
  expect(reported).toEqual([failure])
  expect(vi.getTimerCount()).toBe(0)
})
