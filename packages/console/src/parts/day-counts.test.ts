import { historyDaysDefault } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import {
  daysIn,
  daysToRead,
  describeDays,
  formatDay,
  formatEntry,
  withDaysBefore,
  withWeekBefore,
} from './day-counts.js'

describe('days in the address', () => {
  it.each([
    ['7', 7],
    ['90', 90],
    [null, historyDaysDefault],
    ['', historyDaysDefault],
    ['8', historyDaysDefault],
    ['7.0', historyDaysDefault],
  ])('%j in the address selects %i days', (text, days) => {
    expect(daysIn(text)).toBe(days)
  })
})

it('a day is that of UTC in every time zone', () => {
  expect(formatDay('2026-11-23')).toMatch(/23/)
})

describe('the description of a history', () => {
  const entries = [
    { day: '2026-11-21', hits: 1, misses: 2 },
    { day: '2026-11-22', hits: 1_000, misses: 200 },
    { day: '2026-11-23', hits: 0, misses: 1 },
  ]

  it('the description of a history has the sum, and the day with the most', () => {
    const { total, most } = describeDays(entries, ['hits', 'misses'])
    expect(total).toBe(1_204)
    expect(most).toBe(`most on ${formatDay('2026-11-22')}: 1,200`)
  })

  it('the description of a history names no day if all counts are zero', () => {
    expect(describeDays([{ day: '2026-11-23', uses: 0 }], ['uses'])).toEqual({ total: 0, most: '' })
  })
})

describe('the days before a history', () => {
  const days = [1, 2, 3, 4].map((uses) => ({ day: `2026-11-2${String(uses)}`, uses }))

  it('they are read with it, if the server has so many', () => {
    expect([7, 30, 90].map(daysToRead)).toEqual([14, 60, 90])
  })

  it('each day has the total of the day as long before', () => {
    expect(withDaysBefore(days, 2, ['uses'])).toEqual({ unit: 'day', entries: days.slice(2), before: [1, 2] })
  })

  it('omits the totals if days before are missing', () => {
    expect(withDaysBefore(days, 3, ['uses'])).toEqual({ unit: 'day', entries: days.slice(1), before: [] })
  })
})

describe('the hours of a history', () => {
  const hours = [
    { day: '2026-11-23T09:00:00.000Z', uses: 1, weekBefore: 4 },
    { day: '2026-11-23T10:00:00.000Z', uses: 3, weekBefore: 0 },
  ]

  it('each hour has the total of the same hour a week before', () => {
    expect(withWeekBefore<'uses'>(hours)).toEqual({ unit: 'hour', entries: hours, before: [4, 0] })
  })

  it('omits the week before if nothing was counted then', () => {
    const first = hours.map((hour) => ({ ...hour, weekBefore: 0 }))
    expect(withWeekBefore<'uses'>(first).before).toEqual([])
  })

  it('the hour with the most is named by its time in the time zone of the browser', () => {
    const time = new Date('2026-11-23T10:00:00.000Z').toLocaleTimeString(undefined, { timeStyle: 'short' })
    expect(formatEntry('2026-11-23T10:00:00.000Z')).toBe(time)
    expect(describeDays(hours, ['uses'])).toEqual({ total: 4, most: `most at ${time}: 3` })
  })
})
