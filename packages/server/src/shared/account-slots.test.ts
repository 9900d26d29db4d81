import { expect, it } from 'vitest'
import { AccountSlots } from './account-slots.js'

/** Work that ends when the test says so. */
function held() {
  const ends: (() => void)[] = []
  let running = 0
  const work = () => {
    running++
    return new Promise<string>((resolve) => {
      ends.push(() => {
        running--
        resolve('done')
      })
    })
  }
  return { work, running: () => running, end: () => ends.shift()?.() }
}

it('an account has a number of calls that run, a number that wait, and the others are refused', async () => {
  const slots = new AccountSlots(2, 1, 60_000)
  const { work, running, end } = held()
  const results = [1, 2, 3, 4].map(() => slots.run(7, work))
  expect(await results[3]).toBeUndefined()
  expect(running()).toBe(2)
  end()
  expect(await results[0]).toBe('done')
  await expect.poll(running).toBe(2)
  end()
  end()
  expect(await Promise.all(results.slice(0, 3))).toEqual(['done', 'done', 'done'])
})

it('the work of another account does not wait', async () => {
  const slots = new AccountSlots(1, 1, 60_000)
  const { work, running, end } = held()
  const results = [slots.run(7, work), slots.run(8, work)]
  await expect.poll(running).toBe(2)
  end()
  end()
  expect(await Promise.all(results)).toEqual(['done', 'done'])
})

it('refuses work that has waited too long', async () => {
  const slots = new AccountSlots(1, 1, 1)
  const { work, end } = held()
  const first = slots.run(7, work)
  expect(await slots.run(7, work)).toBeUndefined()
  end()
  expect(await first).toBe('done')
})

it('work that fails gives its slot back', async () => {
  const slots = new AccountSlots(1, 0, 60_000)
  await expect(slots.run(7, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await slots.run(7, () => Promise.resolve('done'))).toBe('done')
})
