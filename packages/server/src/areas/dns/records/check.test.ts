import { describe, expect, it } from 'vitest'
import {
  priorityMax,
  recordTypes,
  recordValueMaxLength,
  ttlDefault,
  ttlMax,
  ttlMin,
  type RecordType,
} from '@svc/contract'
import { recordTypeRules } from '../../../ports/dns/types/index.js'
import { rrsetMaxBytes } from '../../../ports/dns/types/rrset-limit.js'
import { checkNewRecord, checkRecord, mergeRecord } from './check.js'
import type { CanonicalRecord, GivenChanges, GivenRecord } from './record.js'

const zone = 'example.com'
const a: GivenRecord = { type: 'A', host: 'www', value: '192.0.2.1' }
const expectBadRequest = (act: () => unknown, message: string) =>
  expect(act).toThrow(expect.objectContaining({ code: 'bad_request', message }))

/** A canonical value of a type. */
const valueOf = (type: RecordType): string => recordTypeRules[type].examples[0]!.value

it('the longest value has four characters for each byte of an RRset, and quotation marks', () => {
  expect(recordValueMaxLength).toBe(5 * rrsetMaxBytes)
})

describe('checkRecord', () => {
  it('fills in defaults for missing fields', () => {
    expect(checkRecord(zone, { type: 'A', value: '192.0.2.1' })).toEqual({
      type: 'A',
      host: '@',
      value: '192.0.2.1',
      ttl: ttlDefault,
      priority: null,
    })
  })

  it('brings all fields into canonical form', () => {
    expect(checkRecord(zone, { type: 'MX', host: 'WWW', value: 'Mail.Example.com.', ttl: 60, priority: 10 })).toEqual({
      type: 'MX',
      host: 'www',
      value: 'mail.example.com',
      ttl: 60,
      priority: 10,
    })
  })

  it.each(recordTypes)('accepts %s below the apex, and its own result again', (type) => {
    const record = checkRecord(zone, { type, host: 'sub', value: valueOf(type), priority: 1 })
    expect(record.value).toBe(valueOf(type))
    expect(mergeRecord(zone, record, { ...record, priority: record.priority ?? 7 })).toEqual(record)
  })

  it.each([ttlMin, ttlDefault, ttlMax])('accepts the ttl %d', (ttl) => {
    expect(checkRecord(zone, { ...a, ttl }).ttl).toBe(ttl)
  })

  it.each([ttlMin - 1, ttlMax + 1, 0, -1, 60.5, NaN, Infinity])('rejects the ttl %d', (ttl) => {
    const message = `ttl must be a whole number of seconds from ${ttlMin} to ${ttlMax}, not ${ttl}.`
    expectBadRequest(() => checkRecord(zone, { ...a, ttl }), message)
    expectBadRequest(() => mergeRecord(zone, checkRecord(zone, a), { ttl }), message)
  })

  it.each(['MX', 'SRV'] as const)('accepts %s only with a priority of 16 bits', (type) => {
    const given = { type, host: 'sub', value: valueOf(type) }
    for (const priority of [0, 10, priorityMax])
      expect(checkRecord(zone, { ...given, priority }).priority).toBe(priority)
    expectBadRequest(() => checkRecord(zone, given), `priority is required for ${type} records (0 to ${priorityMax}).`)
    for (const priority of [-1, priorityMax + 1, 1.5, NaN]) {
      const message = `priority must be a whole number from 0 to ${priorityMax}, not ${priority}.`
      expectBadRequest(() => checkRecord(zone, { ...given, priority }), message)
    }
  })

  it.each(recordTypes.filter((type) => type !== 'MX' && type !== 'SRV'))('ignores the priority of %s', (type) => {
    for (const priority of [0, 10, -1, 1e9, 0.5])
      expect(checkRecord(zone, { type, host: 'sub', value: valueOf(type), priority }).priority).toBeNull()
  })

  it.each<[Partial<GivenRecord>, string]>([
    [
      { type: 'NS', host: '@' },
      'host @ cannot have NS records: the platform sets those of the zone itself. Delegate a host below example.com instead.',
    ],
    [{ type: 'CNAME', host: '' }, 'host @ is the zone itself, which cannot be a CNAME: use A and AAAA records.'],
    [{ type: 'NS', host: '*' }, '* cannot have NS records: a wildcard cannot be delegated.'],
    [{ type: 'NS', host: '*.sub' }, '*.sub cannot have NS records: a wildcard cannot be delegated.'],
    [
      { type: 'CNAME', host: 'www', value: 'WWW.example.com.' },
      "value must not be the record's own name, www.example.com.",
    ],
    [{ type: 'MX', value: '.', priority: 10 }, 'priority must be 0 for the null MX (value .), not 10.'],
    [{ value: '' }, 'value must not be empty.'],
    [{ type: 'TXT', value: 'x'.repeat(320_001) }, 'value must have at most 320000 characters, not 320001.'],
    [
      { host: 'www.example.com' },
      'host must be relative to the zone, without example.com at its end: www, not "www.example.com".',
    ],
  ])('rejects %j', (given, message) => {
    const type = given.type ?? 'A'
    expectBadRequest(() => checkRecord(zone, { type, value: valueOf(type), ...given }), message)
  })

  it('accepts wildcards, the null MX, and a CNAME to the apex', () => {
    expect(checkRecord(zone, { ...a, host: '*' }).host).toBe('*')
    expect(checkRecord(zone, { type: 'MX', value: '.', priority: 0 }).value).toBe('.')
    expect(checkRecord(zone, { type: 'CNAME', host: 'www', value: 'example.com' }).value).toBe('example.com')
    expect(checkRecord(zone, { type: 'CNAME', host: '*', value: 'www.example.com' }).host).toBe('*')
  })
})

