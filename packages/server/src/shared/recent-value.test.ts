import { expect, it } from 'vitest'
import { recentValue } from './recent-value.js'

it('reads once for calls at the same time and within the time, and again after it', async () => {
  let time = 0
  let reads = 0
  const get = recentValue(
    async () => ++reads,
    250,
    () => time,
  )
  expect(await Promise.all([get(), get()])).toEqual([1, 1])
  time = 249
  expect(await get()).toBe(1)
  time = 250
  expect(await Promise.all([get(), get()])).toEqual([2, 2])
})

it('reads again after a failure, which all waiting calls get', async () => {
  let reads = 0
  const get = recentValue(async () => {
    if (++reads === 1) throw new Error('made by the test')
    return reads
  }, 250)
  expect((await Promise.allSettled([get(), get()])).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await get()).toBe(2)
})
