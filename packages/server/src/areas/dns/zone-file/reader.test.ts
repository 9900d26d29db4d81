import { describe, expect, it } from 'vitest'
import { lines, readText, zone } from '../../../../test/zone-text.js'
import { readZoneFile } from './reader.js'

describe('records', () => {
  it.each([
    ['www.example.com. 300 IN A 192.0.2.1', 'www 300 IN A 192.0.2.1'],
    ['www IN 300 A 192.0.2.1', 'www 300 IN A 192.0.2.1'],
    ['www 300 A 192.0.2.1', 'www 300 IN A 192.0.2.1'],
    ['www in a 192.0.2.1', 'www 3600 IN A 192.0.2.1'],
    ['www CLASS1 TYPE1 192.0.2.1', 'www 3600 IN A 192.0.2.1'],
    ['WWW.Example.COM.\tA\t192.0.2.1', 'www 3600 IN A 192.0.2.1'],
    ['@ 1h30m IN A 192.0.2.1', '@ 5400 IN A 192.0.2.1'],
    ['example.com. 1W AAAA 2001:DB8::0:1', '@ 604800 IN AAAA 2001:db8::1'],
    ['3600 IN A 192.0.2.1', '3600 3600 IN A 192.0.2.1'],
    ['in IN A 192.0.2.1', 'in 3600 IN A 192.0.2.1'],
    ['a a 192.0.2.1', 'a 3600 IN A 192.0.2.1'],
    ['* A 192.0.2.1', '* 3600 IN A 192.0.2.1'],
    ['\\042.sub A 192.0.2.1', '*.sub 3600 IN A 192.0.2.1'],
    ['\\_dmarc TXT x', '_dmarc 3600 IN TXT "x"'],
    ['bücher A 192.0.2.1', 'xn--bcher-kva 3600 IN A 192.0.2.1'],
    ['www CNAME web', 'www 3600 IN CNAME web.example.com.'],
    ['www CNAME web.example.net.', 'www 3600 IN CNAME web.example.net.'],
    ['www CNAME @', 'www 3600 IN CNAME example.com.'],
    ['sub NS NS1.Example.NET.', 'sub 3600 IN NS ns1.example.net.'],
    ['1 PTR host', '1 3600 IN PTR host.example.com.'],
    ['@ MX 10 mail', '@ 3600 IN MX 10 mail.example.com.'],
    ['@ MX 0 .', '@ 3600 IN MX 0 .'],
    ['_sip._tcp SRV 1 2 5060 sip', '_sip._tcp 3600 IN SRV 1 2 5060 sip.example.com.'],
    ['_sip._tcp SRV 1 2 5060 .', '_sip._tcp 3600 IN SRV 1 2 5060 .'],
    ['@ CAA 0 issue "letsencrypt.org"', '@ 3600 IN CAA 0 issue "letsencrypt.org"'],
    ['@ CAA 128 ISSUE letsencrypt.org', '@ 3600 IN CAA 128 issue "letsencrypt.org"'],
    ['@ CAA 0 issue ";"', '@ 3600 IN CAA 0 issue ";"'],
    ['@ SPF "v=spf1 -all"', '@ 3600 IN SPF "v=spf1 -all"'],
    ['@ TXT v=spf1 -all', '@ 3600 IN TXT "v=spf1-all"'],
    ['@ TXT "v=spf1 " "-all"', '@ 3600 IN TXT "v=spf1 -all"'],
    ['@ TXT "one""two"', '@ 3600 IN TXT "onetwo"'],
    ['@ TXT "a;b(c)d" ; e', '@ 3600 IN TXT "a;b(c)d"'],
    ['@ TXT a\\;b\\ c\\"d', '@ 3600 IN TXT "a;b c\\"d"'],
    ['@ TXT "\\065\\\\\\"\\195\\188"', '@ 3600 IN TXT "A\\\\\\"\\195\\188"'],
    ['@ TXT "grün"', '@ 3600 IN TXT "gr\\195\\188n"'],
    ['@ TXT ( "one"\n  "two" ; said\n ) ', '@ 3600 IN TXT "onetwo"'],
    ['@ ( MX\n 10 ) ( mail )', '@ 3600 IN MX 10 mail.example.com.'],
    ['( www\n A 192.0.2.1 )', 'www 3600 IN A 192.0.2.1'],
    ['\ufeffwww A 192.0.2.1\r\n', 'www 3600 IN A 192.0.2.1'],
  ])('%j is read as the record it stands for', (text, record) => {
    expect(readText(text)).toEqual({ records: [record], notes: [], problems: [] })
  })

  it('records without an owner have the owner of the record before', () => {
    const text = lines('www A 192.0.2.1', '  300 AAAA 2001:db8::1', '; a comment', ' ; another', '', '\tTXT x')
    expect(readText(text).records).toEqual([
      'www 3600 IN A 192.0.2.1',
      'www 300 IN AAAA 2001:db8::1',
      'www 300 IN TXT "x"',
    ])
  })

  it('records without a ttl have that of $TTL, of the last record with a ttl, or of the SOA', () => {
    const soa = '@ SOA ns1 hostmaster 1 2h 15m 2w 5m'
    expect(readText(lines('$TTL 1d', 'a 300 A 192.0.2.1', 'b A 192.0.2.1')).records[1]).toContain('b 86400 ')
    expect(readText(lines(soa, 'a 120 A 192.0.2.1', 'b A 192.0.2.1')).records[1]).toContain('b 120 ')
    expect(readText(lines(soa, 'a A 192.0.2.1')).records[0]).toContain('a 300 ')
    expect(readText(lines('@ 900 SOA ns1 hostmaster 1 2h 15m 2w 5m', 'a A 192.0.2.1')).records[0]).toContain('a 900 ')
    expect(readText(lines('@ SOA broken', 'a A 192.0.2.1')).records[0]).toContain('a 3600 ')
  })

  it('records are relative to $ORIGIN, which may be the root', () => {
    const text = lines(
      '$ORIGIN sub',
      '@ A 192.0.2.1',
      'www CNAME @',
      '$origin .',
      '$ORIGIN Example.com',
      '@ MX 1 mail.example.net.',
    )
    expect(readText(text)).toEqual({
      records: [
        'sub 3600 IN A 192.0.2.1',
        'www.sub 3600 IN CNAME sub.example.com.',
        '@ 3600 IN MX 1 mail.example.net.',
      ],
      notes: [],
      problems: [],
    })
  })
})

