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
    ['2026-11-23', '--expires must be in the future, not 2026-11-23.'],
    ['2026-11-23T11:59:59Z', '--expires must be in the future, not 2026-11-23T11:59:59Z.'],
    ['2026-11-23T12:00:00Z', '--expires must be in the future, not 2026-11-23T12:00:00Z.'],
  ])('%j is refused', (expires, message) => {
    expect(() => tokenLimits({ expires }, now)).toThrow(message)
  })

  it.each(['2027-02-31', '2027-01-31T12:00', '30', '30m', '4w', '-1d', '30D', 'tomorrow', ''])(
    '%j is refused with what is accepted',
    (expires) => {
      expect(() => tokenLimits({ expires }, now)).toThrow(
        `--expires must be a period such as 30d or 12h, a day such as 2027-01-31, a time such as 2027-01-31T18:30:00Z, or never, not ${JSON.stringify(expires)}.`,
      )
    },
  )
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

  it.each([[['any', '::1']], [['192.0.2.0/24,any']]])('%j is refused, because any is for every network', (network) => {
    expect(() => tokenLimits({ network }, now)).toThrow(
      '--network any is for every network: give no other network with it.',
    )
  })

  it.each([[['x']], [['']]])('%j is refused', (network) => {
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
