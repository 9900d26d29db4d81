import { rdataSize } from '../../../ports/dns/types/rdata.js'
import { recordOverhead } from '../../../ports/dns/types/rrset-limit.js'
import type { CanonicalRecord } from '../records/record.js'

/** The size of a record in its zone's content: the UTF-8 bytes of its value and its host. */
export const contentBytes = ({ value, host }: Pick<CanonicalRecord, 'value' | 'host'>): number =>
  Buffer.byteLength(value) + Buffer.byteLength(host)

/** The size of an RRset in an answer, names in the data not compressed. */
export const rrsetBytes = (records: readonly CanonicalRecord[]): number =>
  records.reduce((sum, { type, value }) => sum + recordOverhead + rdataSize(type, value), 0)
