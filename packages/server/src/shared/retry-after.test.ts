import { expect, it } from 'vitest'
import { retryAfterMs } from './retry-after.js'

const now = Date.UTC(2026, 10, 27)

it.each([
  ['seconds', '120', 120_000],
  ['a date', 'Fri, 27 Nov 2026 00:01:00 GMT', 60_000],
  ['a date that is over', 'Thu, 26 Nov 2026 00:00:00 GMT', 0],
  ['no header', undefined, undefined],
  ['text', 'soon', undefined],
  ['a date without a zone', '2026-11-28', undefined],
  ['a negative number', '-1', undefined],
])('%s', (_, header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected)
})
