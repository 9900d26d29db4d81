import { batchChangesMax } from '@svc/contract/limits'
import { readName } from '../../../ports/dns/wire/read-name.js'
import { readRecords, type WireRecord } from '../../../ports/dns/wire/read-records.js'
import { rcode, type Rcode } from '../../../ports/dns/embedded/codes.js'

/** Classes and types that an UPDATE gives a meaning (RFC 2136, sections 1.3 and 2). */
export const wireClass = { in: 1, none: 254, any: 255 } as const
export const wireType = { ns: 2, soa: 6, opt: 41, dhcid: 49, any: 255 } as const

/** Types that are questions or belong to a message, so that no zone has records of them (RFC 6895, section 3.1). */
export const isMetaType = (type: number): boolean => type === wireType.opt || (type >= 128 && type <= 255)

/** A message whose sections are well-formed, their data not read. */
export interface UpdateMessage {
  readonly packet: Buffer
  /** The key of the zone's name: see names.ts. */
  readonly zone: string
  readonly prerequisites: readonly WireRecord[]
  readonly updates: readonly WireRecord[]
}

const headerSize = 12

/** Of each section, as of a batch of the API. The counts are checked before a section is read. */
const recordsMax = batchChangesMax

/**
 * Parses an UPDATE (RFC 2136, section 2).
 * @param packet without its TSIG
 * @returns the code of the answer for a message that is not a well-formed update of one zone
 */
export function parseUpdate(packet: Buffer): UpdateMessage | Rcode {
  if (packet.length < headerSize || packet.readUInt16BE(4) !== 1) return rcode.formErr
  const counts = [packet.readUInt16BE(6), packet.readUInt16BE(8), packet.readUInt16BE(10)] as const
  if (counts.some((count) => count > recordsMax)) return rcode.refused
  const zone = readName(packet, headerSize)
  if (zone === undefined || zone.end + 4 > packet.length) return rcode.formErr
  const prerequisites: WireRecord[] = []
  const updates: WireRecord[] = []
  const updatesAt = readRecords(packet, zone.end + 4, counts[0], prerequisites)
  const additionalAt = updatesAt && readRecords(packet, updatesAt, counts[1], updates)
  // Of the additional section, only its end is of interest: it has nothing but hints.
  const end = additionalAt && readRecords(packet, additionalAt, counts[2], [])
  if (end !== packet.length || packet.readUInt16BE(zone.end) !== wireType.soa) return rcode.formErr
  if (packet.readUInt16BE(zone.end + 2) !== wireClass.in) return rcode.notAuth
  return { packet, zone: zone.key, prerequisites, updates }
}
