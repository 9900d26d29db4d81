import { expect, it, vi } from 'vitest'
import { batchedCalls, fulfilled } from './batched-calls.js'

/** Doubles numbers, one batch after another, each when `next` is called. */
function doubling(batchMax = 100) {
  const batches: (readonly number[])[] = []
  const ends: ((failure?: Error) => void)[] = []
  const double = batchedCalls<number, number>(async (inputs) => {
    batches.push(inputs)
    await new Promise<void>((resolve, reject) => {
      ends.push((failure) => {
        if (failure) reject(failure)
        else resolve()
      })
    })
    return inputs.map((input) =>
      input < 0 ? { status: 'rejected', reason: new Error(`${input} is negative`) } : fulfilled(2 * input),
    )
  }, batchMax)
  return { batches, double, next: (failure?: Error) => ends.shift()?.(failure) }
}

it('a call runs at once, and the calls that arrive meanwhile run together', async () => {
  const { batches, double, next } = doubling()
  const first = double(1)
  const others = [double(2), double(3)]
  expect(batches).toEqual([[1]])
  next()
  expect(await first).toBe(2)
  expect(batches).toEqual([[1], [2, 3]])
  next()
  expect(await Promise.all(others)).toEqual([4, 6])
  const later = double(4)
  next()
  expect(await later).toBe(8)
})

it('each call settles with its outcome', async () => {
  const { double, next } = doubling()
  const calls = [double(1), double(-2), double(3)]
  next()
  await calls[0]
  next()
  expect(await Promise.allSettled(calls)).toMatchObject([
    { value: 2 },
    { reason: new Error('-2 is negative') },
    { value: 6 },
  ])
})

it('a batch that fails as a whole fails its calls; the next batch runs', async () => {
  const { double, next } = doubling()
  const first = double(1)
  const second = double(2)
  next(new Error('database gone'))
  await expect(first).rejects.toThrow('database gone')
  next()
  expect(await second).toBe(4)
})

it('a batch that fails also fails the calls that have waited longer than a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const { batches, double, next } = doubling()
    const first = double(1)
    const early = double(2)
    vi.advanceTimersByTime(1_001)
    const recent = double(3)
    next(new Error('database gone'))
    await expect(first).rejects.toThrow('database gone')
    await expect(early).rejects.toThrow('database gone')
    next()
    expect(await recent).toBe(6)
    expect(batches).toEqual([[1], [3]])
  } finally {
    vi.useRealTimers()
  }
})

it('a batch has at most batchMax calls; the others form the next one', async () => {
  const { batches, double, next } = doubling(2)
  const calls = [1, 2, 3, 4].map(double)
  for (const call of calls) {
    next()
    await call
  }
  expect(batches).toEqual([[1], [2, 3], [4]])
})

it('a slow batch does not hold up the next one', async () => {
  const { batches, double, next } = doubling()
  const calls = [double(1), double(2)]
  await vi.waitFor(() => expect(batches).toEqual([[1], [2]]))
  next()
  next()
  expect(await Promise.all(calls)).toEqual([2, 4])
})

it('refuses calls while 10,000 wait', async () => {
  const { double } = doubling()
  for (let n = 0; n <= 10_000; n++) void double(n)
  await expect(double(0)).rejects.toThrow('10000 calls are waiting already.')
})
