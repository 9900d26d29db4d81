import { expect, it } from 'vitest'
import { formatDate } from '../../parts/format.js'
import { daysOf } from './days.js'

const now = new Date(2026, 10, 27, 12).getTime()
const at = (...parts: [number, number, number, number]) => ({ at: new Date(...parts).toISOString() })

it('groups events by the days of the browser, in their order', () => {
  const [late, early, yesterday, before] = [
    at(2026, 10, 27, 11),
    at(2026, 10, 27, 0),
    at(2026, 10, 26, 23),
    at(2025, 10, 27, 11),
  ] as const
  expect(daysOf([late, early, yesterday, before], now)).toEqual([
    { title: 'Today', events: [late, early] },
    { title: 'Yesterday', events: [yesterday] },
    { title: formatDate(before.at), events: [before] },
  ])
})

it('no events have no days', () => {
  expect(daysOf([], now)).toEqual([])
})
