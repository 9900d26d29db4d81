import type { RecordType } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import type { RRset } from '../../../ports/dns/port.js'
import { nullMx } from '../../../ports/dns/types/mx.js'
import { rrsetMaxBytes } from '../../../ports/dns/types/rrset-limit.js'
import { fullName } from '../values/host.js'
import type { CanonicalRecord, StandingRecord } from './record.js'
import { rrsetBytes } from '../values/size.js'

/** What records may stand together at one host. Pure: the store runs these inside one transaction. */

/** Whether a record would be a second copy of another: the ttl is the RRset's and tells nothing apart. */
const equal = (a: CanonicalRecord, b: CanonicalRecord): boolean =>
  a.type === b.type && a.host === b.host && a.value === b.value && a.priority === b.priority

/** `same`: this record stands already; what is left to do is to give its RRset the new ttl. */
export type CreatePlan = { readonly kind: 'same'; readonly id: number } | { readonly kind: 'insert' }

/**
 * @param standing every record, of all types, at the new record's host
 * @throws ApiError `bad_request` when it may not stand beside them
 */
export function planCreate(standing: readonly StandingRecord[], record: CanonicalRecord): CreatePlan {
  const same = standing.find((other) => equal(other, record))
  if (same !== undefined) return { kind: 'same', id: same.id }
  checkCompany(standing, record)
  return { kind: 'insert' }
}

/** `none`: nothing changes, not the ttl either. */
export type UpdatePlan = { readonly kind: 'none' } | { readonly kind: 'update' }

/**
 * @param standing every record, of all types, at the host of `merged`; `current` may be among them
 * @param merged what `current` is to become
 * @throws ApiError `bad_request` when it may not stand beside the others, or would be a second copy of one: records of
 *   one RRset are a set (RFC 2181, section 5), and to take away one of two that were asked for is not the server's choice
 */
export function planUpdate(
  standing: readonly StandingRecord[],
  current: StandingRecord,
  merged: CanonicalRecord,
): UpdatePlan {
  const others = standing.filter(({ id }) => id !== current.id)
  const same = others.find((other) => equal(other, merged))
  if (same !== undefined) throw badRequest('value', `would make this record a copy of record ${same.id}: delete one.`)
  if (equal(current, merged)) return { kind: current.ttl === merged.ttl ? 'none' : 'update' }
  checkCompany(others, merged)
  return { kind: 'update' }
}

/** @param others the records at the same host, the record itself apart, none of them its equal */
function checkCompany(others: readonly StandingRecord[], record: CanonicalRecord): void {
  checkAlias(others, record)
  const set = others.filter(({ type }) => type === record.type)
  if (record.type === 'MX') checkNullMx(set, record)
  const bytes = rrsetBytes([...set, record])
  if (bytes > rrsetMaxBytes)
    throw badRequest(
      'value',
      `would bring the ${record.type} records at host ${record.host} to ${bytes} bytes; ` +
        `one DNS answer carries at most ${rrsetMaxBytes}.`,
    )
}

/** A CNAME is alone at its name (RFC 1034, section 3.6.2; RFC 2181, section 10.1). */
function checkAlias(others: readonly StandingRecord[], { type, host }: CanonicalRecord): void {
  const alias = others.find((other) => other.type === 'CNAME')
  if (alias !== undefined) {
    const stands = `has a CNAME record already (id ${alias.id}, to ${alias.value})`
    throw badRequest('host', `${host} ${stands}, which must stand alone: ${type === 'CNAME' ? 'change' : 'delete'} it.`)
  }
  if (type !== 'CNAME' || others.length === 0) return
  const types = [...new Set(others.map((other) => other.type))].sort().join(', ')
  throw badRequest('host', `${host} has records already (${types}), and a CNAME must stand alone: choose another host.`)
}

/** "No mail here" stands alone (RFC 7505, section 3). */
function checkNullMx(others: readonly StandingRecord[], { host, value }: CanonicalRecord): void {
  const standing = others.find((other) => other.value === nullMx)
  if (standing !== undefined)
    throw badRequest('host', `${host} has the null MX already (id ${standing.id}), which must stand alone: delete it.`)
  if (value === nullMx && others.length > 0)
    throw badRequest('value', `. is the null MX, which must stand alone: delete the other MX records at ${host}.`)
}

/**
 * What stands once a record is written: its ttl holds for all of its RRset (RFC 2181, section 5.2).
 * @param standing records of one or more hosts, before; a record of the same id among them is replaced
 */
export const withRecord = <R extends StandingRecord>(standing: readonly R[], record: R): R[] => [
  ...standing
    .filter(({ id }) => id !== record.id)
    .map((other) => (isRetimed(other, record) ? { ...other, ttl: record.ttl } : other)),
  record,
]

/** Does not copy the other records: with copies, an import of 4,000 records at one host takes seconds. */
const isRetimed = (other: CanonicalRecord, { type, host, ttl }: CanonicalRecord): boolean =>
  other.ttl !== ttl && other.type === type && other.host === host

export const withoutRecord = <R extends StandingRecord>(standing: readonly R[], id: number): R[] =>
  standing.filter((record) => record.id !== id)

/** @param rows at least the records of this host and type, after the change; others are passed over */
export function rrsetOf(zone: string, host: string, type: RecordType, rows: readonly StandingRecord[]): RRset {
  const set = rows.filter((row) => row.host === host && row.type === type)
  return {
    name: fullName(zone, host),
    type,
    ttl: set[0]?.ttl ?? 0,
    records: set.map(({ value, priority }) => ({ value, priority })),
  }
}

/**
 * The RRsets that a change touched, each once: that of the record before, that of the record after.
 * @param rows every record at their hosts, after the change
 */
export function rrsetsAfter(
  zone: string,
  touched: readonly Pick<CanonicalRecord, 'host' | 'type'>[],
  rows: readonly StandingRecord[],
): RRset[] {
  const keys = new Map(touched.map(({ host, type }) => [`${host} ${type}`, { host, type }]))
  return Array.from(keys.values(), ({ host, type }) => rrsetOf(zone, host, type, rows))
}