describe('mergeRecord', () => {
  const mx: CanonicalRecord = { type: 'MX', host: 'a', value: 'mail.example.com', ttl: 300, priority: 10 }
  const txt: CanonicalRecord = { type: 'TXT', host: '@', value: String.raw`\"as it is\" `, ttl: 300, priority: null }

  it.each<[CanonicalRecord, GivenChanges, Partial<CanonicalRecord>]>([
    [mx, {}, {}],
    [mx, { type: 'MX' }, {}],
    [mx, { host: '@' }, { host: '@' }],
    [mx, { host: '' }, { host: '@' }],
    [mx, { host: 'B' }, { host: 'b' }],
    [mx, { value: 'Mail2.example.com.' }, { value: 'mail2.example.com' }],
    [mx, { ttl: 60 }, { ttl: 60 }],
    [mx, { priority: 0 }, { priority: 0 }],
    [mx, { value: '.', priority: 0 }, { value: '.', priority: 0 }],
    [txt, { ttl: 60 }, { ttl: 60 }],
    [txt, { priority: 5 }, {}],
    [txt, { priority: -5 }, {}],
    [txt, { value: '"quoted"' }, { value: 'quoted' }],
  ])('merges %j with the changes %j', (current, changes, changed) => {
    expect(mergeRecord(zone, current, changes)).toEqual({ ...current, ...changed })
  })

  it.each<[CanonicalRecord, GivenChanges, string]>([
    [mx, { type: 'A' }, 'type cannot be changed from MX to A: delete the record and create another.'],
    [mx, { value: '' }, 'value must not be empty.'],
    [mx, { value: '.' }, 'priority must be 0 for the null MX (value .), not 10.'],
    [mx, { priority: 65536 }, 'priority must be a whole number from 0 to 65535, not 65536.'],
    [mx, { ttl: 59 }, 'ttl must be a whole number of seconds from 60 to 2592000, not 59.'],
    [
      mx,
      { host: 'b.example.com' },
      'host must be relative to the zone, without example.com at its end: b, not "b.example.com".',
    ],
    [
      { type: 'NS', host: 'sub', value: 'ns.example.net', ttl: 60, priority: null },
      { host: '@' },
      'host @ cannot have NS records: the platform sets those of the zone itself. Delegate a host below example.com instead.',
    ],
    [
      { type: 'CNAME', host: 'a', value: 'b.example.com', ttl: 60, priority: null },
      { host: 'b' },
      "value must not be the record's own name, b.example.com.",
    ],
  ])('rejects %j with the changes %j', (current, changes, message) => {
    expectBadRequest(() => mergeRecord(zone, current, changes), message)
  })
})

it('rejects an alias and a delegation at a challenge, and accepts its TXT record', () => {
  for (const host of ['_svcdns-verify', '_SVCDNS-VERIFY.shop.cust'])
    for (const type of ['CNAME', 'NS'] as const)
      expectBadRequest(
        () => checkNewRecord(zone, { type, host, value: 'ns.example.net' }),
        `${host.toLowerCase()} cannot have ${type} records: only a TXT record at the name itself proves control of a zone.`,
      )
  expect(checkNewRecord(zone, { type: 'TXT', host: '_svcdns-verify', value: 'x' })).toMatchObject({ type: 'TXT' })
  expect(checkNewRecord(zone, { type: 'CNAME', host: 'x._svcdns-verify', value: 'a.net' })).toMatchObject({
    value: 'a.net',
  })
  const alias = checkNewRecord(zone, { type: 'CNAME', host: 'www', value: 'a.net' })
  expect(() => mergeRecord(zone, alias, { host: '_svcdns-verify' })).toThrow('cannot have CNAME records')
})
