import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TcpScheduler } from './tcp-scheduler.js'

/** A task of several slices, each of which blocks the event loop for `sliceMs` milliseconds. */
const task = (scheduler: TcpScheduler, sliceMs: number, slices: number) => {
  const self = {
    done: 0,
    runSlice() {
      for (const end = performance.now() + sliceMs; performance.now() < end;);
      if (++self.done < slices) scheduler.add(self)
    },
  }
  return self
}

it('runs all tasks in turn, and other events in between', async () => {
  const scheduler = new TcpScheduler()
  const busy = Array.from({ length: 20 }, () => task(scheduler, 1, Infinity))
  for (const one of busy) scheduler.add(one)
  const late = task(scheduler, 0, 3)
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  await sleep(50)
  scheduler.add(late)
  await expect.poll(() => late.done).toBe(3)
  clearInterval(timer)
  for (const one of busy) scheduler.remove(one)
  const done = busy.map((one) => one.done)
  expect(Math.min(...done)).toBeGreaterThan(0)
  expect(Math.max(...done) - Math.min(...done)).toBeLessThanOrEqual(1)
  // A tick after every two or three slices of a millisecond. A busy machine has fewer.
  expect(ticks).toBeGreaterThan(done.reduce((sum, slices) => sum + slices) / 25)
})

it('does not run a task that was removed', async () => {
  const scheduler = new TcpScheduler()
  const removed = task(scheduler, 0, 1)
  scheduler.add(removed)
  scheduler.remove(removed)
  await sleep(20)
  expect(removed.done).toBe(0)
})
