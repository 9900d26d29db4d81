import { opcode, typeCode } from '../embedded/codes.js'
import { skipName } from '../wire/tsig-record.js'

/** What a message asks for, which decides on its handler. */
export type MessageKind = 'question' | 'transfer' | 'update' | 'notify'

/** @param packet well-formed, with one question @returns `question` for all that the zones answer or refuse */
export function kindOf(packet: Buffer): MessageKind {
  const code = packet.readUInt8(2) & 0x78
  if (code === opcode.update) return 'update'
  if (code === opcode.notify) return 'notify'
  if (packet.readUInt16BE(4) !== 1) return 'question'
  const type = packet.readUInt16BE(skipName(packet, 12))
  return type === typeCode.AXFR || type === typeCode.IXFR ? 'transfer' : 'question'
}

/** Whether a message of the kind `question` asks for an SOA, as a secondary does that has the zone. */
export const asksForSoa = (packet: Buffer): boolean =>
  packet.readUInt16BE(4) === 1 && packet.readUInt16BE(skipName(packet, 12)) === typeCode.SOA
