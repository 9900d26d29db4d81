import { expect, it, vi } from 'vitest'
import { runAtOnce, runInSlices, TimeSlices } from './time-slices.js'

it('lets the event loop run after each slice', async () => {
  const slices = new TimeSlices(new AbortController().signal)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  // A timer is due after each slice: a slice takes some milliseconds.
  for (let slice = 0; slice < 5;) {
    if (!slices.isOver) continue
    await slices.next()
    slice++
  }
  clearInterval(timer)
  expect(turns).toBeGreaterThan(1)
})

it('ends with the reason of the signal', async () => {
  const ending = new AbortController()
  const slices = new TimeSlices(ending.signal)
  await slices.next()
  ending.abort(new Error('The server is stopping.'))
  await expect(slices.next()).rejects.toThrow('The server is stopping.')
})

function* busy(steps: number, msEach: number): Generator<undefined, string> {
  for (let step = 0; step < steps; step++) {
    const end = performance.now() + msEach
    while (performance.now() < end);
    yield
  }
  return 'done'
}

it('pauses a computation every few milliseconds', async () => {
  const pause = vi.fn(() => Promise.resolve())
  expect(await runInSlices(busy(30, 1), pause)).toBe('done')
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(4)
})

it('runs a short computation without a pause', async () => {
  const pause = vi.fn(() => Promise.resolve())
  expect(await runInSlices(busy(10, 0), pause)).toBe('done')
  expect(pause).not.toHaveBeenCalled()
  expect(runAtOnce(busy(10, 0))).toBe('done')
})

it('rejects with the error of a step', async () => {
  function* failing(): Generator<undefined, never> {
    yield
    throw new Error('step 2')
  }
  await expect(runInSlices(failing(), () => Promise.resolve())).rejects.toThrow('step 2')
})
