import type { RecordType } from '@svc/contract'
import type { RRsetRecord } from '../port.js'
import type { Bytes } from '../wire/bytes.js'
import { recordTypeRules } from './index.js'

/** The data of records of any type: the value, after a priority if the type has one. */

/** Octets of a priority. */
const prioritySize = 2

/** Octets of the data of a record, names not compressed. */
export function rdataSize(type: RecordType, value: string): number {
  const { hasPriority, size } = recordTypeRules[type]
  return (hasPriority ? prioritySize : 0) + size(value)
}

/**
 * Writes the data of a record in wire format. Compressible names in the zone end in `pointerToApex`.
 * @throws RangeError for a value that cannot be encoded
 */
export function encodeRdata(to: Bytes, zone: string, type: RecordType, { value, priority }: RRsetRecord): void {
  const rules = recordTypeRules[type]
  if (rules.hasPriority) to.u16(priority ?? 0)
  rules.encode(to, value, zone)
}

/** Reads data that `encodeRdata` has written. */
export function decodeRdata(rdata: Buffer, zone: string, type: RecordType): RRsetRecord {
  const { hasPriority, decode } = recordTypeRules[type]
  return hasPriority
    ? { value: decode(rdata.subarray(prioritySize), zone), priority: rdata.readUInt16BE(0) }
    : { value: decode(rdata, zone), priority: null }
}

/**
 * The data of a record in presentation format (RFC 1035, section 5.1), all names absolute.
 * @param format how the value is written
 */
export function formatRdata(
  type: RecordType,
  { value, priority }: RRsetRecord,
  format = recordTypeRules[type].format,
): string {
  return recordTypeRules[type].hasPriority ? `${priority ?? 0} ${format(value)}` : format(value)
}

/**
 * Parses presentation format. Different spellings of one record give the same result.
 * @returns undefined for a text that cannot be parsed
 */
export function parseRdata(type: RecordType, text: string): RRsetRecord | undefined {
  const { hasPriority, parse } = recordTypeRules[type]
  if (!hasPriority) {
    const value = parse(text.trim())
    return value === undefined ? undefined : { value, priority: null }
  }
  const [, priority, rest = ''] = /^(\d{1,5})\s+(\S.*)$/s.exec(text.trim()) ?? []
  const value = priority === undefined ? undefined : parse(rest)
  return value === undefined ? undefined : { value, priority: Number(priority) }
}

const allRules = Object.values(recordTypeRules)

const compressible = new Set(allRules.flatMap(({ code, hasCompressibleName }) => (hasCompressibleName ? code : [])))

/** Whether the data of a type, given by its number, ends in a name that may be compressed. */
export const hasCompressibleName = (code: number): boolean => compressible.has(code)

const targetOffsets = new Map(
  allRules.flatMap(({ code, hasPriority, targetOffset }) =>
    targetOffset === undefined ? [] : [[code, (hasPriority ? prioritySize : 0) + targetOffset]],
  ),
)

/** Octets of the data before the host whose addresses an answer adds; undefined for types that have no such host. */
export const targetOffsetOf = (code: number): number | undefined => targetOffsets.get(code)
