import { expect, it } from 'vitest'
import { lazy } from './lazy.js'

it('creates the value once, for concurrent and later callers', async () => {
  let made = 0
  const get = lazy(async () => ++made)
  expect(await Promise.all([get(), get()])).toEqual([1, 1])
  expect(await get()).toBe(1)
})

it('creates nothing before the first use', () => {
  let made = 0
  lazy(async () => ++made)
  expect(made).toBe(0)
})

it('rejects all waiting callers after a failure, and tries again for the next', async () => {
  let tries = 0
  const get = lazy(async () => {
    if (++tries === 1) throw new Error('too many open files')
    return tries
  })
  const first = await Promise.allSettled([get(), get()])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await get()).toBe(2)
  expect(await get()).toBe(2)
})
