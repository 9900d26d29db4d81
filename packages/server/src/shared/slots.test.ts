import { expect, it } from 'vitest'
import { KeyedSlots } from './slots.js'

const slotsOf = (running: number, waiting: number) =>
  new KeyedSlots<number>({ each: { running, waiting }, busy: (key) => new Error(`${key} is busy`) })

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
  const slots = slotsOf(2, 1)
  const { work, running, end } = held()
  const results = [1, 2, 3].map(() => slots.run(7, Infinity, work))
  await expect(slots.run(7, Infinity, work)).rejects.toThrow('7 is busy')
  expect(running()).toBe(2)
  end()
  expect(await results[0]).toBe('done')
  await expect.poll(running).toBe(2)
  end()
  end()
  expect(await Promise.all(results)).toEqual(['done', 'done', 'done'])
})

it('the work of another account does not wait', async () => {
  const slots = slotsOf(1, 1)
  const { work, running, end } = held()
  const results = [slots.run(7, Infinity, work), slots.run(8, Infinity, work)]
  await expect.poll(running).toBe(2)
  end()
  end()
  expect(await Promise.all(results)).toEqual(['done', 'done'])
})

it('refuses work that has waited too long', async () => {
  const slots = slotsOf(1, 1)
  const { work, end } = held()
  const first = slots.run(7, Infinity, work)
  await expect(slots.run(7, performance.now() + 1, work)).rejects.toThrow('7 is busy')
  end()
  expect(await first).toBe('done')
})

it('work that fails gives its slot back', async () => {
  const slots = slotsOf(1, 0)
  await expect(slots.run(7, Infinity, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await slots.run(7, Infinity, () => Promise.resolve('done'))).toBe('done')
})
