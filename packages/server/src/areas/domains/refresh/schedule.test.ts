import { describe, expect, it } from 'vitest'
import { latestDueAt, nextAttempt, nextNight } from './schedule.js'

const hour = 60 * 60_000
const day = 24 * hour
const noon = Date.UTC(2026, 10, 20, 12)
const names = Array.from({ length: 2_000 }, (_, n) => `domain-${String(n)}.com`)

describe('nextNight', () => {
  it('spreads domains over the minutes from 00:00 to 06:00 UTC', () => {
    const minutes = names.map((name) => (nextNight(name, noon) % day) / 60_000)
    expect(minutes.every((minute) => Number.isInteger(minute) && minute < 360)).toBe(true)
    expect(new Set(minutes).size).toBeGreaterThan(340)
  })

  it('nextNight is the same minute every night', () => {
    for (const name of names.slice(0, 50)) {
      const first = nextNight(name, noon)
      expect([nextNight(name, first), nextNight(name, first + 11 * hour)]).toEqual([first + day, first + day])
    }
  })

  it.each([0, 1, 3, 6, 9, 12, 15, 18, 21])('nextNight is 12 to 36 hours after a refresh at %i:00', (hours) => {
    const now = Date.UTC(2026, 10, 20, hours)
    for (const name of names) {
      const wait = nextNight(name, now) - now
      expect(wait).toBeGreaterThanOrEqual(12 * hour)
      expect(wait).toBeLessThanOrEqual(36 * hour)
    }
  })

  it('nextNight is never later than the latest time of a schedule', () => {
    for (const name of names) expect(nextNight(name, noon)).toBeLessThan(latestDueAt(noon))
  })
})

it.each([
  [0, 1],
  [1, 2],
  [2, 4],
  [4, 16],
  [5, 24],
  [1_000_000, 24],
])('after %i earlier failures, the next attempt is in %i hours', (failures, hours) => {
  expect(nextAttempt(failures, noon)).toBe(noon + hours * hour)
})
