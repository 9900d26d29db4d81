import { describe, expect, it } from 'vitest'
import { lines, readText, zone } from '../../../../test/zone-text.js'
import { readZoneFile } from './reader.js'

describe('blanks', () => {
  it.each([
    ['w\u00a0w A 192.0.2.1', 'the owner "w\u00a0w.example.com" is not a name: '],
    ['w\u3000A 192.0.2.1', '"192.0.2.1" is not a record type; '],
    ['w A\f192.0.2.1', '"A\\f192.0.2.1" is not a record type; '],
    ['w A\v192.0.2.1', '"A\\u000b192.0.2.1" is not a record type; '],
    ['w\0x A 192.0.2.1', 'the owner "w\\u0000x.example.com" is not a name: '],
    ['w A 192.0.2.1\u2028', '"192.0.2.1\u2028" has a blank in it: '],
    ['w A 192.0.2.1\u0085', 'value must be an IPv4 address such as 192.0.2.1, not "192.0.2.1\u0085".'],
    ['@ MX 10 mail\u00a0', '"mail\u00a0" '],
    ['@ CAA 0\u00a0issue x y', '"0\u00a0issue" has a blank in it: '],
    ['@ CAA "0 issue" x y', '"0 issue" has a blank in it: '],
    ['_a._tcp SRV 1 "2 3" 4 x.', '"2 3" has a blank in it: '],
    ['w A 192.0.2.1\rx A 192.0.2.2', 'a carriage return is not at the end of its line'],
    ['@ TXT a\rb', 'a carriage return is not at the end of its line'],
    ['@ TXT "a\rb"', 'value must be a text on one line without control characters'],
    ['@ TXT a\0b', 'value must be a text on one line without control characters'],
  ])('%j: only spaces and tabs are blanks', (text, problem) => {
    expect(readText(text)).toMatchObject({ records: [], problems: [expect.stringContaining(problem)] })
  })

  it('blanks of Unicode are part of a text', () => {
    expect(readText('@ TXT a\u00a0b c\u3000').records).toEqual(['@ 3600 IN TXT "a\\194\\160bc\\227\\128\\128"'])
  })

  it('blanks before a carriage return at the end of a line or of the file are skipped with it', () => {
    const text = 'w A 192.0.2.1 \t\r\n  AAAA 2001:db8::1\r\n; \r said\r\n\r\nx ( A\r\n192.0.2.2 )\r'
    expect(readText(text)).toEqual({
      records: ['w 3600 IN A 192.0.2.1', 'w 3600 IN AAAA 2001:db8::1', 'x 3600 IN A 192.0.2.2'],
      notes: [],
      problems: [],
    })
  })
})

describe('an RRset', () => {
  it('an RRset with several ttls gets the last one, with a note', () => {
    const text = lines('www 60 A 192.0.2.1', 'x 60 A 192.0.2.1', 'www 90 AAAA 2001:db8::1', 'www 300 A 192.0.2.2')
    expect(readText(text)).toEqual({
      records: [
        'www 300 IN A 192.0.2.1',
        'x 60 IN A 192.0.2.1',
        'www 90 IN AAAA 2001:db8::1',
        'www 300 IN A 192.0.2.2',
      ],
      notes: ['4: www A has several ttls, and an RRset has one: all records get the last, 300'],
      problems: [],
    })
  })

  it('has a repeated record once, with the last ttl', () => {
    expect(readText(lines('www 60 A 192.0.2.1', 'www 60 A 192.0.2.1', 'www 90 A 192.0.2.1'))).toEqual({
      records: ['www 90 IN A 192.0.2.1'],
      notes: ['3: www A has several ttls, and an RRset has one: all records get the last, 90'],
      problems: [],
    })
  })
})

describe('limits', () => {
  const limited = (text: string, recordsMax = 3) => {
    const { records, notes, otherNotes, problems } = readZoneFile(zone, text, { recordsMax })
    return { records: records.length, notes: notes.length, otherNotes, problems }
  }
  const many = (line: (n: number) => string, count: number) =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n')

  it('one record more than a zone may hold: the rest of the file is not read', () => {
    const text = many((n) => `h${n} A 192.0.2.1`, 5) + '\nbroken\n'
    expect(limited(text).problems).toEqual([
      { line: 4, text: "exceeds the zone's limit of 3 records. The rest of the file was not read." },
    ])
    expect(limited(many((n) => `h${n} A 192.0.2.1`, 3)).problems).toEqual([])
  })

  it('a record repeated more often than a zone may hold records: the rest of the file is not read', () => {
    expect(limited(many(() => 'h A 192.0.2.1', 9)).problems).toEqual([
      { line: 5, text: 'More than 3 lines repeat a record. The rest of the file was not read.' },
    ])
  })

  it('a thousand problems: the rest of the file is not read', () => {
    expect(limited(many(() => 'broken', 5000)).problems).toHaveLength(1000)
  })

  it('more directives and skipped records than any zone has: the rest of the file is not read', () => {
    const { notes, otherNotes, problems } = limited(many(() => '_443._tcp SSHFP 4 2 ab', 20_000))
    expect({ notes, otherNotes }).toEqual({ notes: 1000, otherNotes: 9061 })
    expect(problems).toEqual([
      { line: 10_061, text: expect.stringContaining('too many directives and records of unserved types') },
    ])
  })

  it.each([
    ['a line', `@ TXT ${'x'.repeat(2 ** 20)}`, 'has 1048582 characters, more than the 1048576 that a line may have'],
    ['a comment', `; ${'x'.repeat(2 ** 20)}`, 'has 1048578 characters, more than the 1048576 that a line may have'],
    ['a field', `@ TXT ${'x'.repeat(320_001)}`, 'a record has more than 320000 characters'],
    ['a record of many lines', `@ TXT (${'\n"x"'.repeat(65_600)})`, 'a record has more than 65536 fields'],
    ['parentheses', '('.repeat(101), 'more than 100 parentheses are open'],
    ['a name', `${'x'.repeat(300_000)} A 192.0.2.1`, 'the owner "xxx'],
    ['a directive', `$${'X'.repeat(300_000)} 1`, '"$XXX'],
    ['a ttl', `w ${'1s'.repeat(100_000)} A 192.0.2.1`, '"1s1s'],
  ])('%s beyond its limit is a problem with a short message', (_what, text, problem) => {
    const [first] = limited(text).problems
    expect(first?.text.startsWith(problem)).toBe(true)
    expect(first?.text.length).toBeLessThan(300)
  })

  it('millions of escapes in a text, an issuer or a name are one problem, without a stack overflow', () => {
    const escapes = '\\"'.repeat(150_000)
    for (const text of [
      `@ TXT "${escapes}"`,
      `@ TXT ${escapes}`,
      `@ CAA 0 issue "${escapes}"`,
      `${escapes} A 192.0.2.1`,
    ])
      expect(limited(text).problems).toHaveLength(1)
    expect(limited(`@ TXT "${'\\"'.repeat(5_000_000)}"`).problems).toHaveLength(1)
  })

  it('the longest text is accepted, with each character escaped in a separate string', () => {
    expect(limited(`@ TXT ( ${'"\\065" '.repeat(63_738)} )`)).toMatchObject({ records: 1, problems: [] })
  })
})
