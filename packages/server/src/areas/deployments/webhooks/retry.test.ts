import { describe, expect, it } from 'vitest'
import { outcomeOf, usualBackoff } from './retry.js'

const now = 1_000_000
const at = { now, random: 0.5, backoff: usualBackoff }

it.each([200, 202, 204, 299])('%i is a success', (status) => {
  expect(outcomeOf({ status }, 1, at)).toEqual({ state: 'delivered', dueAt: null, status, error: null })
})

it('410 ends the delivery', () => {
  const error = 'The target answered 410.'
  expect(outcomeOf({ status: 410 }, 1, at)).toEqual({ state: 'failed', dueAt: null, status: 410, error })
})

describe('anything else is repeated', () => {
  it.each([100, 301, 307, 400, 404, 409, 429, 500, 503])('%i', (status) => {
    const error = `The target answered ${String(status)}.`
    expect(outcomeOf({ status }, 1, at)).toEqual({ state: 'waiting', dueAt: now + 5_000, status, error })
  })

  it('no answer', () => {
    const error = 'The target refused the connection.'
    expect(outcomeOf({ error }, 1, at)).toEqual({ state: 'waiting', dueAt: now + 5_000, status: null, error })
  })
})

it('waits longer after each attempt, and ends after the eighth', () => {
  const waits = Array.from({ length: 8 }, (_, index) => outcomeOf({ status: 500 }, index + 1, at))
  expect(waits.map(({ dueAt }) => dueAt && (dueAt - now) / 1000)).toEqual([5, 30, 120, 600, 3600, 10800, 43200, null])
  expect(waits.at(-1)?.state).toBe('failed')
})

it('spreads the retries by a tenth in both directions', () => {
  const dueAt = (random: number) => outcomeOf({ status: 500 }, 1, { ...at, random }).dueAt
  expect([dueAt(0), dueAt(1)]).toEqual([now + 4_500, now + 5_500])
})
