import type { RecordType } from '@svc/contract'
import { groupBy } from '@svc/contract/group-by'
import type { RRset } from '../../../ports/dns/port.js'
import { rdataSize } from '../../../ports/dns/types/rdata.js'
import { recordOverhead } from '../../../ports/dns/types/rrset-limit.js'
import { fullName } from '../values/host.js'
import type { CanonicalRecord, ExistingRecord } from './record.js'

/** RRsets: the records of one host and type. Their members, sizes and form for a nameserver. Pure. */

/** Whether two records are of one RRset. */
export const isSameRRset = (a: Pick<CanonicalRecord, 'host' | 'type'>, b: Pick<CanonicalRecord, 'host' | 'type'>) =>
  a.type === b.type && a.host === b.host

/** The size of a record in its zone's content: the UTF-8 bytes of its value and its host. */
const contentBytes = ({ value, host }: Pick<CanonicalRecord, 'value' | 'host'>): number =>
  Buffer.byteLength(value) + Buffer.byteLength(host)

/** The size of several records in their zone's content. */
export const allContentBytes = (records: readonly Pick<CanonicalRecord, 'value' | 'host'>[]): number =>
  records.reduce((sum, record) => sum + contentBytes(record), 0)

/** The size of an RRset in an answer, names in the data not compressed. */
export const rrsetBytes = (records: readonly CanonicalRecord[]): number =>
  records.reduce((sum, { type, value }) => sum + recordOverhead + rdataSize(type, value), 0)

/**
 * The records after one of them is written. The whole RRset gets its ttl (RFC 2181, section 5.2).
 * @param existing the records of one or more hosts before the write; the one with the same id is replaced
 */
export const withRecord = <R extends ExistingRecord>(existing: readonly R[], record: R): R[] => [
  ...existing
    .filter(({ id }) => id !== record.id)
    // Other records are not copied: with copies, an import of 4,000 records at one host takes seconds.
    .map((other) => (other.ttl !== record.ttl && isSameRRset(other, record) ? { ...other, ttl: record.ttl } : other)),
  record,
]

/** The records after one of them is deleted. */
export const withoutRecord = <R extends ExistingRecord>(existing: readonly R[], id: number): R[] =>
  existing.filter((record) => record.id !== id)

/** The RRset of one host and type. @param rows at least its records; others are ignored */
export function rrsetOf(zone: string, host: string, type: RecordType, rows: readonly ExistingRecord[]): RRset {
  const set = rows.filter((row) => row.host === host && row.type === type)
  return {
    name: fullName(zone, host),
    type,
    ttl: set[0]?.ttl ?? 0,
    records: set.map(({ value, priority }) => ({ value, priority })),
  }
}

/**
 * The RRsets that a change touched, each once.
 * @param touched the record before and after the change
 * @param rows every record at their hosts, after the change
 */
export function rrsetsAfter(
  zone: string,
  touched: readonly Pick<CanonicalRecord, 'host' | 'type'>[],
  rows: readonly ExistingRecord[],
): RRset[] {
  const keys = new Map(touched.map(({ host, type }) => [`${host} ${type}`, { host, type }]))
  return Array.from(keys.values(), ({ host, type }) => rrsetOf(zone, host, type, rows))
}

/** The RRsets of a whole zone. @param rows all its records */
export function rrsetsOf(zone: string, rows: readonly ExistingRecord[]): RRset[] {
  const sets = groupBy(rows, ({ host, type }) => `${host} ${type}`)
  return Array.from(sets.values(), (set) => rrsetOf(zone, set[0]?.host ?? '@', set[0]?.type ?? 'A', set))
}
