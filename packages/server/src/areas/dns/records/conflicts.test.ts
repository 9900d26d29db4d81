import { describe, expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import { rrsetMaxBytes } from '../../../ports/dns/types/rrset-limit.js'
import { checkNew, checkUpdated } from './conflicts.js'
import { HostIndex } from './host-index.js'
import type { ExistingRecord } from './record.js'
import { rrsetBytes } from './rrset.js'

const expectBadRequest = (act: () => unknown, message: string) =>
  expect(act).toThrow(new ApiError('bad_request', message))

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
const alias = row('CNAME', 'www.example.net', { id: 3 })
const mx = row('MX', 'mail.example.com', { id: 4 })
const nullMx = row('MX', '.', { id: 5, priority: 0 })
const txt = row('TXT', 'hello', { id: 6 })

describe('checkNew', () => {
  it.each([
    ['a record at an empty host', [], a1],
    ['a record beside another one of its type', [a1], a2],
    ['a record beside records of other types', [a1, mx, txt], row('AAAA', '2001:db8::1')],
    ['a record beside the same one with another priority', [mx], { ...mx, priority: 20 }],
    ['a CNAME at an empty host', [], alias],
    ['the null MX beside other types', [a1, txt], nullMx],
    ['other types beside the null MX', [nullMx], a1],
    ['a text that differs in case only', [txt], { ...txt, value: 'Hello' }],
  ])('accepts %s', (_, existing, record) => {
    expect(checkNew(new HostIndex(existing), record)).toBeUndefined()
  })

  it.each([
    ['a record', [a2, a1], a1],
    ['a CNAME', [alias], alias],
    ['the null MX', [nullMx], nullMx],
    ['a record with another ttl', [a2, a1], { ...a1, ttl: 60 }],
  ])('returns the existing record for a duplicate: %s', (_, existing, { id, ...record }) => {
    expect(checkNew(new HostIndex(existing), { ...record })).toBe(existing.find((other) => other.id === id))
  })

  it('rejects a CNAME beside other records', () => {
    expectBadRequest(
      () => checkNew(new HostIndex([txt, a1, a2]), alias),
      'www already has records (A, TXT). A CNAME cannot share a name with other records: delete them first, or choose another host.',
    )
  })

  it('rejects other records beside a CNAME', () => {
    expectBadRequest(
      () => checkNew(new HostIndex([alias]), a1),
      'www already has a CNAME (id 3, to www.example.net). A CNAME cannot share a name with other records: delete it first.',
    )
  })

  it('rejects a second CNAME', () => {
    expectBadRequest(
      () => checkNew(new HostIndex([alias]), row('CNAME', 'www.example.org')),
      'www already has a CNAME (id 3, to www.example.net). A name can have only one CNAME: change it instead.',
    )
  })

  it('rejects the null MX beside other MX records, and other MX records beside it', () => {
    expectBadRequest(
      () => checkNew(new HostIndex([mx, a1]), nullMx),
      'value "." is the null MX. It cannot share a name with other MX records: delete the MX records at www first.',
    )
    expectBadRequest(
      () => checkNew(new HostIndex([nullMx]), mx),
      'www already has the null MX (id 5). It cannot share a name with other MX records: delete it first.',
    )
  })

  it('rejects a record that would make the RRset larger than a DNS answer', () => {
    const many = Array.from({ length: 4000 }, (_, n) => row('A', `10.0.${n >> 8}.${n & 255}`))
    expect(rrsetBytes(many)).toBe(rrsetMaxBytes)
    expect(checkNew(new HostIndex(many), row('AAAA', '2001:db8::1'))).toBeUndefined()
    expectBadRequest(
      () => checkNew(new HostIndex(many), a1),
      'value would bring the A records at host www to 64016 bytes; one DNS answer carries at most 64000.',
    )
  })
})

describe('checkUpdated', () => {
  it.each([
    ['a changed value', [a1, a2], a1, { value: '192.0.2.3' }, true],
    ['a changed ttl', [a1, a2], a1, { ttl: 60 }, true],
    ['no changed field', [a1, a2], a1, {}, false],
    ['a changed host', [], a1, { host: 'ftp' }, true],
    ['a changed target of a CNAME', [alias], alias, { value: 'www.example.org' }, true],
    ['a changed priority', [mx], mx, { priority: 20 }, true],
    ['the only MX changed into the null MX', [mx, a1], mx, { value: '.', priority: 0 }, true],
  ])('accepts %s, and returns whether anything changes', (_, existing, current, changes, isChange) => {
    expect(checkUpdated(new HostIndex(existing), current, { ...current, ...changes })).toBe(isChange)
  })

  it.each<[string, ExistingRecord[], ExistingRecord, Partial<ExistingRecord>, string]>([
    [
      'a duplicate',
      [a1, a2],
      a1,
      { value: '192.0.2.2' },
      'value would make this record a duplicate of record 2: delete one of them.',
    ],
    [
      'a CNAME beside other records',
      [{ ...a1, host: 'ftp' }],
      alias,
      { host: 'ftp' },
      'ftp already has records (A). A CNAME cannot share a name with other records: delete them first, or choose another host.',
    ],
    [
      'a record beside a CNAME',
      [{ ...alias, host: 'ftp' }],
      a1,
      { host: 'ftp' },
      'ftp already has a CNAME (id 3, to www.example.net). A CNAME cannot share a name with other records: delete it first.',
    ],
    [
      'the null MX beside other MX records',
      [mx, { ...mx, id: 9, priority: 20 }],
      mx,
      { value: '.', priority: 0 },
      'value "." is the null MX. It cannot share a name with other MX records: delete the MX records at www first.',
    ],
    [
      'an RRset larger than a DNS answer',
      [txt, { ...txt, id: 9, value: 'x'.repeat(60_000) }],
      txt,
      { value: 'y'.repeat(5000) },
      'value would bring the TXT records at host www to 65280 bytes; one DNS answer carries at most 64000.',
    ],
  ])('rejects a change that results in %s', (_, existing, current, changes, message) => {
    expectBadRequest(() => checkUpdated(new HostIndex(existing), current, { ...current, ...changes }), message)
  })
})
