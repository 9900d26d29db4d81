import { expect, it } from 'vitest'
import { turns } from './turns.js'

it('begins one task in each turn of the event loop, also after one that fails', async () => {
  let turn = 0
  let isDone = false
  const count = () => {
    turn++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const oneEachTurn = turns()
  const outcomes = await Promise.allSettled(
    [1, 2, 3, 4].map((n) =>
      oneEachTurn(() => (n === 2 ? Promise.reject(new Error('failed')) : Promise.resolve([n, turn]))),
    ),
  )
  isDone = true
  expect(outcomes[1]).toMatchObject({ reason: new Error('failed') })
  const began = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  expect(began.map(([n]) => n)).toEqual([1, 3, 4])
  expect(new Set(began.map(([, at]) => at)).size).toBe(3)
})
