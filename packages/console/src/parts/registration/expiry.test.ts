import { describe, expect, it } from 'vitest'
import { expiryLevel, expiryText, needsAttention, periodOf, periodOfMonth, timelineOf } from './expiry.js'

const now = Date.parse('2026-11-23T01:00:00.000Z')

describe.each([
  [null, 'unknown', 'unknown', 'unknown'],
  ['2026-11-20T01:00:00.000Z', 'expired', 'expired 3 days ago', 'expired'],
  ['2026-11-23T00:00:00.000Z', 'expired', 'expired today', 'expired'],
  ['2026-11-23T20:00:00.000Z', 'urgent', 'today', '2026-11'],
  ['2026-12-07T01:00:00.000Z', 'urgent', 'in 14 days', '2026-12'],
  ['2026-12-08T01:00:00.000Z', 'soon', 'in 15 days', '2026-12'],
  ['2027-01-22T01:00:00.000Z', 'soon', 'in 60 days', '2027-01'],
  ['2027-02-10T01:00:00.000Z', 'later', 'in 79 days', '2027-02'],
  ['2027-08-13T04:00:00.000Z', 'later', 'in 8 months', '2027-08'],
  ['2028-10-15T00:00:00.000Z', 'later', 'in 22 months', '2028-10'],
  ['2031-08-13T04:00:00.000Z', 'later', 'in 4 years', 'after'],
] as const)('a registration that ends at %s', (at, level, text, period) => {
  it(`has the level ${level}`, () => expect(expiryLevel(at, now)).toBe(level))
  it(`is told as "${text}"`, () => expect(expiryText(at, now)).toBe(text))
  it(`is in the period ${period}`, () => expect(periodOf(at, now)).toBe(period))
})

it('calls for attention up to 60 days before the expiry, and after it', () => {
  expect(needsAttention('2026-01-01T00:00:00.000Z', now)).toBe(true)
  expect(needsAttention('2027-01-22T01:00:00.000Z', now)).toBe(true)
  expect(needsAttention('2027-01-22T02:00:00.000Z', now)).toBe(false)
  expect(needsAttention(null, now)).toBe(false)
})

it('has 24 months from the current one on', () => {
  const months = timelineOf(now).map(periodOfMonth)
  expect(months).toHaveLength(24)
  expect([months[0], months[2], months.at(-1)]).toEqual(['2026-11', '2027-01', '2028-10'])
})
