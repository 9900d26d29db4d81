import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TcpTurns } from './tcp-turns.js'

/** Works for so many milliseconds at a time, as often as it is let. */
const worker = (turns: TcpTurns, pieceMs: number, pieces: number) => {
  const self = {
    done: 0,
    work() {
      for (const end = performance.now() + pieceMs; performance.now() < end;);
      if (++self.done < pieces) turns.add(self)
    },
  }
  return self
}

it('gives every worker its turn, and others the event loop in between', async () => {
  const turns = new TcpTurns()
  const busy = Array.from({ length: 20 }, () => worker(turns, 1, Infinity))
  for (const one of busy) turns.add(one)
  const late = worker(turns, 0, 3)
  let looks = 0
  const timer = setInterval(() => looks++, 1)
  await sleep(50)
  turns.add(late)
  await sleep(500)
  clearInterval(timer)
  for (const one of busy) turns.remove(one)
  expect(late.done).toBe(3)
  const done = busy.map((one) => one.done)
  expect(Math.min(...done)).toBeGreaterThan(0)
  expect(Math.max(...done) - Math.min(...done)).toBeLessThanOrEqual(1)
  // Some hundred milliseconds of work, two or three at a time.
  expect(looks).toBeGreaterThan(20)
})

it('lets no worker go on that has left', async () => {
  const turns = new TcpTurns()
  const left = worker(turns, 0, 1)
  turns.add(left)
  turns.remove(left)
  await sleep(20)
  expect(left.done).toBe(0)
})
