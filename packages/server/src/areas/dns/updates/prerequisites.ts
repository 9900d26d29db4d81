import { groupBy } from '@svc/contract/group-by'
import type { StoredRecord } from '../records/record.js'
import { rcode, type Rcode } from '../../../ports/dns/embedded/codes.js'
import { dataOf, type Prerequisite } from './update.js'

/**
 * Checks prerequisites in their order (RFC 2136, section 3.2). Names and RRsets of the apex that svc itself serves are not among them.
 * @param serial of the zone
 * @param rows the account's records at every host that a prerequisite names; others are ignored
 * @returns the code of the first one that does not hold; `noError` if all hold
 */
export function checkPrerequisites(
  prerequisites: readonly Prerequisite[],
  serial: number,
  rows: readonly StoredRecord[],
): Rcode {
  if (prerequisites.length === 0) return rcode.noError
  const names = new Set(rows.map(({ host }) => host))
  const sets = groupBy(rows, ({ host, type }) => `${host} ${type}`)
  for (const prerequisite of prerequisites) {
    const failed = failureOf(prerequisite, serial, names, sets)
    if (failed !== undefined) return failed
  }
  return rcode.noError
}

function failureOf(
  wanted: Prerequisite,
  serial: number,
  names: ReadonlySet<string>,
  sets: ReadonlyMap<string, readonly StoredRecord[]>,
): Rcode | undefined {
  if (wanted.kind === 'fails') return wanted.rcode
  if (wanted.kind === 'serial') return wanted.serial === serial ? undefined : rcode.nxRRset
  if (wanted.kind === 'name') {
    if (names.has(wanted.host) === wanted.exists) return undefined
    return wanted.exists ? rcode.nxDomain : rcode.yxDomain
  }
  const rows = sets.get(`${wanted.host} ${wanted.type}`) ?? []
  if (wanted.kind === 'rrset') {
    if (rows.length > 0 === wanted.exists) return undefined
    return wanted.exists ? rcode.nxRRset : rcode.yxRRset
  }
  const data = new Set(rows.map(dataOf))
  return data.size === wanted.data.length && wanted.data.every((one) => data.has(one)) ? undefined : rcode.nxRRset
}
