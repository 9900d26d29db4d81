import { expect, it, vi } from 'vitest'
import { runAtOnce, runInSlices } from './slices.js'

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
