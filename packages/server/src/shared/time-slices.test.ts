import { expect, it } from 'vitest'
import { TimeSlices } from './time-slices.js'

it('lets the event loop run after each slice', async () => {
  const slices = new TimeSlices(new AbortController().signal)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const until = performance.now() + 100
  while (performance.now() < until) if (slices.isOver) await slices.next()
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
