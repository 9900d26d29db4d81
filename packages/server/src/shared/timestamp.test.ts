import { describe, expect, it } from 'vitest'
import { timestamp } from './timestamp.js'

const dayMs = 86_400_000

describe('a time in answers', () => {
  it.each([
    ['the epoch', 0, '1970-01-01T00:00:00.000Z'],
    ['the last millisecond before it', -1, '1969-12-31T23:59:59.999Z'],
    ['a leap day', Date.UTC(2028, 1, 29, 9, 5, 7, 42), '2028-02-29T09:05:07.042Z'],
    ['the last millisecond of a year', Date.UTC(2026, 11, 31, 23, 59, 59, 999), '2026-12-31T23:59:59.999Z'],
    ['the first one of the next year', Date.UTC(2027, 0, 1), '2027-01-01T00:00:00.000Z'],
    ['a year of five digits', Date.UTC(10_000, 0, 1, 1), '+010000-01-01T01:00:00.000Z'],
  ])('formats %s as $2', (_, ms, text) => {
    expect(timestamp(ms)).toBe(text)
  })

  it('a time equals toISOString, also if the call before was for another day', () => {
    for (let ms = -3 * dayMs; ms < 3 * dayMs; ms += 7_919_993)
      for (const time of [ms, 1_795_167_000_000 + ms]) expect(timestamp(time)).toBe(new Date(time).toISOString())
  })

  it('rejects a time that Date does not have', () => {
    expect(() => timestamp(NaN)).toThrow(RangeError)
  })
})
