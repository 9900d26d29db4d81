import type { RecordType } from '@svc/contract'
import type { RRsetRecord } from '../port.js'
import { nextLabel } from '../wire/names.js'
import { readName } from '../wire/read-name.js'
import { recordTypeRules } from './index.js'
import { decodeRdata } from './rdata.js'

/** What the data of a record in a message is. */
export type ReadRdata =
  /** The value is in canonical form, but not checked by the rules of the API. */
  | { readonly kind: 'record'; readonly record: RRsetRecord }
  /** Data of the type that svc cannot store: a text that is not UTF-8, a name with octets that are not printable. */
  | { readonly kind: 'foreign' }
  /** Not data of the type. */
  | { readonly kind: 'malformed' }

const foreign: ReadRdata = { kind: 'foreign' }
const malformed: ReadRdata = { kind: 'malformed' }

/**
 * Reads the data of a record in a message of another program, the names in it compressed or not (RFC 3597, section 4, asks for both).
 * @param start and `end` are offsets in the message
 */
export function readRdata(packet: Buffer, start: number, end: number, type: RecordType): ReadRdata {
  const { hasPriority, nameOffset, isWellFormed } = recordTypeRules[type]
  const valueAt = start + (hasPriority ? 2 : 0)
  if (nameOffset === undefined) {
    const data = packet.subarray(start, end)
    if (isWellFormed?.(packet.subarray(valueAt, end)) !== true) return malformed
    return recordOf(decodeRdata(data, '.', type))
  }
  const nameAt = valueAt + nameOffset
  const name = nameAt < end ? readName(packet, nameAt, end) : undefined
  if (name?.end !== end) return malformed
  if (!isPrintableKey(name.key)) return foreign
  const data = Buffer.concat([packet.subarray(start, nameAt), Buffer.from(`${name.key}\0`, 'latin1')])
  return recordOf(decodeRdata(data, '.', type))
}

/** Octets that are not UTF-8 are decoded as this character. */
const replacement = '\ufffd'

const recordOf = (record: RRsetRecord): ReadRdata =>
  record.value.includes(replacement) ? foreign : { kind: 'record', record }

/** Whether the presentation format of a name needs no escapes: printable ASCII, without a dot or a backslash in a label. */
export function isPrintableKey(key: string): boolean {
  for (let at = 0; at < key.length; at = nextLabel(key, at))
    if (!/^[!-\-/-[\]-~]+$/.test(key.slice(at + 1, nextLabel(key, at)))) return false
  return true
}
