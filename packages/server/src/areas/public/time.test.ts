import { describe, expect, it } from 'vitest'
import { timeOf, timestampOf } from './time.js'

describe('timeOf', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000Z', 'Thu, 01 Jan 1970 00:00:00 +0000', 0],
    [1795167000000, '2026-11-20T09:30:00.000Z', 'Fri, 20 Nov 2026 09:30:00 +0000', 1795167000],
    [1795167000999, '2026-11-20T09:30:00.999Z', 'Fri, 20 Nov 2026 09:30:00 +0000', 1795167000],
    [1709164799001, '2024-02-28T23:59:59.001Z', 'Wed, 28 Feb 2024 23:59:59 +0000', 1709164799],
    [1709164800000, '2024-02-29T00:00:00.000Z', 'Thu, 29 Feb 2024 00:00:00 +0000', 1709164800],
    [4102444799999, '2099-12-31T23:59:59.999Z', 'Thu, 31 Dec 2099 23:59:59 +0000', 4102444799],
  ])('returns %d in every form', (unixMs, iso8601, rfc2822, unix) => {
    const [date, time] = [iso8601.slice(0, 10), iso8601.slice(11, 19)]
    expect(timeOf(unixMs)).toEqual({ iso8601, rfc2822, unix, unix_ms: unixMs, timezone: 'UTC', date, time })
    expect(timestampOf(unixMs)).toEqual({ unix, unix_ms: unixMs })
  })

  it('all forms name the same moment', () => {
    const { iso8601, rfc2822, unix, unix_ms } = timeOf(1795167000123)
    expect(Date.parse(iso8601)).toBe(unix_ms)
    expect(Date.parse(rfc2822)).toBe(unix * 1000)
  })
})
