import dnsPacket, { type Answer } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import { decodeRRset, encodeRRsets, type Stored } from '../embedded/stored.js'

const zone = 'values.test'
const stored = (type: RecordType, value: string, priority: number | null = null): Stored => {
  const [placed] = encodeRRsets(zone, 1, [{ name: `x.${zone}`, type, ttl: 60, records: [{ value, priority }] }])
  return placed!.set!
}
const back = (type: RecordType, value: string, priority: number | null = null) =>
  decodeRRset(zone, '\x01x', stored(type, value, priority)).records[0]
const rdata = ({ bytes, start, end }: Stored) => bytes.subarray(start + 12, end)

describe('values are the same after encoding and decoding', () => {
  it.each<[RecordType, string, number | null]>([
    ['A', '0.0.0.0', null],
    ['A', '255.255.255.255', null],
    ['AAAA', '::', null],
    ['AAAA', '::1', null],
    ['AAAA', '2001:db8::', null],
    ['AAAA', '2001:db8:1:2:3:4:5:6', null],
    ['AAAA', '1:0:0:2::3', null],
    ['AAAA', '::ffff:192.0.2.1', null],
    ['AAAA', '::102:304', null],
    ['CNAME', 'www.example.net', null],
    ['CNAME', zone, null],
    ['CNAME', `a.b.${zone}`, null],
    ['CNAME', `not-${zone}`, null],
    ['NS', `ns.${zone}`, null],
    ['PTR', 'a_b.example.net', null],
    ['MX', '.', 0],
    ['MX', '.', 0xc0],
    ['MX', `mail.${zone}`, 65_535],
    ['SRV', '0 0 .', 0],
    ['SRV', `65535 65535 x.${zone}`, 65_535],
    ['TXT', 'a', null],
    ['TXT', 'x'.repeat(255), null],
    ['TXT', 'x'.repeat(256), null],
    ['TXT', 'ü'.repeat(20_000), null],
    ['TXT', '\\ "quoted" \t', null],
    ['TXT', '\ufeffmark', null],
    ['SPF', 'v=spf1 -all', null],
    ['CAA', '0 issue ""', null],
    ['CAA', '255 tag1 "a\\"b\\\\c; d=e"', null],
  ])('%s %s is the same after encoding and decoding', (type, value, priority) => {
    expect(back(type, value, priority)).toEqual({ value, priority })
  })

  it('a target in the zone ends in a pointer to the apex', () => {
    expect(rdata(stored('MX', `mail.${zone}`, 10)).toString('latin1')).toBe('\x00\x0a\x04mail\xc0\x0c')
  })

  it('the target of SRV is not compressed (RFC 2782)', () => {
    expect(rdata(stored('SRV', `1 2 ${zone}`, 10)).toString('latin1')).toBe(
      '\x00\x0a\x00\x01\x00\x02\x06values\x04test\x00',
    )
  })

  it('another encoder writes the same data', () => {
    const other = (type: string, data: unknown) => {
      const answers = [{ name: 'x', type, ttl: 60, data } as Answer]
      // After the header, the name and the fixed part of the record.
      return dnsPacket.encode({ type: 'response', answers }).subarray(12 + 3 + 10)
    }
    expect(other('AAAA', '2001:db8::1')).toEqual(rdata(stored('AAAA', '2001:db8::1')))
    expect(other('TXT', ['x'.repeat(255), 'y'])).toEqual(rdata(stored('TXT', `${'x'.repeat(255)}y`)))
    expect(other('CAA', { flags: 128, tag: 'issue', value: 'a"b' })).toEqual(rdata(stored('CAA', '128 issue "a\\"b"')))
    expect(other('SRV', { priority: 1, weight: 2, port: 3, target: 'a.example' })).toEqual(
      rdata(stored('SRV', '2 3 a.example', 1)),
    )
    expect(other('MX', { preference: 1, exchange: 'a.example' })).toEqual(rdata(stored('MX', 'a.example', 1)))
  })
})

describe('RangeError for values and names that have no wire format', () => {
  it.each<[RecordType, string]>([
    ['A', '192.0.2'],
    ['A', '::1'],
    ['AAAA', '192.0.2.1'],
    ['AAAA', 'fe80::1%eth0'],
    ['CNAME', 'a..b'],
    ['CNAME', `${'a'.repeat(64)}.test`],
    ['CNAME', 'bücher.example'],
    ['CNAME', `${'a.'.repeat(127)}test`],
    ['SRV', '1 2'],
    ['SRV', '70000 2 a.example'],
    ['CAA', '256 issue "x"'],
    ['CAA', '0 issue x'],
    ['TXT', 'x'.repeat(65_536)],
  ])('RangeError for %s %s, which has no wire format', (type, value) => {
    expect(() => stored(type, value)).toThrow(RangeError)
  })

  it.each(['other.test', 'xvalues.test', `${'a.'.repeat(124)}values.test`, `a..${zone}`])(
    'RangeError for a record at %s',
    (name) => {
      expect(() =>
        encodeRRsets(zone, 1, [{ name, type: 'A', ttl: 60, records: [{ value: '192.0.2.1', priority: null }] }]),
      ).toThrow(RangeError)
    },
  )
})
