import { compareRecords } from '../record-order.js'
import type { ShownRecord } from '../record-cells.js'
import { fullName, hasPriority } from '../record-values.js'
import type { PastZone } from './queries.js'

/** A record of the past. */
export interface PastRecord extends ShownRecord {
  /** The history keeps no ids: its place in the answer, from 0. */
  readonly id: number
}

/** The records of a zone as it was, in the order of the records of now. Pure. */
export function pastRecords({ zone, rrsets }: PastZone): PastRecord[] {
  const records: PastRecord[] = []
  for (const { host, type, ttl, values } of rrsets) {
    const name = fullName(zone, host)
    for (const text of values) {
      // `10 mail.example.com`: the history has the priority before the value.
      const end = hasPriority(type) ? text.indexOf(' ') : -1
      const priority = end === -1 ? null : Number(text.slice(0, end))
      records.push({ id: records.length, host, name, type, ttl, value: text.slice(end + 1), priority })
    }
  }
  return records.sort(compareRecords)
}
