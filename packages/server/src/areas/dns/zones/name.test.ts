import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract/errors'
import { pathZone, zoneName } from './name.js'

const nibbles = (count: number) =>
  `${Array.from({ length: count }, (_, at) => (at % 16).toString(16)).join('.')}.ip6.arpa`

describe('zoneName', () => {
  it.each([
    'example.com',
    'example.co.uk',
    '1.example',
    '3com.com',
    'a--b.com',
    'xn--bcher-kva.example',
    'example.xn--p1ai',
    // The private section of the list: GitHub owns the suffix, its users own the names below it.
    'me.github.io',
    'alice.eu.org',
    'me.dedyn.io',
    'amazonaws.com',
    'me.s3.amazonaws.com',
    'example.uk.com',
    // An exception of the list, under its rule *.ck.
    'www.ck',
    'shop.foo.ck',
    // Top-level domains that the list does not know.
    'example.internal',
    'home.lan',
    'corp.local',
    'home.arpa',
    '4.e164.arpa',
    '10.in-addr.arpa',
    '168.192.in-addr.arpa',
    '2.0.192.in-addr.arpa',
    '255.2.0.192.in-addr.arpa',
    '0.in-addr.arpa',
    '8.b.d.0.1.0.0.2.ip6.arpa',
    'd.f.ip6.arpa',
    'f.ip6.arpa',
    nibbles(32),
    `${'a'.repeat(63)}.com`,
  ])('%s is accepted unchanged', (zone) => {
    expect(zoneName(zone)).toBe(zone)
    expect(pathZone(zone)).toBe(zone)
  })

  it.each([
    ['example.com.', 'example.com'],
    ['EXAMPLE.com', 'example.com'],
    ['Example.Co.Uk.', 'example.co.uk'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.EXAMPLE', 'xn--bcher-kva.example'],
    ['bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['XN--Bcher-KVA.example', 'xn--bcher-kva.example'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['例え．テスト｡', 'xn--r8jz45g.xn--zckzah'],
    ['食狮.公司.cn', 'xn--85x722f.xn--55qx5d.cn'],
    ['ｅｘａｍｐｌｅ.com', 'example.com'],
    ['faß.de', 'xn--fa-hia.de'],
    ['2.0.192.IN-ADDR.ARPA.', '2.0.192.in-addr.arpa'],
    ['8.B.D.0.1.0.0.2.ip6.arpa.', '8.b.d.0.1.0.0.2.ip6.arpa'],
  ])('%s is normalised to %s', (given, zone) => {
    expect(zoneName(given)).toBe(zone)
    expect(pathZone(given)).toBe(zone)
  })

  it.each([
    ['www.example.com', 'example.com'],
    ['a.b.c.example.co.uk', 'example.co.uk'],
    ['blog.me.github.io', 'me.github.io'],
    ['nas.home.lan', 'home.lan'],
    ['printer.home.arpa', 'home.arpa'],
    ['a.b.home.arpa', 'home.arpa'],
    ['WWW.bücher.example.', 'xn--bcher-kva.example'],
  ])('%s is refused, and the message names the apex %s', (given, apex) => {
    const message = `zone must be the apex domain ${apex}, not its subdomain ${JSON.stringify(given)}.`
    expect(() => zoneName(given)).toThrow(new ApiError('bad_request', message))
  })

  it.each([
    ['', 'a label is empty'],
    ['.', 'a label is empty'],
    ['com', 'it has one label'],
    ['localhost', 'it has one label'],
    ['lan', 'it has one label'],
    ['arpa', 'it has one label'],
    ['@', '"@" has other characters than letters, digits and hyphens'],
    ['co.uk', 'it is a public suffix, under which others register'],
    ['CO.UK.', 'it is a public suffix, under which others register'],
    ['foo.ck', 'it is a public suffix, under which others register'],
    ['github.io', 'it is a public suffix, under which others register'],
    ['公司.cn', 'it is a public suffix, under which others register'],
    ['e164.arpa', 'it is a public suffix, under which others register'],
    ['192.0.2.1', 'it is an IP address'],
    ['127.1', 'it is an IP address'],
    ['0x7f.1', 'it is an IP address'],
    ['0X7F.0x1', 'it is an IP address'],
    ['1.0x', 'it is an IP address'],
    ['2130706433', 'it is an IP address'],
    ['example.123', 'it is an IP address'],
    ['１２７.1', 'it is an IP address'],
    ['127.１', 'it is an IP address'],
    ['2001:db8::1', 'it is an IP address'],
    ['a..b', 'a label is empty'],
    ['.example.com', 'a label is empty'],
    ['example.com..', 'a label is empty'],
    ['example。。com', 'a label is empty'],
    ['-example.com', '"-example" begins or ends with a hyphen'],
    ['example-.com', '"example-" begins or ends with a hyphen'],
    ['_dmarc.example.com', '"_dmarc" has other characters than letters, digits and hyphens'],
    ['*.example.com', '"*" has other characters than letters, digits and hyphens'],
    ['ex ample.com', '"ex ample" has other characters than letters, digits and hyphens'],
    [' example.com', '" example" has other characters than letters, digits and hyphens'],
    ['example.com\n', String.raw`"com\n" has other characters than letters, digits and hyphens`],
    ['example.com\0', String.raw`"com\u0000" has other characters than letters, digits and hyphens`],
    ['ex%61mple.com', '"ex%61mple" has other characters than letters, digits and hyphens'],
    ['example.com:80', '"com:80" has other characters than letters, digits and hyphens'],
    ['example.com/', '"com/" has other characters than letters, digits and hyphens'],
    ['me@example.com', '"me@example" has other characters than letters, digits and hyphens'],
    ['https://example.com', 'it is a URL'],
    ['https://example.com/path?a=1', 'it is a URL'],
    ['[::1]', '"[::1]" has other characters than letters, digits and hyphens'],
    ['xn--a.com', '"xn--a" is not a valid internationalised label'],
    ['xn--.com', '"xn--" is not a valid internationalised label'],
    ['xn--www-.com', '"xn--www-" is not a valid internationalised label'],
    ['\u00ad.com', '"\u00ad" is not a valid internationalised label'],
    ['a\u200db.com', '"a\u200db" is not a valid internationalised label'],
    ['\ud800.com', String.raw`"\ud800" is not a valid internationalised label`],
    ['ü\u0000.com', String.raw`"ü\u0000" is not a valid internationalised label`],
  ])('refuses %j: %s', (given, why) => {
    const message = `zone must be an apex domain such as example.com, not ${JSON.stringify(given)}: ${why}.`
    expect(() => zoneName(given)).toThrow(new ApiError('bad_request', message))
  })

  it('refuses labels and names that are too long, and quotes only their beginning', () => {
    const not = (given: string) => `zone must be an apex domain such as example.com, not "${given.slice(0, 60)}…": `
    const label = 'a'.repeat(64)
    expect(() => zoneName(`${label}.com`)).toThrow(
      `${not(label)}the label "${label.slice(0, 60)}…" has more than 63 characters.`,
    )
    const idn = `${'ü'.repeat(61)}.com`
    expect(() => zoneName(idn)).toThrow(/: the label "xn--t[da]+…" has more than 63 characters\.$/)
    const name = `${'a.'.repeat(126)}com`
    expect(() => zoneName(name)).toThrow(`${not(name)}it has 255 characters, more than 253.`)
    const much = 'a.'.repeat(1_000_000)
    expect(() => zoneName(much)).toThrow(`${not(much)}it has more than 253 characters.`)
  })

  it.each([
    'in-addr.arpa',
    'example.in-addr.arpa',
    '256.in-addr.arpa',
    '02.0.192.in-addr.arpa',
    '00.in-addr.arpa',
    '1.1.2.0.192.in-addr.arpa',
    // Classless, RFC 2317.
    '0-25.2.0.192.in-addr.arpa',
    'a.in-addr.arpa',
    '1000.in-addr.arpa',
    'www.2.0.192.in-addr.arpa',
  ])('refuses the reverse zone %s', (given) => {
    const wanted = 'one to four octets, 0 to 255 without leading zeros, such as 2.0.192.in-addr.arpa'
    const message = `zone must be a reverse zone of ${wanted}, not "${given}".`
    expect(() => zoneName(given)).toThrow(new ApiError('bad_request', message))
  })

  it.each([
    'ip6.arpa',
    'g.ip6.arpa',
    '10.ip6.arpa',
    'example.ip6.arpa',
    '8.b.d.0.1.0.0.20.ip6.arpa',
    'www.8.b.d.0.1.0.0.2.ip6.arpa',
    nibbles(33),
  ])('refuses the reverse zone %s', (given) => {
    const wanted = '1 to 32 hexadecimal digits, each a separate label, such as 8.b.d.0.1.0.0.2.ip6.arpa'
    const came = given.length > 60 ? `${given.slice(0, 60)}…` : given
    const message = `zone must be a reverse zone of ${wanted}, not "${came}".`
    expect(() => zoneName(given)).toThrow(new ApiError('bad_request', message))
  })
})

describe('pathZone', () => {
  it.each(['', '.', 'a..b', 'xn--a.com', ' example.com', 'EXAMPLE.com/', '*.example.com', 'ex ample.COM'])(
    'returns %j unchanged: it is not a zone name',
    (given) => {
      expect(pathZone(given)).toBe(given)
      expect(() => zoneName(pathZone(given))).toThrow(ApiError)
    },
  )

  it('replaces NUL, which PostgreSQL rejects', () => {
    expect(pathZone('exam\0ple.com\0')).toBe('exam\ufffdple.com\ufffd')
  })

  it('normalises names that are not an apex, too', () => {
    expect(pathZone('WWW.Example.COM.')).toBe('www.example.com')
    expect(pathZone('0-25.2.0.192.In-Addr.Arpa')).toBe('0-25.2.0.192.in-addr.arpa')
  })
})
