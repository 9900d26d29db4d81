import { describe, expect, it } from 'vitest'
import { newCode, setupCode } from './setup-code.js'

const none = { version: 0, hash: null }
const [here, elsewhere] = ['192.0.2.1', '198.51.100.1']

it('refuses the right code of a network from its tenth wrong one until a minute after its first', () => {
  let now = 1_000
  const code = setupCode(() => now)
  const right = code.issue(none)
  const outcome = (given: string, network = here) => {
    try {
      code.check(given, network, none)
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
  const right = code.issue(none)
  const fail = (network: string) => expect(() => code.check('AAAA-AAAA', network, none)).toThrow(/^code must be/)
  for (let i = 0; i < 10; i++) fail(here)
  for (let i = 0; i < 9_999; i++) fail(`network ${i}`)
  expect(() => code.check(right, here, none)).toThrow(/^Too many codes were wrong/)
  fail('one more')
  code.check(right, here, none)
})

it('accepts no code before one is issued, nor after it was discarded', () => {
  const code = setupCode()
  expect(() => code.check('', here, none)).toThrow(/^code must be/)
  const issued = code.issue(none)
  code.check(issued, here, none)
  code.discard()
  expect(code.isIssued(none)).toBe(false)
  expect(() => code.check(issued, here, none)).toThrow(/^code must be/)
})

it('issues another code each time', () => {
  const code = setupCode()
  expect(new Set(Array.from({ length: 100 }, () => code.issue(none))).size).toBe(100)
})

describe('a stored code', () => {
  const [one, two] = [newCode(), newCode()]
  const [first, second] = [
    { version: 1, hash: one.hash },
    { version: 2, hash: two.hash },
  ]

  it('ends the code that the process has issued before it', () => {
    const code = setupCode()
    const atStart = code.issue(none)
    expect(() => code.check(atStart, here, first)).toThrow(/^code must be/)
    code.check(one.code, here, first)
  })

  it('stays accepted beside the code that the process issues after it, until another one ends both', () => {
    const code = setupCode()
    const atStart = code.issue(first)
    code.check(one.code, here, first)
    code.check(atStart, here, first)
    for (const old of [one.code, atStart]) expect(() => code.check(old, here, second)).toThrow(/^code must be/)
    code.check(two.code, here, second)
  })

  it('is accepted by a process that has issued no code', () => {
    const code = setupCode()
    expect([code.isIssued(first), code.isIssued(none)]).toEqual([true, false])
    code.check(one.code.toLowerCase(), here, first)
  })

  it('of an account that was deleted leaves no code accepted', () => {
    const code = setupCode()
    code.issue(none)
    expect(code.isIssued({ version: 1, hash: null })).toBe(false)
  })
})
