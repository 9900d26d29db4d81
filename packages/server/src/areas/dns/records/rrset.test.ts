import { describe, expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import { rrsetMaxBytes } from '../../../ports/dns/types/rrset-limit.js'
import { textMaxBytes } from '../../../ports/dns/types/text.js'
import type { ExistingRecord } from './record.js'
import { rrsetBytes, rrsetOf, rrsetsAfter, withoutRecord, withRecord } from './rrset.js'

let lastId = 0
const row = (type: RecordType, value: string, more: Partial<ExistingRecord> = {}): ExistingRecord => ({
  id: (lastId += 1),
  type,
  host: 'www',
  value,
  ttl: 3600,
  priority: type === 'MX' || type === 'SRV' ? 10 : null,
  ...more,
})

const a1 = row('A', '192.0.2.1', { id: 1 })
const a2 = row('A', '192.0.2.2', { id: 2 })
const mx = row('MX', 'mail.example.com', { id: 3 })
const txt = row('TXT', 'hello', { id: 4 })

describe('records and RRsets after a change', () => {
  it('a write gives its ttl to the whole RRset, and to no other record', () => {
    const elsewhere = row('A', '192.0.2.9', { host: 'ftp' })
    const written = { ...row('A', '192.0.2.3'), ttl: 60 }
    expect(withRecord([a1, a2, txt, elsewhere], written)).toEqual([
      { ...a1, ttl: 60 },
      { ...a2, ttl: 60 },
      txt,
      elsewhere,
      written,
    ])
  })

  it('an updated record replaces its old form', () => {
    const moved = { ...a1, host: 'ftp', ttl: 60 }
    expect(withRecord([a1, a2], moved)).toEqual([a2, moved])
  })

  it('a deleted record is gone', () => {
    expect(withoutRecord([a1, a2], 1)).toEqual([a2])
  })

  it('records of one host and type form an RRset', () => {
    expect(rrsetOf('example.com', 'www', 'A', [a1, txt, a2])).toEqual({
      name: 'www.example.com',
      type: 'A',
      ttl: 3600,
      records: [
        { value: '192.0.2.1', priority: null },
        { value: '192.0.2.2', priority: null },
      ],
    })
    expect(rrsetOf('example.com', '@', 'MX', [{ ...mx, host: '@' }])).toEqual({
      name: 'example.com',
      type: 'MX',
      ttl: 3600,
      records: [{ value: 'mail.example.com', priority: 10 }],
    })
  })

  it('a move results in both RRsets, including one that it leaves empty', () => {
    const moved = { ...a1, host: 'ftp' }
    expect(rrsetsAfter('example.com', [a1, moved], withRecord([a1, txt], moved))).toEqual([
      { name: 'www.example.com', type: 'A', ttl: 0, records: [] },
      { name: 'ftp.example.com', type: 'A', ttl: 3600, records: [{ value: '192.0.2.1', priority: null }] },
    ])
    expect(rrsetsAfter('example.com', [a1, a1], [a1, a2])).toHaveLength(1)
  })
})

describe('rrsetBytes', () => {
  it.each<[RecordType, string, number]>([
    ['A', '192.0.2.1', 4],
    ['AAAA', '2001:db8::1', 16],
    ['CNAME', 'www.example.net', 17],
    ['NS', 'ns1.example.net', 17],
    ['PTR', 'localhost', 11],
    ['MX', 'mail.example.com', 20],
    ['MX', '.', 3],
    ['SRV', '5 5060 sip.example.com', 23],
    ['SRV', '0 0 .', 7],
    ['TXT', 'hello', 6],
    ['TXT', 'ü', 3],
    ['TXT', 'x'.repeat(255), 256],
    ['SPF', 'x'.repeat(256), 258],
    ['TXT', 'x'.repeat(textMaxBytes), rrsetMaxBytes - 12],
  ])('%s %.20s has %d bytes of data', (type, value, bytes) => {
    expect(rrsetBytes([row(type, value)])).toBe(12 + bytes)
  })

  it('rrsetBytes is not below the real size of CAA', () => {
    expect(rrsetBytes([row('CAA', '0 issue "letsencrypt.org"')])).toBeGreaterThanOrEqual(12 + 2 + 5 + 15)
    expect(rrsetBytes([row('CAA', '0 a ""')])).toBeGreaterThanOrEqual(12 + 2 + 1)
  })
})
