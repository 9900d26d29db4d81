import type { RRset } from '../port.js'
import { recordTypeOf, recordTypeRules } from '../types/index.js'
import { decodeRdata, encodeRdata } from '../types/rdata.js'
import { Bytes } from '../wire/bytes.js'
import { classIn } from './codes.js'
import { keyWithin, textOf } from '../wire/names.js'
import { pointerToApex } from '../wire/rdata-names.js'

/**
 * An RRset in wire format: its records one after another, each with a pointer to the question's name as its owner. The
 * RRsets of a load share one buffer, and those of one name are a linked list, so that a million of them fit into memory.
 */
export interface Stored {
  readonly type: number
  /** The zone's serial at which it was set, as a signed 32-bit integer (RFC 1982). */
  readonly serial: number
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  /** The next RRset of the same name. */
  next: Stored | undefined
}

/** Octets of a record before its RDATA: pointer to the owner, type, class, TTL, length. */
export const recordHead = 12
const lengthMax = 65_535

/** The change of one RRset, in the form in which it is stored; `set` is undefined for a removal. */
export interface Placed {
  readonly key: string
  readonly type: number
  readonly set: Stored | undefined
}

/** The records of an RRset by their octets, which include the TTL: a record with another one is another record. */
export function recordsOf(set: Stored | undefined): Map<string, Pick<Stored, 'bytes' | 'start' | 'end'>> {
  const records = new Map<string, Pick<Stored, 'bytes' | 'start' | 'end'>>()
  if (set === undefined) return records
  const { bytes } = set
  for (let start = set.start; start < set.end;) {
    const end = start + recordHead + bytes.readUInt16BE(start + recordHead - 2)
    records.set(bytes.toString('latin1', start, end), { bytes, start, end })
    start = end
  }
  return records
}

const scratch = new Bytes()

/**
 * Encodes RRsets of one zone.
 * @param onUnservable called for each RRset that cannot be encoded, which is then left out; without it, such an RRset throws
 */
export function encodeRRsets(
  zone: string,
  serial: number,
  sets: readonly RRset[],
  onUnservable?: (set: RRset, error: unknown) => void,
): Placed[] {
  scratch.length = 0
  const spans: { key: string; type: number; start: number; end: number }[] = []
  for (const set of sets) {
    const start = scratch.length
    try {
      const key = keyWithin(zone, set.name)
      const type = recordTypeRules[set.type].code
      for (const record of set.records)
        writeRecord(scratch, type, set.ttl, () => encodeRdata(scratch, zone, set.type, record))
      spans.push({ key, type, start, end: scratch.length })
    } catch (error) {
      if (onUnservable === undefined) throw error
      onUnservable(set, error)
      scratch.length = start
    }
  }
  const bytes = scratch.take()
  return spans.map(({ key, type, start, end }) => ({
    key,
    type,
    set: start === end ? undefined : { type, serial: serial | 0, bytes, start, end, next: undefined },
  }))
}

/** Writes a record whose owner is the question's name. @throws RangeError if its RDATA is too long */
export function writeRecord(bytes: Bytes, type: number, ttl: number, writeRdata: () => void): void {
  bytes.u16(pointerToApex)
  bytes.u16(type)
  bytes.u16(classIn)
  bytes.u32(ttl)
  bytes.u16(0)
  const rdata = bytes.length
  writeRdata()
  const length = bytes.length - rdata
  if (length > lengthMax) throw new RangeError(`A record of ${length} octets is longer than ${lengthMax}.`)
  bytes.buffer.writeUInt16BE(length, rdata - 2)
}

/** Decodes the RRset. */
export function decodeRRset(zone: string, key: string, { type: code, bytes, start, end }: Stored): RRset {
  const type = recordTypeOf(code)
  const records = []
  for (let at = start; at < end;) {
    const rdata = at + recordHead
    at = rdata + bytes.readUInt16BE(rdata - 2)
    records.push(decodeRdata(bytes.subarray(rdata, at), zone, type))
  }
  const name = key === '' ? zone : `${textOf(key)}.${zone}`
  return { name, type, ttl: bytes.readUInt32BE(start + 6), records }
}

/** The RRset of a type in the list of RRsets of one name. */
export function ofType(first: Stored | null | undefined, type: number): Stored | undefined {
  let set = first ?? undefined
  while (set !== undefined && set.type !== type) set = set.next
  return set
}
