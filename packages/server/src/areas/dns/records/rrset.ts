import type { RecordType } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import type { RRset } from '../../../ports/dns/port.js'
import { nullMx } from '../../../ports/dns/types/mx.js'
import { rrsetMaxBytes } from '../../../ports/dns/types/rrset-limit.js'
import { fullName } from '../values/host.js'
import type { CanonicalRecord, ExistingRecord } from './record.js'
import { rrsetBytes } from '../values/size.js'

/** Which records may exist together at one host, and the RRsets that they form. Pure. */

/** Whether two records are of one RRset. */
export const isSameRRset = (a: Pick<CanonicalRecord, 'host' | 'type'>, b: Pick<CanonicalRecord, 'host' | 'type'>) =>
  a.type === b.type && a.host === b.host

/** Whether two records are duplicates. The ttl does not count: it belongs to the RRset (RFC 2181, section 5.2). */
const isDuplicate = (a: CanonicalRecord, b: CanonicalRecord): boolean =>
  isSameRRset(a, b) && a.value === b.value && a.priority === b.priority

/**
 * Checks a new record against the existing ones.
 * @param existing every record, of all types, at the new record's host
 * @returns the existing record that it duplicates; undefined if it is new
 * @throws ApiError `bad_request` for a record that conflicts with another one
 */
export function checkNew<R extends ExistingRecord>(existing: readonly R[], record: CanonicalRecord): R | undefined {
  const same = existing.find((other) => isDuplicate(other, record))
  if (same === undefined) checkConflicts(existing, record)
  return same
}

/**
 * Checks a changed record against the existing ones.
 * @param existing every record, of all types, at the host of `merged`; `current` may be among them
 * @returns whether anything changes
 * @throws ApiError `bad_request` for a record that conflicts with another one or duplicates it: the records of an RRset are a
 *   set (RFC 2181, section 5), and which of two to keep is the caller's choice
 */
export function checkUpdated(
  existing: readonly ExistingRecord[],
  current: ExistingRecord,
  merged: CanonicalRecord,
): boolean {
  const others = existing.filter(({ id }) => id !== current.id)
  const same = others.find((other) => isDuplicate(other, merged))
  if (same !== undefined)
    throw badRequest('value', `would make this record a duplicate of record ${same.id}: delete one of them`)
  if (isDuplicate(current, merged)) return current.ttl !== merged.ttl
  checkConflicts(others, merged)
  return true
}

/** Checks a record against the others at its host. @param others without duplicates of the record */
function checkConflicts(others: readonly ExistingRecord[], record: CanonicalRecord): void {
  checkAlias(others, record)
  const set = others.filter(({ type }) => type === record.type)
  if (record.type === 'MX') checkNullMx(set, record)
  const bytes = rrsetBytes([...set, record])
  if (bytes > rrsetMaxBytes)
    throw badRequest(
      'value',
      `would bring the ${record.type} records at host ${record.host} to ${bytes} bytes; ` +
        `one DNS answer carries at most ${rrsetMaxBytes}`,
    )
}

/** A CNAME excludes other records at its name (RFC 1034, section 3.6.2; RFC 2181, section 10.1). */
function checkAlias(others: readonly ExistingRecord[], { type, host }: CanonicalRecord): void {
  const alias = others.find((other) => other.type === 'CNAME')
  if (alias !== undefined) {
    const problem = `${host} already has a CNAME (id ${alias.id}, to ${alias.value})`
    throw badRequest(
      'host',
      type === 'CNAME'
        ? `${problem}. A name can have only one CNAME: change it instead`
        : `${problem}. A CNAME cannot share a name with other records: delete it first`,
    )
  }
  if (type !== 'CNAME' || others.length === 0) return
  const types = [...new Set(others.map((other) => other.type))].sort().join(', ')
  throw badRequest(
    'host',
    `${host} already has records (${types}). A CNAME cannot share a name with other records: choose another host`,
  )
}

/** The null MX excludes other MX records at its name (RFC 7505, section 3). */
function checkNullMx(others: readonly ExistingRecord[], { host, value }: CanonicalRecord): void {
  const existing = others.find((other) => other.value === nullMx)
  if (existing !== undefined)
    throw badRequest(
      'host',
      `${host} already has the null MX (id ${existing.id}). It cannot share a name with other MX records: delete it first`,
    )
  if (value === nullMx && others.length > 0)
    throw badRequest(
      'value',
      `. is the null MX. It cannot share a name with other MX records: delete the MX records at ${host} first`,
    )
}

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
