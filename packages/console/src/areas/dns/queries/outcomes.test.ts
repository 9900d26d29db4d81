import { expect, it } from 'vitest'
import type { Counts } from './queries.js'
import { outcomes, seriesOf, sumOf } from './outcomes.js'

const counts = (first: number): Counts =>
  Object.fromEntries(outcomes.map(({ name }, at) => [name, first + at])) as Counts

it('the series of a chart make the total of all outcomes', () => {
  expect(seriesOf(counts(1))).toEqual({ answers: 1, no_data: 2, nxdomain: 3, others: 4 + 5 + 6 + 7 + 8 + 9 })
})

it('sums each outcome', () => {
  expect(sumOf([counts(1), counts(10)])).toMatchObject({ answers: 11, no_data: 13, updates: 27 })
  expect(sumOf([])).toMatchObject({ answers: 0, updates: 0 })
})
