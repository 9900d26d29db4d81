import { expect, it } from 'vitest'
import { periodOf } from './period.js'

const ms = (text: string) => Date.parse(text)

it('both days are included', () => {
  expect(periodOf({ since: '2026-11-22', until: '2026-11-23' })).toEqual({
    from: ms('2026-11-22T00:00:00Z'),
    to: ms('2026-11-24T00:00:00Z'),
  })
})

it('one of the days is enough', () => {
  expect(periodOf({})).toBeUndefined()
  expect(periodOf({ since: '2026-11-22' })).toEqual({ from: ms('2026-11-22'), to: Number.MAX_SAFE_INTEGER })
  expect(periodOf({ until: '2026-11-22' })).toEqual({ from: 0, to: ms('2026-11-23') })
})

it.each(['2026-02-30', '2026-13-01', '0001-01-01', '2026-1-1', 'today', '', '2026-11-22T00:00:00Z'])(
  'refuses %j',
  (text) => {
    expect(() => periodOf({ since: text })).toThrow(/^since must be a day such as 2026-11-23, not /)
    expect(() => periodOf({ until: text })).toThrow(/^until must be a day/)
  },
)
