import { describe, expect, it } from 'vitest'
import { outcomeOf, defaultBackoff } from './retry.js'

const now = 1_000_000
/** An answer of a target. */
const answer = (status: number, retryAfter?: string) => ({ status, retryAfter })
const at = { now, random: 0.5, backoff: defaultBackoff }

it.each([200, 202, 204, 299])('%i is a success', (status) => {
  expect(outcomeOf(answer(status), 1, at)).toEqual({
    state: 'delivered',
    dueAt: null,
    pausedUntil: null,
    status,
    error: null,
  })
})

it('410 ends the delivery', () => {
  const error = 'The target answered 410.'
  expect(outcomeOf(answer(410), 1, at)).toEqual({ state: 'failed', dueAt: null, pausedUntil: null, status: 410, error })
})

describe('anything else is repeated', () => {
  it.each([100, 301, 307, 400, 404, 409, 429, 500, 503])(
    'a delivery that is answered with %i is repeated',
    (status) => {
      const error = `The target answered ${String(status)}.`
      expect(outcomeOf(answer(status), 1, at)).toEqual({
        state: 'waiting',
        dueAt: now + 5_000,
        pausedUntil: null,
        status,
        error,
      })
    },
  )

  it('a delivery without an answer is repeated', () => {
    const error = 'The target refused the connection.'
    expect(outcomeOf({ error }, 1, at)).toEqual({
      state: 'waiting',
      dueAt: now + 5_000,
      pausedUntil: null,
      status: null,
      error,
    })
  })
})

it('waits longer after each attempt, and ends after the eighth', () => {
  const waits = Array.from({ length: 8 }, (_, index) => outcomeOf(answer(500), index + 1, at))
  expect(waits.map(({ dueAt }) => dueAt && (dueAt - now) / 1000)).toEqual([5, 30, 120, 600, 3600, 10800, 43200, null])
  expect(waits.at(-1)?.state).toBe('failed')
})

it('spreads the retries by a tenth in both directions', () => {
  const dueAt = (random: number) => outcomeOf(answer(500), 1, { ...at, random }).dueAt
  expect([dueAt(0), dueAt(1)]).toEqual([now + 4_500, now + 5_500])
})

it.each<[string, number, number | null]>([
  ['60', 60_000, 60_000],
  ['3', 5_000, 3_000],
  ['86400', 3_600_000, 3_600_000],
  [new Date(now + 90_000).toUTCString(), 90_000, 90_000],
  [new Date(now - 90_000).toUTCString(), 5_000, null],
  ['0', 5_000, null],
  ['soon', 5_000, null],
  ['-5', 5_000, null],
])(
  'with Retry-After %s the next attempt is %i ms later, and the webhook is paused for %j ms',
  (header, wait, pause) => {
    const { dueAt, pausedUntil } = outcomeOf(answer(429, header), 1, at)
    expect([dueAt, pausedUntil]).toEqual([now + wait, pause === null ? null : now + pause])
  },
)
