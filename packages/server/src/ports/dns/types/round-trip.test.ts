import { describe, expect, it } from 'vitest'
import { recordTypes, type RecordType } from '@svc/contract'
import { checkRecord } from '../../../areas/dns/records/check.js'
import { readZoneFile } from '../../../areas/dns/zone-file/reader.js'
import { writeRecord } from '../../../areas/dns/zone-file/writer.js'
import { decodeRRset, encodeRRsets } from '../embedded/stored.js'
import type { RRsetRecord } from '../port.js'
import { contentOf, recordOf } from '../powerdns/content.js'
import { Bytes } from '../wire/bytes.js'
import { recordTypeByCode, recordTypeRules } from './index.js'
import { encodeRdata, rdataSize } from './rdata.js'

const cases = recordTypes.flatMap((type) =>
  recordTypeRules[type].examples.map((record) => ({ type, record, ...record })),
)
/** Some names of the examples are in this zone, others outside of it. */
const zone = 'conformance.test'

it('every type has examples and a number that no other type has', () => {
  expect(Object.keys(recordTypeRules).sort()).toEqual([...recordTypes].sort())
  expect(new Set(cases.map(({ type }) => type)).size).toBe(recordTypes.length)
  expect([...recordTypeByCode.values()].sort()).toEqual([...recordTypes].sort())
})

describe.each(cases)('$type $priority $value', ({ type, record }) => {
  const canonical = { type, host: 'host', ttl: 300, ...record }

  it('the value is canonical', () => {
    expect(checkRecord(zone, given(type, record))).toEqual(canonical)
  })

  it('is the same after encoding and decoding', () => {
    const [placed] = encodeRRsets(zone, 1, [{ name: `host.${zone}`, type, ttl: 300, records: [record] }])
    expect(decodeRRset(zone, placed!.key, placed!.set!)).toEqual({
      name: `host.${zone}`,
      type,
      ttl: 300,
      records: [record],
    })
  })

  it('is at most as long on the wire as its size', () => {
    const bytes = new Bytes()
    encodeRdata(bytes, 'other.test', type, record)
    expect(bytes.length).toBeGreaterThan(0)
    expect(bytes.length).toBeLessThanOrEqual(rdataSize(type, record.value))
  })

  it('is the same after writing and reading a zone file', () => {
    const { records, problems } = readZoneFile(zone, writeRecord(canonical), { recordsMax: 1 })
    expect(problems).toEqual([])
    expect(records.map((read) => read.record)).toEqual([canonical])
  })

  it('is the same after writing and reading a PowerDNS content', () => {
    expect(recordOf(type, contentOf(type, record))).toEqual(record)
  })
})

const given = (type: RecordType, { value, priority }: RRsetRecord) => ({
  type,
  host: 'host',
  value,
  ttl: 300,
  ...(priority === null ? {} : { priority }),
})
