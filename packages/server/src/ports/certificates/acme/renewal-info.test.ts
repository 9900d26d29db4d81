import { expect, it } from 'vitest'
import { readRenewalInfo } from './renewal-info.js'

const suggestedWindow = { start: '2026-12-01T00:00:00Z', end: '2026-12-02T00:00:00Z' }

it.each([
  ['missing', undefined, 21_600_000],
  ['of a second', 1_000, 60_000],
  ['of an hour', 3_600_000, 3_600_000],
  ['of a year', 365 * 86_400_000, 86_400_000],
])('Retry-After is kept within a minute and a day: %s', (_, waitMs, askAgainMs) => {
  expect(readRenewalInfo({ json: { suggestedWindow }, waitMs })).toEqual({
    start: Date.UTC(2026, 11, 1),
    end: Date.UTC(2026, 11, 2),
    askAgainMs,
    explanationUrl: undefined,
  })
})

it.each([
  ['https://ca.test/incident', 'https://ca.test/incident'],
  ['javascript:alert(1)', undefined],
  ['https://ca.test/\u001b[31m', undefined],
  [`https://ca.test/${'x'.repeat(500)}`, undefined],
  [7, undefined],
])('the page with the reason is kept if it is a URL of HTTP: %s', (explanationURL, expected) => {
  const json = { suggestedWindow, explanationURL }
  expect(readRenewalInfo({ json, waitMs: undefined }).explanationUrl).toBe(expected)
})

it.each([
  { start: suggestedWindow.end, end: suggestedWindow.start },
  { start: suggestedWindow.start, end: suggestedWindow.start },
  { start: suggestedWindow.start },
  { start: 1, end: 2 },
  { start: 'soon', end: 'later' },
  undefined,
])('a window that is not one is refused: %j', (window) => {
  expect(() => readRenewalInfo({ json: { suggestedWindow: window }, waitMs: undefined })).toThrow(
    'The CA gave a renewal window that is not one.',
  )
})
