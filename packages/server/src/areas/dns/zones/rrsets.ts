import { groupBy } from '@svc/contract'
import type { RRset } from '../../../ports/dns/port.js'
import type { ExistingRecord } from '../records/record.js'
import { rrsetOf } from '../records/rrset.js'

/** The RRsets of a whole zone. @param rows all its records */
export function rrsetsOf(zone: string, rows: readonly ExistingRecord[]): RRset[] {
  const sets = groupBy(rows, ({ host, type }) => `${host} ${type}`)
  return Array.from(sets.values(), (set) => rrsetOf(zone, set[0]?.host ?? '@', set[0]?.type ?? 'A', set))
}
