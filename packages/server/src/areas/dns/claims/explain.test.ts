import { expect, it } from 'vitest'
import type { LookUp } from '../../../ports/resolver/port.js'
import { lookUpJson, unprovenNote } from './explain.js'
import { describeReplies } from './replies.js'

const name = '_svcdns-verify.example.com'
const at = 1_795_000_000_000
const found = (...values: string[]) => ({ resolver: '192.0.2.1', result: 'found', values }) as const
const without = (resolver: string, result: Exclude<LookUp[number]['result'], 'found'>) => ({
  resolver,
  result,
  values: [],
})
const unproven = { isProven: false, isFromWildcard: false }
const lookUpOf = (replies: LookUp) => ({ type: 'TXT', name, expected: ['abc'], replies, at, ...unproven }) as const

it.each<[LookUp, string]>([
  [[found('x')], '192.0.2.1 found "x"'],
  [[found('x', 'y', 'z', '1', '2')], '192.0.2.1 found "x", "y", "z", and 2 more'],
  [[found('a\u001b[31m\u202eb'), found('q"')], '192.0.2.1 found "a\ufffd[31m\ufffdb"; 192.0.2.1 found "q\\""'],
  [[found('x'.repeat(300))], `192.0.2.1 found "${'x'.repeat(60)}…"`],
  [[without('1.1', 'nxdomain')], '1.1 answered that the name does not exist (NXDOMAIN)'],
  [[without('1.1', 'no_data')], '1.1 answered that the name has no TXT record'],
  [[without('1.1', 'servfail')], '1.1 failed to resolve it (SERVFAIL)'],
  [[without('1.1', 'refused')], '1.1 refused the query (REFUSED)'],
  [[without('1.1', 'invalid')], '1.1 answered with an error'],
  [
    [without('1.1', 'timeout'), without('2.2', 'timeout'), without('3.3', 'unreachable')],
    '1.1 and 2.2 did not answer in time; 3.3 could not be reached',
  ],
  [[], 'the system has no resolvers'],
])('the replies of the resolvers are described as $1', (replies, text) => {
  expect(describeReplies('TXT', replies)).toBe(text)
})

it('names the look-up, the expected value and the answers', () => {
  expect(unprovenNote('example.com', lookUpOf([found('x')]))).toBe(
    'example.com is still pending: the TXT record _svcdns-verify.example.com must have the value "abc", but 192.0.2.1 found "x".',
  )
  const legacy = { ...lookUpOf([without('1.1', 'no_data')]), type: 'NS', name: 'example.com' } as const
  expect(unprovenNote('example.com', { ...legacy, expected: ['ns1.a.net', 'ns2.a.net'] })).toBe(
    'example.com is still pending: the NS records of example.com must be exactly ns1.a.net and ns2.a.net, but 1.1 answered that the name has no NS record.',
  )
})

it('shows at most ten values of a resolver, cut and without control characters', () => {
  const values = ['x'.repeat(300), 'a\u0000\u009bb', ...Array.from({ length: 10 }, (_, n) => String(n))]
  expect(lookUpJson(lookUpOf([found(...values), without('1.1', 'timeout')]))).toEqual({
    type: 'TXT',
    name,
    expected: ['abc'],
    looked_up_at: '2026-11-18T11:06:40.000Z',
    resolvers: [
      {
        resolver: '192.0.2.1',
        result: 'found',
        more: 2,
        values: [`${'x'.repeat(255)}…`, 'a\ufffd\ufffdb', '0', '1', '2', '3', '4', '5', '6', '7'],
      },
      { resolver: '1.1', result: 'timeout', values: [], more: 0 },
    ],
  })
})

it('names a wildcard that answered with the value', () => {
  expect(unprovenNote('example.com', { ...lookUpOf([found('abc')]), isFromWildcard: true })).toBe(
    'example.com is still pending: a wildcard of the zone answers _svcdns-verify.example.com, which proves nothing. Create the TXT record at this name, or wait until resolvers have forgotten the wildcard.',
  )
})