describe('notes', () => {
  it.each([
    ['@ SOA ns1 hostmaster 1 2 3 4 5', "1: the SOA record is the platform's own: skipped"],
    ['example.com. NS ns1.example.net.', "1: NS records at the apex are the platform's own: skipped"],
    ['_443._tcp SSHFP 4 2 abcdef', '1: SSHFP records are not served here: skipped'],
    ['@ DNSKEY 257 3 13 ( ab\n cd )', '1: DNSKEY records are not served here: skipped'],
    ['@ TYPE65534 \\# 1 00', '1: TYPE65534 records are not served here: skipped'],
  ])('%j is skipped', (text, note) => {
    expect(readText(text)).toEqual({ records: [], notes: [note], problems: [] })
  })

  it.each([
    ['a 30 A 192.0.2.1', 'a 60 IN A 192.0.2.1', '1: ttl 30 is raised to 60, the minimum'],
    ['a 5w A 192.0.2.1', 'a 2592000 IN A 192.0.2.1', '1: ttl 3024000 is lowered to 2592000, the maximum'],
    [
      'www CNAME web.example.com',
      'www 3600 IN CNAME web.example.com.example.com.',
      '1: web.example.com has no dot at its end, so it stands for web.example.com.example.com',
    ],
    [
      '$ORIGIN example.net\nwww A 192.0.2.1',
      'www.example.net 3600 IN A 192.0.2.1',
      '1: $ORIGIN example.net stands for example.net.example.com: is its trailing dot missing?',
    ],
  ])('%j is read as %s', (text, record, note) => {
    expect(readText(text)).toEqual({ records: [record], notes: [note], problems: [] })
  })
})

it('keeps PTR records that belong to no address, with a note', () => {
  const { records, notes, problems } = readZoneFile('2.0.192.in-addr.arpa', lines('1 PTR a.net.', 'www PTR b.net.'), {
    recordsMax: 10,
  })
  expect(records.map(({ record }) => record.host)).toEqual(['1', 'www'])
  const text =
    'the host of a PTR record in 2.0.192.in-addr.arpa must be a number from 0 to 255 without leading zeros, such as 1, not "www": imported nevertheless'
  expect([notes, problems]).toEqual([[{ line: 2, text }], []])
})

