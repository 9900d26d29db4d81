import { expect, it } from 'vitest'
import { setupCode } from './setup-code.js'

const [here, elsewhere] = ['192.0.2.1', '198.51.100.1']

it('refuses the right code of a network from its tenth wrong one until a minute after its first', () => {
  let now = 1_000
  const code = setupCode(() => now)
  const right = code.issue()
  const outcome = (given: string, network = here) => {
    try {
      code.check(given, network)
      return 'accepted'
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  for (let i = 0; i < 10; i++) expect(outcome('AAAA-AAAA')).toBe('bad_request')
  now += 59_999
  expect(outcome(right)).toBe('unauthorized')
  expect(outcome(right, elsewhere)).toBe('accepted')
  now += 1
  expect(outcome(right)).toBe('accepted')
  for (let i = 0; i < 10; i++) expect(outcome('AAAA-AAAA')).toBe('bad_request')
  expect(outcome(right)).toBe('unauthorized')
})

it('forgets the oldest of more networks than it remembers', () => {
  const code = setupCode()
  const right = code.issue()
  const fail = (network: string) => expect(() => code.check('AAAA-AAAA', network)).toThrow(/^code must be/)
  for (let i = 0; i < 10; i++) fail(here)
  for (let i = 0; i < 9_999; i++) fail(`network ${i}`)
  expect(() => code.check(right, here)).toThrow(/^Too many codes were wrong/)
  fail('one more')
  code.check(right, here)
})

it('accepts no code before one is issued, nor after it was discarded', () => {
  const code = setupCode()
  expect(() => code.check('', here)).toThrow(/^code must be/)
  const issued = code.issue()
  code.check(issued, here)
  code.discard()
  expect(code.isIssued()).toBe(false)
  expect(() => code.check(issued, here)).toThrow(/^code must be/)
})

it('issues another code each time', () => {
  const code = setupCode()
  expect(new Set(Array.from({ length: 100 }, () => code.issue())).size).toBe(100)
})
