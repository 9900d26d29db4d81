import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import { contentOf, recordOf } from './content.js'

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

describe('what svc would not have written', () => {
  it.each([
    ['AAAA', 'nonsense'],
    ['MX', 'mail.example.net.'],
    ['TXT', 'no quotes'],
    ['TXT', '"open'],
    ['TXT', ''],
    ['CAA', 'nonsense'],
  ] as const)('%s %j stays as it is', (type, content) => {
    expect(recordOf(type, content)).toEqual({ value: content, priority: null })
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
