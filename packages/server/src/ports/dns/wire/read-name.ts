import { nameMax } from './names.js'

/** A name of a message. */
export interface ReadName {
  /** The key of the name: see names.ts. */
  readonly key: string
  /** The offset after it in the message. */
  readonly end: number
}

const labelMax = 63
/** A name has at most so many labels, and needs no more pointers. */
const pointersMax = 127
const pointerBits = 0xc0
const lowerCase = Buffer.alloc(nameMax)

/**
 * Reads a name of a message, which may be compressed (RFC 1035, section 4.1.4). A pointer must point before the labels that it follows.
 * @param limit the name must not extend beyond this offset, except behind a pointer
 * @returns undefined for a malformed name
 */
export function readName(packet: Buffer, from: number, limit = packet.length): ReadName | undefined {
  let [at, start, length, pointers] = [from, from, 0, 0]
  /** After the first pointer, the offset after it. */
  let end = 0
  for (;;) {
    const bound = end === 0 ? limit : packet.length
    const octet = packet[at]
    if (octet === undefined || at >= bound) return undefined
    if (octet === 0) return { key: lowerCase.toString('latin1', 0, length), end: end || at + 1 }
    if (octet >= pointerBits) {
      if (at + 2 > bound || ++pointers > pointersMax) return undefined
      end ||= at + 2
      at = packet.readUInt16BE(at) & 0x3fff
      if (at >= start) return undefined
      start = at
      continue
    }
    const next = at + 1 + octet
    if (octet > labelMax || next > bound || length + octet + 2 > nameMax) return undefined
    lowerCase[length++] = octet
    for (at++; at < next; at++) lowerCase[length++] = toLowerCase(packet[at] ?? 0)
  }
}

/** Names are compared without regard to case, in ASCII only (RFC 4343). */
const toLowerCase = (octet: number): number => (octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet)
