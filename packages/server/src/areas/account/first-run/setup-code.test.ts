import { expect, it } from 'vitest'
import { setupCode } from './setup-code.js'

it('refuses the right code from the tenth wrong one until a minute after the first', () => {
  let now = 1_000
  const code = setupCode(() => now)
  const right = code.issue()
  const outcome = (given: string) => {
    try {
      code.check(given)
      return 'accepted'
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  for (let i = 0; i < 10; i++) expect(outcome('AAAA-AAAA')).toBe('bad_request')
  now += 59_999
  expect(outcome(right)).toBe('unauthorized')
  now += 1
  expect(outcome(right)).toBe('accepted')
  for (let i = 0; i < 10; i++) expect(outcome('AAAA-AAAA')).toBe('bad_request')
  expect(outcome(right)).toBe('unauthorized')
})

it('accepts no code before one is issued, nor after it was discarded', () => {
  const code = setupCode()
  expect(() => code.check('')).toThrow(/^code must be/)
  const issued = code.issue()
  code.check(issued)
  code.discard()
  expect(code.isIssued()).toBe(false)
  expect(() => code.check(issued)).toThrow(/^code must be/)
})

it('issues another code each time', () => {
  const code = setupCode()
  expect(new Set(Array.from({ length: 100 }, () => code.issue())).size).toBe(100)
})