describe('problems', () => {
  const types = 'the platform has A, NS, CNAME, PTR, MX, TXT, AAAA, SRV, SPF, CAA.'
  it.each([
    ['  A 192.0.2.1', 'begins with a blank, but no record before it has named an owner.'],
    ['www', 'has no type: a record is written as "www 3600 IN A 192.0.2.1".'],
    ['www 300 IN', 'has no type: a record is written as "www 3600 IN A 192.0.2.1".'],
    ['www AA 192.0.2.1', `"AA" is not a record type; ${types}`],
    ['www 1h30 A 192.0.2.1', `"1h30" is not a record type; ${types}`],
    ['www "300" A 192.0.2.1', `"300" is not a record type; ${types}`],
    ['www 300 300 A 192.0.2.1', `"300" is not a record type; ${types}`],
    ['www IN IN A 192.0.2.1', `"IN" is not a record type; ${types}`],
    ['www "IN" A 192.0.2.1', `"IN" is not a record type; ${types}`],
    ['www CH TXT x', 'class CH is not served: IN is the only one.'],
    ['www A', 'A takes an address, such as 192.0.2.1, not 0 fields.'],
    ['www A 192.0.2.1 192.0.2.2', 'A takes an address, such as 192.0.2.1, not 2 fields.'],
    ['@ MX mail', 'MX takes a priority and a name, such as 10 mail.example.net., not 1 field.'],
    ['@ MX ten mail', 'priority must be a whole number from 0 to 65535, not "ten".'],
    ['@ MX 65536 mail', 'priority must be a whole number from 0 to 65535, not 65536.'],
    ['@ TXT', 'TXT takes one or more strings, such as "v=spf1 -all", not 0 fields.'],
    ['@ TXT ""', 'value must not be an empty text.'],
    ['@ TXT "\\255"', 'value must be UTF-8 once its escapes are read, \\000 to \\255; "\\"\\\\255\\"" is not.'],
    [
      '@ A \\# 4 c0000201',
      'A must be written in its own form, not in that of unknown types (\\#): an address, such as 192.0.2.1.',
    ],
    ['@ A 192.0.2.256', 'value must be an IPv4 address such as 192.0.2.1, not "192.0.2.256".'],
    [
      '@ MX 10 192.0.2.1',
      'value must be a full host name such as mail.example.com, not "192.0.2.1": that is an address, which goes into an A or AAAA record.',
    ],
    [
      'www.example.com A 192.0.2.1',
      'host must be relative to the zone, without example.com at its end: www, not "www.example.com".',
    ],
    [
      'www.example.net. A 192.0.2.1',
      'the owner www.example.net is not in the zone example.com: is this the right zone, or is the trailing dot of $ORIGIN missing?',
    ],
    [
      'a\\.b A 192.0.2.1',
      'the owner "a\\\\.b.example.com" is not a name: "a\\\\" has other characters than letters, digits, hyphens and underscores.',
    ],
    ['@ CNAME web', 'host @ is the zone itself, which cannot be a CNAME: use A and AAAA records.'],
    ['$INCLUDE other.zone', '$INCLUDE is not followed: put what that file says in its place.'],
    ['$GENERATE 1-9 a$ A 192.0.2.$', '$GENERATE is not read: write the records out, as named-compilezone does.'],
    ['$TLL 300', '$TLL is not a directive; the directives are $ORIGIN and $TTL.'],
    ['$TTL soon', '$TTL takes a time, such as 3600 or 1h'],
    ['$ORIGIN', '$ORIGIN takes a name, such as example.com.'],
    [
      '$ORIGIN Example.com',
      '$ORIGIN Example.com stands for Example.com.example.com: is its trailing dot missing? If not, write Example.com.example.com. in full.',
    ],
    ['$ORIGIN www.example.com', '$ORIGIN www.example.com stands for www.example.com.example.com: is its trailing'],
    ['$ORIGIN a. b.', '$ORIGIN takes a name, such as example.com.'],
    ['@ TXT "open', 'a quotation mark is not closed on its line'],
    ['@ TXT open\\', 'a line ends in a backslash'],
    ['@ TXT ) x', 'a parenthesis is closed that was not opened'],
    ['@ TXT ( x', 'a parenthesis is not closed'],
  ])('%j is refused with the reason', (text, problem) => {
    const { records, problems } = readText(text)
    expect({ records, problems }).toEqual({ records: [], problems: [expect.stringContaining(`1: ${problem}`)] })
  })

  it('the problems of all lines are reported at once, in order, each with its line', () => {
    const text = lines(
      'a A 1',
      'b A 192.0.2.1',
      'c TXT "',
      'd TXT (',
      ' x ) )',
      'e MX ( 10',
      '',
      ' mail',
      ')',
      'f TXT ( x',
    )
    expect(readText(text)).toEqual({
      records: ['b 3600 IN A 192.0.2.1', 'e 3600 IN MX 10 mail.example.com.'],
      notes: [],
      problems: [
        expect.stringMatching(/^1: value must be an IPv4 address/),
        '3: a quotation mark is not closed on its line',
        '5: a parenthesis is closed that was not opened',
        '10: a parenthesis is not closed',
      ],
    })
  })
})

it('ten thousand records are read within seconds', () => {
  const text = Array.from({ length: 10_000 }, (_, n) => `host${n} 300 IN A 192.0.2.${n % 256}`).join('\n')
  const start = process.cpuUsage()
  expect(readZoneFile(zone, text, { recordsMax: 10_000 }).records).toHaveLength(10_000)
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000)
})
