import { badRequest, badRequestSentence } from '@svc/contract/errors'
import { nullMx } from '../../../ports/dns/types/mx.js'
import { rrsetMaxBytes } from '../../../ports/dns/types/rrset-limit.js'
import type { HostIndex } from './host-index.js'
import type { CanonicalRecord, ExistingRecord } from './record.js'
import { rrsetBytes } from './rrset.js'

/** Conflicts between the records of one host. */

type ExistingRecords = HostIndex<ExistingRecord>

/**
 * Checks a new record against the existing ones.
 * @param existing every record, of all types, at the new record's host
 * @returns the existing record that it duplicates; undefined if it is new
 * @throws ApiError `bad_request` for a record that conflicts with another one
 */
export function checkNew<R extends ExistingRecord>(existing: HostIndex<R>, record: CanonicalRecord): R | undefined {
  const same = existing.duplicateOf(record)
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
export function checkUpdated(existing: ExistingRecords, current: ExistingRecord, merged: CanonicalRecord): boolean {
  const same = existing.duplicateOf(merged)
  if (same !== undefined && same.id !== current.id)
    throw badRequest('value', `would make this record a duplicate of record ${same.id}: delete one of them`)
  if (same !== undefined) return current.ttl !== merged.ttl
  checkConflicts(existing, merged, current)
  return true
}

/** Checks a record against the others at its host, none of which it duplicates. @param current its form before a change */
function checkConflicts(existing: ExistingRecords, record: CanonicalRecord, current?: ExistingRecord): void {
  const { type, host } = record
  checkAlias(existing, record, current)
  if (type === 'MX') checkNullMx(existing, record, current)
  const bytes = existing.bytesOf(type, current) + rrsetBytes([record])
  if (bytes > rrsetMaxBytes)
    throw badRequest(
      'value',
      `would bring the ${type} records at host ${host} to ${bytes} bytes; ` +
        `one DNS answer carries at most ${rrsetMaxBytes}`,
    )
}

/**
 * A CNAME excludes other records at its name (RFC 1034, section 3.6.2; RFC 2181, section 10.1).
 * @param except an existing record, or all of a type, that the change replaces
 */
export function checkAlias(
  existing: ExistingRecords,
  { type, host }: Pick<CanonicalRecord, 'type' | 'host'>,
  except?: Partial<Pick<ExistingRecord, 'id' | 'type'>>,
): void {
  const types = existing.types(except).sort()
  const [alias] = types.includes('CNAME') ? existing.records('CNAME') : []
  if (alias !== undefined) {
    const problem = `${host} already has a CNAME (id ${alias.id}, to ${alias.value})`
    throw badRequestSentence(
      'host',
      type === 'CNAME'
        ? `${problem}. A name can have only one CNAME: change it instead`
        : `${problem}. A CNAME cannot share a name with other records: delete it first`,
    )
  }
  if (type === 'CNAME' && types.length > 0)
    throw badRequestSentence(
      'host',
      `${host} already has records (${types.join(', ')}). A CNAME cannot share a name with other records: delete them first, or choose another host`,
    )
}

/** The null MX excludes other MX records at its name (RFC 7505, section 3). */
function checkNullMx(existing: ExistingRecords, record: CanonicalRecord, current?: ExistingRecord): void {
  const { host, value } = record
  const other = existing.duplicateOf({ ...record, value: nullMx, priority: 0 })
  if (other !== undefined && other.id !== current?.id)
    throw badRequestSentence(
      'host',
      `${host} already has the null MX (id ${other.id}). It cannot share a name with other MX records: delete it first`,
    )
  if (value === nullMx && existing.types(current && { id: current.id }).includes('MX'))
    throw badRequest(
      'value',
      `"." is the null MX. It cannot share a name with other MX records: delete the MX records at ${host} first`,
    )
}
