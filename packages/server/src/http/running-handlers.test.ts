import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { RunningHandlers } from './running-handlers.js'

const never = new AbortController().signal

async function msUntilIdle(running: RunningHandlers, signal = never): Promise<number> {
  const from = performance.now()
  await running.idle(signal)
  return performance.now() - from
}

it('does not wait when no handler runs', async () => {
  const running = new RunningHandlers()
  await running.track(Promise.resolve())
  expect(await msUntilIdle(running)).toBeLessThan(50)
})

it('waits for the last of several handlers, also for a failing one', async () => {
  const running = new RunningHandlers()
  void running.track(sleep(50))
  running.track(sleep(150).then(() => Promise.reject(new Error('failed')))).catch(() => undefined)
  void running.track(sleep(100))
  expect(await msUntilIdle(running)).toBeGreaterThan(140)
  expect(running.count).toBe(0)
})

it.each([1, 2, 5])(
  'waits for a handler that starts during the wait, %i promises after its caller is authenticated',
  async (steps) => {
    const running = new RunningHandlers()
    let known = running.track(sleep(50)).then(() => undefined)
    for (let step = 1; step < steps; step++) known = known.then(() => undefined)
    void known.then(() => running.track(sleep(100)))
    expect(await msUntilIdle(running)).toBeGreaterThan(140)
  },
)

it('stops waiting when the signal is aborted, before or during the wait', async () => {
  const running = new RunningHandlers()
  void running.track(new Promise(() => undefined))
  expect(await msUntilIdle(running, AbortSignal.timeout(100))).toBeLessThan(1_000)
  expect(await msUntilIdle(running, AbortSignal.abort())).toBeLessThan(50)
  expect(running.count).toBe(1)
})
