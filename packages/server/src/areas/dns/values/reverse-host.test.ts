import { describe, expect, it } from 'vitest'
import { checkNewRecord, checkRecord, mergeRecord } from '../records/check.js'
import { reverseHostProblem } from './reverse-host.js'

const v4 = '2.0.192.in-addr.arpa'
const v6 = '8.b.d.0.1.0.0.2.ip6.arpa'
const whole = `1.${v4}`

it.each([
  [v4, '@'],
  [v4, '0'],
  [v4, '255'],
  [v4, '*'],
  [v4, '1.0-25'],
  [v4, '*.0-25'],
  [v4, '1.customer'],
  [v4, 'b._dns-sd._udp.0'],
  [v4, 'b._dns-sd._udp'],
  ['192.in-addr.arpa', '3.2.1'],
  ['192.in-addr.arpa', '1'],
  ['192.in-addr.arpa', '*.2.1'],
  [v6, '0'],
  [v6, '*.f'],
  [v6, Array(24).fill('a').join('.')],
  [whole, '@'],
  ['example.com', 'www'],
])('a PTR record in %s can be at %s', (zone, host) => {
  expect(reverseHostProblem(zone, host)).toBeUndefined()
})

const octet = 'a number from 0 to 255 without leading zeros, such as 1'
const octets = 'at most 3 numbers from 0 to 255 without leading zeros, the last of the address first, such as 2.1'
const nibbles = 'at most 24 hexadecimal digits, the last of the address first and each a separate label, such as 2.1'
it.each([
  [v4, 'www', octet],
  [v4, '256', octet],
  [v4, '01', octet],
  [v4, '1.2', octet],
  [v4, '192.0.2.1', octet],
  [v4, '*.1', undefined],
  [v4, '*.1.2', octet],
  [v4, '0-25', octet],
  [v4, '300.0-25', octet],
  [v4, '1.a.b', octet],
  [v4, '_sip._tcp.www', undefined],
  ['192.in-addr.arpa', '4.3.2.1', octets],
  [v6, 'g', nibbles],
  [v6, '10', nibbles],
  [v6, Array(25).fill('a').join('.'), nibbles],
  [`${Array(23).fill('a').join('.')}.${v6}`, 'www', 'a hexadecimal digit, such as 1'],
  [whole, '1', '@, because the zone is a whole address'],
])('a PTR record in %s cannot be at %s', (zone, host, wanted) => {
  const problem = wanted && `of a PTR record in ${zone} must be ${wanted}, not "${host}"`
  expect(reverseHostProblem(zone, host)).toBe(problem)
})

describe('the API', () => {
  const ptr = (host: string) => ({ type: 'PTR', host, value: 'host.example.net' }) as const
  const problem = `host of a PTR record in ${v4} must be ${octet}, not "www".`

  it('refuses a new PTR record that belongs to no address, and no other record', () => {
    expect(() => checkNewRecord(v4, ptr('www'))).toThrow(problem)
    expect(checkNewRecord(v4, { ...ptr('www'), type: 'TXT' }).host).toBe('www')
    expect(checkNewRecord('example.com', ptr('www')).host).toBe('www')
  })

  it('changes an existing one, but does not move another one there', () => {
    const existing = checkRecord(v4, ptr('www'))
    expect(mergeRecord(v4, existing, { host: 'WWW', ttl: 60 })).toEqual({ ...existing, ttl: 60 })
    expect(mergeRecord(v4, existing, { host: '7' }).host).toBe('7')
    expect(() => mergeRecord(v4, checkRecord(v4, ptr('7')), { host: 'www' })).toThrow(problem)
  })

  it('names the accepted form of a classless delegation', () => {
    expect(() => checkNewRecord(v4, { type: 'NS', host: '0/25', value: 'ns.example.net' })).toThrow(
      'underscores. Write a classless delegation with a hyphen: 0-25.',
    )
  })
})
