import { describe, expect, it } from 'vitest'
import { keepHours, tokenLimits } from './token-limits.js'

/** The limits of a token as the command line gets them. */

const now = Date.parse('2026-11-23T12:00:00Z')
const at = (text: string) => Date.parse(text)

describe('--expires', () => {
  it.each([
    ['30d', at('2026-12-23T12:00:00Z')],
    ['12h', at('2026-11-24T00:00:00Z')],
    ['2027-01-31', at('2027-01-31T00:00:00Z')],
    ['2027-01-31T18:30:00+01:00', at('2027-01-31T17:30:00Z')],
    ['never', null],
  ])('%s', (expires, expiresAt) => {
    expect(tokenLimits({ expires }, now)).toEqual({ expiresAt })
  })

  it.each([
    ['0d', '--expires must be in the future, not 0d.'],
    ['2026-11-23', '--expires must be in the future, not 2026-11-23T00:00:00Z: revoke or pause the token instead.'],
    ['2027-02-31', '--expires must be a time such as 2027-01-31T00:00:00Z, not "2027-02-31T00:00:00Z".'],
    ['30', '--expires must be a time such as 2027-01-31T00:00:00Z, not "30".'],
    ['30m', '--expires must be a time such as 2027-01-31T00:00:00Z, not "30m".'],
    ['-1d', '--expires must be a time such as 2027-01-31T00:00:00Z, not "-1d".'],
    ['', '--expires must be a time such as 2027-01-31T00:00:00Z, not "".'],
  ])('%j is refused', (expires, message) => {
    expect(() => tokenLimits({ expires }, now)).toThrow(message)
  })
})

describe('--unused-days', () => {
  it.each([
    ['1', 1],
    ['3650', 3650],
    ['never', null],
  ])('%s', (unusedDays, days) => {
    expect(tokenLimits({ unusedDays }, now)).toEqual({ unusedDays: days })
  })

  it.each(['0', '3651', '-1', '1.5', 'x', ''])('%j is refused', (unusedDays) => {
    expect(() => tokenLimits({ unusedDays }, now)).toThrow(
      `--unused-days must be 1 to 3650, or never, not ${JSON.stringify(unusedDays)}.`,
    )
  })
})

describe('--network', () => {
  it.each([
    [
      ['192.0.2.7/24', '::1'],
      ['192.0.2.0/24', '::1/128'],
    ],
    [['192.0.2.1, 192.0.2.2'], ['192.0.2.1/32', '192.0.2.2/32']],
    [['any'], []],
  ])('%j', (network, networks) => {
    expect(tokenLimits({ network }, now)).toEqual({ networks })
  })

  it.each([[['x']], [['any', '::1']], [['']]])('%j is refused', (network) => {
    expect(() => tokenLimits({ network }, now)).toThrow(/^--network must list addresses and networks such as /)
  })
})

it('flags that are left out change nothing', () => {
  expect(tokenLimits({}, now)).toEqual({})
})

describe('--keep', () => {
  it.each([
    [undefined, 0],
    ['0h', 0],
    ['24h', 24],
  ])('%s', (text, hours) => {
    expect(keepHours(text)).toBe(hours)
  })

  it.each(['25h', '24', '-1h', '1d', ''])('%j is refused', (text) => {
    expect(() => keepHours(text)).toThrow(`--keep must be 0h to 24h, not ${JSON.stringify(text)}.`)
  })
})
