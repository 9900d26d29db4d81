import { expect, it } from 'vitest'
import { formatDate } from '../../../parts/format.js'
import { byDay } from './days.js'

/** Local times: the days are those of the browser's time zone. */
const local = (day: number, hour: number) => ({ at: new Date(2026, 10, day, hour).toISOString() })
const now = new Date(2026, 10, 27, 0, 30).getTime()

it('groups changes by local day, and names today and yesterday', () => {
  const changes = [local(27, 0), local(26, 23), local(26, 0), local(20, 12)]
  expect(byDay(changes, now)).toEqual([
    { key: '2026-11-27', label: 'Today', items: [changes[0]] },
    { key: '2026-11-26', label: 'Yesterday', items: [changes[1], changes[2]] },
    { key: '2026-11-20', label: formatDate(changes[3]?.at ?? ''), items: [changes[3]] },
  ])
})

it('names the last day of a month yesterday on the first', () => {
  const first = new Date(2026, 11, 1, 9).getTime()
  expect(byDay([local(30, 9)], first)[0]?.label).toBe('Yesterday')
})

it('is empty without changes', () => {
  expect(byDay([], now)).toEqual([])
})
