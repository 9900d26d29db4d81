import { describe, expect, it } from 'vitest'
import { canonicalFullName, wantedAddresses, wantedNames } from './parameters.js'

const caller = '203.0.113.9'

describe('addresses of an update', () => {
  it.each<[string, object]>([
    ['myip=192.0.2.1', { A: '192.0.2.1' }],
    ['myip=192.0.2.1,2001:DB8::0:1', { A: '192.0.2.1', AAAA: '2001:db8::1' }],
    ['myip=2001:db8::1', { AAAA: '2001:db8::1' }],
    ['myipv6=2001:db8::1', { AAAA: '2001:db8::1' }],
    ['myip=192.0.2.1&myipv6=2001:db8::1', { A: '192.0.2.1', AAAA: '2001:db8::1' }],
    ['ip=192.0.2.1&ipv6=2001:db8::1', { A: '192.0.2.1', AAAA: '2001:db8::1' }],
    ['myip=192.0.2.1&ip=192.0.2.1', { A: '192.0.2.1' }],
    ['myip=%20192.0.2.1%20,', { A: '192.0.2.1' }],
    // A router without IPv6 leaves the parameter empty.
    ['myip=192.0.2.1&myipv6=', { A: '192.0.2.1' }],
    ['myip=&myipv6=2001:db8::1', { AAAA: '2001:db8::1' }],
    ['myip=::ffff:192.0.2.1', { A: '192.0.2.1' }],
    ['myip=10.0.0.5', { A: '10.0.0.5' }],
    ['', { A: caller }],
    ['myip=&myipv6=', { A: caller }],
    ['myip=,', { A: caller }],
    ['hostname=a.example&system=dyndns&wildcard=ON', { A: caller }],
    ['MYIP=192.0.2.1', { A: caller }],
  ])('%s are %o', (query, expected) => {
    expect(wantedAddresses(new URLSearchParams(query), caller)).toEqual(expected)
  })

  it.each([
    'myip=192.0.2',
    'myip=192.0.2.256',
    'myip=0177.0.0.1',
    'myip=192.0.2.1/24',
    'myip=home.example.com',
    'myip=192.0.2.1,192.0.2.2',
    'myip=2001:db8::1&myipv6=2001:db8::2',
    'myip=192.0.2.1&ip=192.0.2.2',
    'myip=2001:db8::/64',
    'myip=fe80::1%25eth0',
    'myip=192.0.2.1,preserve',
    'myip=192.0.2.1;192.0.2.2',
    'myip=%00',
    'myip=0.0.0.0',
    'myip=255.255.255.255',
    'myip=224.0.0.1',
    'myip=169.254.1.1',
    'myip=::',
    'myip=fe80::1',
    'myip=ff02::1',
  ])('refuses %s', (query) => {
    expect(wantedAddresses(new URLSearchParams(query), caller)).toBeUndefined()
  })

  it('are undefined for a caller whose address the proxy does not tell', () => {
    expect(wantedAddresses(new URLSearchParams(''), '')).toBeUndefined()
  })

  it('are those of a caller with IPv6', () => {
    expect(wantedAddresses(new URLSearchParams(''), '2001:DB8:0::9')).toEqual({ AAAA: '2001:db8::9' })
  })
})

describe('names of an update', () => {
  it.each<[string, readonly string[]]>([
    ['hostname=a.example', ['a.example']],
    ['hostname=a.example,b.example', ['a.example', 'b.example']],
    ['hostname=a.example&hostname=b.example', ['a.example', 'b.example']],
    ['hostname=+a.example+,,', ['a.example']],
    ['hostname=', []],
    ['', []],
  ])('%s are %o', (query, expected) => {
    expect(wantedNames(new URLSearchParams(query))).toEqual(expected)
  })

  it.each<[string, string | undefined]>([
    ['Home.Example.COM', 'home.example.com'],
    ['home.example.com.', 'home.example.com'],
    ['example.com', 'example.com'],
    ['bücher.example.com', 'xn--bcher-kva.example.com'],
    ['*.home.example.com', '*.home.example.com'],
    ['_x.example.com', '_x.example.com'],
    ['localhost', undefined],
    ['192.0.2.1', undefined],
    ['2001:db8::1', undefined],
    ['a..example.com', undefined],
    ['-a.example.com', undefined],
    ['https://example.com', undefined],
    ['a b.example.com', undefined],
    [`${'a'.repeat(64)}.example.com`, undefined],
    [`${'a.'.repeat(130)}example.com`, undefined],
    ['a\0.example.com', undefined],
    ['.', undefined],
  ])('%s is %s', (given, expected) => {
    expect(canonicalFullName(given)).toBe(expected)
  })
})
