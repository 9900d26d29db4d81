import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import { checkRecord } from '../records/check.js'
import type { CanonicalRecord } from '../records/record.js'
import { readZoneFile } from './reader.js'
import { writeRecord, writeZoneFile } from './writer.js'

const zone = 'example.com'
const print = (records: readonly CanonicalRecord[]) =>
  writeZoneFile({ zone, serial: 7, nameservers: ['ns1.example.net', 'ns2.example.net'], records })

it.each([
  ['example.com', undefined, 'hostmaster.example.com.'],
  ['2.0.192.in-addr.arpa', undefined, 'hostmaster.example.net.'],
  ['8.b.d.0.1.0.0.2.ip6.arpa', undefined, 'hostmaster.example.net.'],
  ['example.com', 'dns.team@mail.example.org', 'dns\\.team.mail.example.org.'],
  ['2.0.192.in-addr.arpa', 'ops@example.org', 'ops.example.org.'],
])('the SOA of %s with the hostmaster %s has the mailbox %s', (name, hostmaster, rname) => {
  const text = writeZoneFile({ zone: name, serial: 7, nameservers: ['ns1.dns.example.net'], hostmaster, records: [] })
  expect(text).toContain(`SOA\tns1.dns.example.net. ${rname} 7 `)
})

it('a zone begins with its SOA and NS records, and sorts its other records by name', () => {
  const at = (host: string, type: RecordType, value: string, priority?: number) =>
    checkRecord(zone, { type, host, value, ...(priority === undefined ? {} : { priority }) })
  const records = [
    at('www', 'A', '192.0.2.2'),
    at('www', 'A', '192.0.2.1'),
    at('a.www', 'TXT', 'x'),
    at('@', 'MX', 'mail.example.com', 20),
    at('@', 'MX', 'mail.example.com', 10),
    at('@', 'A', '192.0.2.1'),
    at('ftp', 'CNAME', 'www.example.com'),
  ]
  expect(print(records)).toBe(
    [
      '$ORIGIN example.com.',
      '$TTL 3600',
      '@\t3600\tIN\tSOA\tns1.example.net. hostmaster.example.com. 7 7200 900 1209600 300',
      '@\t3600\tIN\tNS\tns1.example.net.',
      '@\t3600\tIN\tNS\tns2.example.net.',
      '@\t3600\tIN\tA\t192.0.2.1',
      '@\t3600\tIN\tMX\t10 mail.example.com.',
      '@\t3600\tIN\tMX\t20 mail.example.com.',
      'ftp\t3600\tIN\tCNAME\twww.example.com.',
      'www\t3600\tIN\tA\t192.0.2.1',
      'www\t3600\tIN\tA\t192.0.2.2',
      'a.www\t3600\tIN\tTXT\t"x"',
      '',
    ].join('\n'),
  )
})

it('a long text is cut into strings of 255 bytes', () => {
  const text = 'ü'.repeat(200)
  const strings = writeRecord(checkRecord(zone, { type: 'TXT', value: text })).match(/"[^"]*"/g)
  expect(strings?.map((string) => string.length)).toEqual([255 * 4 + 2, 145 * 4 + 2])
})

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/).filter((text) => !text.startsWith('xn--'))
const hostName = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'))
const target = hostName.map((name) => `${name}.net`)
const host = fc.oneof(
  fc.constant('@'),
  hostName,
  hostName.map((name) => `*.${name}`),
  hostName.map((name) => `_${name}`),
)
const uint16 = fc.nat(65_535)

/** Texts, many of them with characters that have a meaning in a zone file. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 }),
    fc
      .array(
        fc.constantFrom(
          '"',
          '\\',
          ';',
          '(',
          ')',
          ' ',
          '\t',
          '$',
          '@',
          '\\065',
          '\\#',
          'ü',
          '🎉',
          '.',
          '\u00a0',
          '\ufeff',
        ),
        { minLength: 1, maxLength: 400 },
      )
      .map((parts) => parts.join('')),
  )
  .filter((given) => !given.startsWith('"') && !/[^\P{Cc}\t]/u.test(given))

const given = (type: RecordType, value: fc.Arbitrary<string>) =>
  fc.record({
    type: fc.constant(type),
    host: ['CNAME', 'NS'].includes(type) ? hostName : host,
    value,
    ttl: fc.integer({ min: 60, max: 2_592_000 }),
    priority: uint16,
  })

const record = fc
  .oneof(
    given('A', fc.ipV4()),
    given('AAAA', fc.ipV6()),
    given(
      'CNAME',
      target.map((name) => `_key.${name}`),
    ),
    given('MX', target),
    given('TXT', text),
    given('NS', target),
    given(
      'SRV',
      fc.tuple(uint16, uint16, fc.oneof(target, fc.constant('.'))).map((parts) => parts.join(' ')),
    ),
    given(
      'CAA',
      fc.stringMatching(/^[ -~]{0,60}$/).map((value) => `0 note "${value.replaceAll(/["\\]/g, '\\$&')}"`),
    ),
    given('PTR', target),
    given('SPF', text),
  )
  .map((one) => checkRecord(zone, one))

/** Records as a zone holds them: without duplicates, with one ttl for each RRset. */
function asInZone(records: readonly CanonicalRecord[]): CanonicalRecord[] {
  const ttls = new Map(records.map(({ type, host, ttl }) => [`${host} ${type}`, ttl]))
  const held = records.map((one) => ({ ...one, ttl: ttls.get(`${one.host} ${one.type}`) ?? one.ttl }))
  return [...new Map(held.map((one) => [JSON.stringify(one), one])).values()]
}

describe('any records', () => {
  it('any records are read back unchanged from their printed file', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }).map(asInZone), (records) => {
        const printed = print(records)
        expect(printed).toMatch(/^[\n\t -~]*$/)
        const read = readZoneFile(zone, printed, { recordsMax: 10_000 })
        expect(read.problems).toEqual([])
        expect(new Set(read.notes.map(({ line }) => line))).toEqual(new Set([3, 4, 5]))
        expect(print(read.records.map((one) => one.record))).toBe(printed)
        for (const one of records) expect(read.records.map((back) => back.record)).toContainEqual(one)
      }),
      { numRuns: 1000 },
    )
  })
})
