import { classIn, typeCode } from '../embedded/codes.js'
import { headerSize } from '../embedded/query.js'

/** The request for a transfer (RFC 5936, section 2.1; RFC 1995, section 3). */
export interface TransferRequest {
  /** The name of the zone as a key (wire/names.ts). */
  readonly key: string
  readonly type: number
  /** Whether it asks for the class IN, the only one that zones have. */
  readonly isInternet: boolean
  /** The offset after the question. */
  readonly questionEnd: number
  /** The serial that the client has, as a signed 32-bit integer; undefined for AXFR. */
  readonly serial: number | undefined
  readonly edns: boolean
}

/** Octets of the numbers of an SOA, the serial first (RFC 1035, section 3.3.13). */
const soaNumbers = 20

/** Octets of a record between its name and its data: type, class, ttl, length. */
const fixedPart = 10

/**
 * Parses a request whose signature is right.
 * @returns undefined if it is malformed
 */
export function parseTransferRequest(packet: Buffer): TransferRequest | undefined {
  try {
    const nameEnd = skipName(packet, headerSize)
    const questionEnd = nameEnd + 4
    const key = packet.toString('latin1', headerSize, nameEnd - 1).replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    const type = packet.readUInt16BE(nameEnd)
    let at = questionEnd
    let serial: number | undefined
    if (type === typeCode.IXFR) {
      if (packet.readUInt16BE(8) !== 1) return undefined
      const fixed = skipName(packet, at)
      at = fixed + fixedPart + packet.readUInt16BE(fixed + 8)
      const isWhole = at <= packet.length && at - fixed - fixedPart >= soaNumbers
      if (packet.readUInt16BE(fixed) !== typeCode.SOA || !isWhole) return undefined
      serial = packet.readInt32BE(at - soaNumbers)
    }
    const isInternet = packet.readUInt16BE(nameEnd + 2) === classIn
    return { key, type, isInternet, questionEnd, serial, edns: hasOpt(packet, at) }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function hasOpt(packet: Buffer, from: number): boolean {
  let at = from
  for (let left = packet.readUInt16BE(10); left > 0; left--) {
    const fixed = skipName(packet, at)
    if (packet.readUInt16BE(fixed) === typeCode.OPT) return true
    at = fixed + fixedPart + packet.readUInt16BE(fixed + 8)
  }
  return false
}

/** @returns the offset after the name @throws RangeError if it goes beyond the packet */
function skipName(packet: Buffer, from: number): number {
  for (let at = from; ;) {
    const length = packet.readUInt8(at)
    if (length === 0) return at + 1
    if (length >= 0xc0) return at + 2
    at += length + 1
  }
}
