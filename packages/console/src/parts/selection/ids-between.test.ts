import { expect, it } from 'vitest'
import { idsBetween } from './ids-between.js'

it.each([
  ['downwards', 20, 40, [20, 30, 40]],
  ['upwards', 40, 20, [20, 30, 40]],
  ['from a row to itself', 30, 30, [30]],
  ['without a first row', undefined, 30, [30]],
  ['from a row that a filter hides', 99, 30, [30]],
])('selects a range %s, in the order of the list', (_, from, to, ids) => {
  expect(idsBetween([50, 20, 30, 40, 10], from, to)).toEqual(ids)
})
