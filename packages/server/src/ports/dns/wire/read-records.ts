import { readName } from './read-name.js'

/** A record of a message, its data not read. */
export interface WireRecord {
  /** The key of its name: see names.ts. */
  readonly name: string
  readonly type: number
  readonly class: number
  readonly ttl: number
  /** Offsets of its data in the message. */
  readonly start: number
  readonly end: number
}

/** Octets of a record between its name and its data (RFC 1035, section 4.1.3). */
const headSize = 10

/**
 * Reads the records of a section.
 * @param count of the header
 * @returns the offset after them; undefined for a malformed section
 */
export function readRecords(packet: Buffer, from: number, count: number, to: WireRecord[]): number | undefined {
  let at = from
  for (let left = count; left > 0; left--) {
    const name = readName(packet, at)
    if (name === undefined || name.end + headSize > packet.length) return undefined
    const head = name.end
    const start = head + headSize
    const end = start + packet.readUInt16BE(head + 8)
    if (end > packet.length) return undefined
    to.push({
      name: name.key,
      type: packet.readUInt16BE(head),
      class: packet.readUInt16BE(head + 2),
      ttl: packet.readUInt32BE(head + 4),
      start,
      end,
    })
    at = end
  }
  return at
}
