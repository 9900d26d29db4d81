import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { allows, allowsSome, isPartOfZone, readableNames, requireAllowed, type Change, type Rule } from './rules.js'

const zone = (hosts?: readonly string[], rest: Partial<Rule> = {}): Rule => ({
  kind: 'zone',
  name: 'example.com',
  access: 'write',
  ...(hosts && { hosts }),
  ...rest,
})

const at = (host: string, type: 'A' | 'TXT' = 'TXT', access: Change['access'] = 'write'): Change => ({
  kind: 'zone',
  name: 'example.com',
  access,
  added: [{ host, type }],
})

describe('hosts of a rule', () => {
  it.each([
    ['www', 'www', true],
    ['www', 'www2', false],
    ['www', 'a.www', false],
    ['@', '@', true],
    ['@', 'www', false],
    ['*', 'www', true],
    ['*', '*', true],
    ['*', '@', false],
    ['*', 'a.b', false],
    ['*.dyn', 'home.dyn', true],
    ['*.dyn', '*.dyn', true],
    ['*.dyn', 'dyn', false],
    ['*.dyn', 'a.home.dyn', false],
    ['*.dyn', 'home.din', false],
    ['_acme-challenge.**', '_acme-challenge.www', true],
    ['_acme-challenge.**', '_acme-challenge.a.b', true],
    ['_acme-challenge.**', '_acme-challenge', false],
    ['_acme-challenge.**', 'x._acme-challenge.www', false],
    ['**', 'www', true],
    ['**', 'a.b', true],
    ['**', '@', false],
    ['*.**', 'a', false],
    ['*.**', 'a.b.c', true],
    ['*.dyn.**', 'a.dyn.x.y', true],
    ['*.dyn.**', 'a.dyn', false],
    ['a.*', 'a.b', false],
  ])('%s covers %s: %s', (pattern, host, expected) => {
    expect(allows([zone([pattern])], at(host))).toBe(expected)
  })
})

describe('allows', () => {
  it('everything without rules, and everything of a kind without rules of it', () => {
    expect(allows(undefined, at('www'))).toBe(true)
    expect(allows([{ kind: 'site', name: 'docs', access: 'read' }], at('www'))).toBe(true)
  })

  it.each<[string, Change, boolean]>([
    ['read with a read rule', at('www', 'A', 'read'), true],
    ['write with a read rule', at('www', 'A'), false],
    ['another zone', { ...at('www', 'A', 'read'), name: 'example.org' }, false],
    ['the release with a read rule', { kind: 'zone', name: 'example.com', access: 'whole' }, false],
  ])('%s', (_, change, expected) => {
    expect(allows([zone(undefined, { access: 'read' })], change)).toBe(expected)
  })

  it('claim and release need a write rule without hosts and types', () => {
    const whole: Change = { kind: 'zone', name: 'example.com', access: 'whole' }
    expect(allows([zone()], whole)).toBe(true)
    expect(allows([zone(['www'])], whole)).toBe(false)
    expect(allows([zone(undefined, { types: ['A'] })], whole)).toBe(false)
    expect(allows([zone(['www']), zone(undefined, { access: 'read' })], whole)).toBe(false)
  })

  it('a change needs every record that it removes and adds', () => {
    const [a, b] = [{ host: 'a', type: 'A' } as const, { host: 'b', type: 'A' } as const]
    const move: Change = { kind: 'zone', name: 'example.com', access: 'write', removed: [a], added: [b] }
    expect(allows([zone(['a', 'b'])], move)).toBe(true)
    expect(allows([zone(['a']), zone(['b'])], move)).toBe(true)
    expect(allows([zone(['a'])], move)).toBe(false)
    expect(allows([zone(['b'])], move)).toBe(false)
    expect(allows([zone(['a']), zone(['b'], { access: 'read' })], move)).toBe(false)
  })

  it('hosts and types of one rule belong together', () => {
    const rules = [zone(['a'], { types: ['A'] }), zone(['b'], { types: ['TXT'] })]
    expect([allows(rules, at('a', 'A')), allows(rules, at('a', 'TXT'))]).toEqual([true, false])
    expect([allows(rules, at('b', 'TXT')), allows(rules, at('b', 'A'))]).toEqual([true, false])
  })
})

it('the refusal names the kind of the rule, and has the code of the kind', () => {
  const refusal = (change: Change) => {
    try {
      requireAllowed([zone(), { kind: 'site', name: 'docs', access: 'read' }], change)
    } catch (error) {
      if (error instanceof ApiError) return [error.code, error.message, error.extra]
    }
    return undefined
  }
  expect(refusal({ ...at('www'), name: 'example.org' })).toEqual([
    'forbidden_zone',
    'No zone rule of this token allows this.',
    { zone: 'example.org' },
  ])
  expect(refusal({ kind: 'site', name: 'docs', access: 'write' })).toEqual([
    'forbidden',
    'No site rule of this token allows this.',
    {},
  ])
  expect(refusal({ kind: 'site', name: 'docs', access: 'read' })).toBeUndefined()
})

it('knows what rules of a kind can do at all', () => {
  const rules = [zone(['www']), zone(['www'], { name: 'example.org' }), zone(undefined, { access: 'read' })]
  expect((['read', 'write', 'whole'] as const).map((access) => allowsSome(rules, 'zone', access))).toEqual([
    true,
    true,
    false,
  ])
  expect(allowsSome(rules, 'site', 'write')).toBe(true)
  expect(readableNames(rules, 'zone')).toEqual(['example.com', 'example.org'])
  expect(readableNames(rules, 'site')).toBeUndefined()
  expect([isPartOfZone(rules, 'example.com'), isPartOfZone(rules, 'example.org')]).toEqual([false, true])
  expect([isPartOfZone(undefined, 'example.com'), isPartOfZone([], 'example.com')]).toEqual([false, false])
})
