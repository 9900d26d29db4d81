import { expect, it } from 'vitest'
import { converted, formatAmount, formatRate } from './amount.js'

it.each([
  [100, 0.86, 86],
  [3, 0.1, 0.3],
  [0, 0.86, 0],
  [Number.NaN, 0.86, 0],
])('converts %d at %d to %d', (amount, rate, result) => {
  expect(converted(amount, rate)).toBe(result)
})

it.each([
  [1234.5, '1,234.50'],
  [0, '0.00'],
  [0.00012345, '0.0001235'],
])('formats the amount %d as %s', (amount, text) => {
  expect(formatAmount(amount)).toBe(text)
})

it('formats a rate with six digits', () => {
  expect([formatRate(0.859_123_9), formatRate(152.347_91)]).toEqual(['0.859124', '152.348'])
})
