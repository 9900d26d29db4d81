import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { fullName, hostName } from './host.js'

const refuses = (zone: string, given: string, message: string) => {
  expect(() => hostName(zone, given)).toThrow(new ApiError('bad_request', message))
}

describe('hostName', () => {
  it.each([
    '@',
    'www',
    'a.b.c',
    '_dmarc',
    '_acme-challenge.www',
    's1._domainkey',
    '_sip._tcp',
    '_443._tcp.mail',
    'a_b',
    '*',
    '*.dev',
    '*._tcp',
    '1',
    '0-25',
    '1.0-25',
    '3com',
    'a--b',
    'xn--bcher-kva',
    'com',
    'notexample.com',
    'example.com.www',
    'a'.repeat(63),
  ])('%s is accepted unchanged', (host) => {
    expect(hostName('example.com', host)).toBe(host)
  })

  it.each([
    ['', '@'],
    ['WWW', 'www'],
    ['_DMARC', '_dmarc'],
    ['S1._DomainKey', 's1._domainkey'],
    ['*.DEV', '*.dev'],
    ['bücher', 'xn--bcher-kva'],
    ['BÜCHER.Shop', 'xn--bcher-kva.shop'],
    ['XN--BCHER-KVA', 'xn--bcher-kva'],
    ['bu\u0308cher', 'xn--bcher-kva'],
    ['a。b', 'a.b'],
    ['ｗｗｗ', 'www'],
    ['＿dmarc', '_dmarc'],
  ])('%j is normalised to %s', (given, host) => {
    expect(hostName('example.com', given)).toBe(host)
  })

  it.each([
    ['.', 'a label is empty'],
    ['..', 'a label is empty'],
    ['a..b', 'a label is empty'],
    ['.www', 'a label is empty'],
    ['www..', 'a label is empty'],
    [' ', '" " has other characters than letters, digits, hyphens and underscores'],
    [' www', '" www" has other characters than letters, digits, hyphens and underscores'],
    ['w w', '"w w" has other characters than letters, digits, hyphens and underscores'],
    ['www\n', String.raw`"www\n" has other characters than letters, digits, hyphens and underscores`],
    ['www.@', '"@" has other characters than letters, digits, hyphens and underscores'],
    ['www/x', '"www/x" has other characters than letters, digits, hyphens and underscores'],
    ['a.*', '"*" has other characters than letters, digits, hyphens and underscores'],
    ['*.*', '"*" has other characters than letters, digits, hyphens and underscores'],
    ['*www', '"*www" has other characters than letters, digits, hyphens and underscores'],
    ['**', '"**" has other characters than letters, digits, hyphens and underscores'],
    ['-www', '"-www" begins or ends with a hyphen'],
    ['www-.a', '"www-" begins or ends with a hyphen'],
    ['xn--a', '"xn--a" is not a valid internationalised label'],
    ['ü\u0000', String.raw`"ü\u0000" is not a valid internationalised label`],
    ['a'.repeat(64), `the label "${'a'.repeat(60)}…" has more than 63 characters`],
  ])('refuses %j', (given, why) => {
    const came = JSON.stringify(given.length > 60 ? `${given.slice(0, 60)}…` : given)
    refuses('example.com', given, `host must be a name relative to the zone, such as www or @, not ${came}: ${why}.`)
  })

  it.each([
    ['example.com', '@'],
    ['Example.COM.', '@'],
    ['www.example.com', 'www'],
    ['www.example.com.', 'www'],
    ['_dmarc.WWW.Example.com', '_dmarc.www'],
    ['*.example.com', '*'],
  ])('refuses %s, and the message suggests %s', (given, host) => {
    const message = `host must be relative to the zone, without example.com at its end: ${host}, not "${given}".`
    refuses('example.com', given, message)
  })

  it.each(['www.', '*.', 'www。'])('refuses %s, which ends in a dot', (given) => {
    refuses('example.com', given, `host must be relative to the zone, without a dot at its end, not "${given}".`)
  })

  it('refuses a host that is too long together with the zone', () => {
    const host = [63, 63, 63, 49].map((length) => 'a'.repeat(length)).join('.')
    expect(fullName('example.com', hostName('example.com', host))).toHaveLength(253)
    refuses(
      'example.com',
      `a${host.slice(1)}a`,
      'The host and the zone together have 254 characters; a name has at most 253.',
    )
  })

  it('accepts octets and nibbles in reverse zones', () => {
    expect(hostName('2.0.192.in-addr.arpa', '1')).toBe('1')
    expect(hostName('0.192.in-addr.arpa', '1.2')).toBe('1.2')
    expect(hostName('8.b.d.0.1.0.0.2.ip6.arpa', 'F.0.0')).toBe('f.0.0')
    refuses(
      '2.0.192.in-addr.arpa',
      '1.2.0.192.in-addr.arpa',
      'host must be relative to the zone, without 2.0.192.in-addr.arpa at its end: 1, not "1.2.0.192.in-addr.arpa".',
    )
  })
})

describe('fullName', () => {
  it.each([
    ['@', 'example.com'],
    ['www', 'www.example.com'],
    ['*.dev', '*.dev.example.com'],
  ])('the full name of %s is %s', (host, name) => {
    expect(fullName('example.com', host)).toBe(name)
  })
})
