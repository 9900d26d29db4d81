import { describe, expect, it } from 'vitest'
import { dateOf, dayOf, everyDay, lastDays } from './days.js'

const midnight = Date.parse('2026-11-23T00:00:00Z')

describe('a day', () => {
  it.each([
    ['1970-01-01T00:00:00.000Z', 0, '1970-01-01'],
    ['1970-01-01T23:59:59.999Z', 0, '1970-01-01'],
    ['2024-02-29T12:00:00.000Z', 19_782, '2024-02-29'],
    ['2026-11-23T00:00:00.000Z', 20_780, '2026-11-23'],
    ['2026-11-22T23:59:59.999Z', 20_779, '2026-11-22'],
  ])('the day of %s is %i, in UTC', (time, day, date) => {
    expect([dayOf(Date.parse(time)), dateOf(day)]).toEqual([day, date])
  })
})

describe('a history', () => {
  it('a history ends with today, and has the days of a month that ends within it', () => {
    const days = everyDay(lastDays(30, midnight), [], {}).map(({ day }) => day)
    expect(days).toHaveLength(30)
    expect([days[0], days[7], days[8], days[29]]).toEqual(['2026-10-25', '2026-11-01', '2026-11-02', '2026-11-23'])
  })

  it('a history has zeros on days without a row, the oldest day first', () => {
    const rows = [
      { day: dayOf(midnight), uses: 3 },
      { day: dayOf(midnight) - 2, uses: 1 },
    ]
    expect(everyDay(lastDays(3, midnight), rows, { uses: 0 })).toEqual([
      { day: '2026-11-21', uses: 1 },
      { day: '2026-11-22', uses: 0 },
      { day: '2026-11-23', uses: 3 },
    ])
  })
})
