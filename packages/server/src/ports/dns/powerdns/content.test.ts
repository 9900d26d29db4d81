import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import { parseRdata } from '../types/rdata.js'
import { canonicalContent, contentOf, recordOf } from './content.js'

const written: readonly (readonly [type: RecordType, value: string, priority: number | null, content: string])[] = [
  ['A', '192.0.2.1', null, '192.0.2.1'],
  ['AAAA', '2001:db8::1', null, '2001:db8:0:0:0:0:0:1'],
  ['AAAA', '::ffff:192.0.2.1', null, '0:0:0:0:0:ffff:c000:201'],
  ['CNAME', 'www.example.net', null, 'www.example.net.'],
  ['NS', 'ns1.example.net', null, 'ns1.example.net.'],
  ['PTR', 'host.example.net', null, 'host.example.net.'],
  ['MX', 'mail.example.net', 10, '10 mail.example.net.'],
  ['MX', '.', 0, '0 .'],
  ['SRV', '5 5060 sip.example.net', 65535, '65535 5 5060 sip.example.net.'],
  ['SRV', '0 0 .', 0, '0 0 0 .'],
  ['TXT', 'plain; text', null, '"plain; text"'],
  ['TXT', 'a "quoted" \\ text', null, '"a \\"quoted\\" \\\\ text"'],
  ['TXT', 'Grüße\t', null, '"Gr\\195\\188\\195\\159e\\009"'],
  ['TXT', '1'.repeat(256), null, `"${'1'.repeat(255)}" "1"`],
  ['SPF', 'v=spf1 -all', null, '"v=spf1 -all"'],
  ['CAA', '0 issue ""', null, '0 issue ""'],
  ['CAA', '128 iodef "mailto:a\\"b\\\\c@example.com"', null, '128 iodef "mailto:a\\"b\\\\c@example.com"'],
]

it.each(written)('%s %s (%s) is written and read', (type, value, priority, content) => {
  expect(contentOf(type, { value, priority })).toBe(content)
  expect(recordOf(type, content)).toEqual({ value, priority })
})

const read: readonly (readonly [type: RecordType, content: string, value: string, priority: number | null])[] = [
  ['AAAA', '::1.2.3.4', '::102:304', null],
  ['AAAA', '2001:DB8::', '2001:db8::', null],
  ['CNAME', 'WWW.Example.NET.', 'www.example.net', null],
  ['MX', '10 Mail.example.net.', 'mail.example.net', 10],
  ['TXT', '"é" "\\195\\169"', 'éé', null],
  ['CAA', '0 ISSUE "letsencrypt.org"', '0 issue "letsencrypt.org"', null],
]

it.each(read)('%s %s is read as %s', (type, content, value, priority) => {
  expect(recordOf(type, content)).toEqual({ value, priority })
})

const spellings: readonly (readonly [type: RecordType, content: string, canonical: string])[] = [
  ['A', ' 192.0.2.1', '192.0.2.1'],
  ['AAAA', '2001:db8::1', '2001:db8:0:0:0:0:0:1'],
  ['AAAA', '2001:0DB8:0000::0001', '2001:db8:0:0:0:0:0:1'],
  ['AAAA', '::ffff:192.0.2.1', '0:0:0:0:0:ffff:c000:201'],
  ['AAAA', '::', '0:0:0:0:0:0:0:0'],
  ['CNAME', 'WWW.Example.net', 'www.example.net.'],
  ['NS', 'NS1.Example.net.', 'ns1.example.net.'],
  ['PTR', 'Host.Example.net.', 'host.example.net.'],
  ['MX', '010  Mail.example.net', '10 mail.example.net.'],
  ['MX', '0 .', '0 .'],
  ['SRV', '1  02 3\tSip.example.net.', '1 2 3 sip.example.net.'],
  ['SRV', '0 0 0 .', '0 0 0 .'],
  ['TXT', '"a" "b"', '"ab"'],
  ['TXT', '"\\097\\"\\;"', '"a\\";"'],
  ['TXT', '"é"', '"\\195\\169"'],
  ['TXT', '""', '""'],
  ['SPF', '"v=spf1" " -all"', '"v=spf1 -all"'],
  ['CAA', '0 issue letsencrypt.org', '0 issue "letsencrypt.org"'],
  ['CAA', '000  Issue  "letsencrypt.org"', '0 issue "letsencrypt.org"'],
]

it.each(spellings)('%s %j is %j in its canonical spelling, and stays so', (type, content, canonical) => {
  expect(canonicalContent(type, content)).toBe(canonical)
  expect(canonicalContent(type, canonical)).toBe(canonical)
})

describe('what svc would not have written', () => {
  it.each([
    ['A', '192.0.2'],
    ['AAAA', 'nonsense'],
    ['AAAA', 'fe80::1%eth0'],
    ['CNAME', 'two names'],
    ['SRV', '1 2 sip.example.net.'],
    ['TXT', '"\\255"'],
    ['MX', 'mail.example.net.'],
    ['TXT', 'no quotes'],
    ['TXT', '"open'],
    ['TXT', ''],
    ['CAA', 'nonsense'],
  ] as const)('%s %j stays as it is', (type, content) => {
    expect(parseRdata(type, content)).toBeUndefined()
    expect(recordOf(type, content)).toEqual({ value: content, priority: null })
    expect(canonicalContent(type, content)).toBe(content)
  })
})

it('any text comes back as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 }), (value) => {
      expect(recordOf('TXT', contentOf('TXT', { value, priority: null }))).toEqual({ value, priority: null })
    }),
  )
})

it('long texts take no longer than they are', () => {
  const value = 'ü"\\'.repeat(16_000)
  expect(recordOf('TXT', contentOf('TXT', { value, priority: null })).value).toBe(value)
})
