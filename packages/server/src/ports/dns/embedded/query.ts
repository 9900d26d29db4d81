import { classIn, opcode, rcode, typeCode } from './codes.js'
import { nameMax } from '../wire/names.js'

/** Size of the header in octets (RFC 1035, section 4.1.1). */
export const headerSize = 12

/** Result of `parse` for a packet that gets no answer. */
export const drop = -1

/** Result of `parse` for a message that the dispatcher answers: a transfer, an update, a NOTIFY, or one with a TSIG. */
export const dispatched = -2

const labelMax = 63
const lowerCaseName = Buffer.alloc(nameMax)

/** A parsed query. One object is used for all queries: its fields are valid until the next `parse`. */
export class Query {
  /** The name of the question, as a key (see names.ts). */
  key = ''
  type = 0
  /** The offset after the question; 0 if it could not be parsed. */
  questionEnd = 0
  edns = false
  /** Maximum size of a UDP answer that the client accepts, in octets (RFC 6891, section 6.2.3). */
  udpSize = 512
  /** DNSSEC OK (RFC 3225). */
  dnssecOk = false

  private version = 0
  private signatures = 0

  /**
   * Parses a packet. The counts of the header are checked before any section is read.
   * @returns `rcode.noError` for a query to look up, another rcode to answer at once, `drop` for no answer, or `dispatched`
   */
  parse(packet: Buffer): number {
    this.questionEnd = 0
    this.edns = false
    this.dnssecOk = false
    this.udpSize = 512
    this.version = 0
    this.signatures = 0
    // No answer to a response: otherwise two servers could answer each other forever.
    if (packet.length < headerSize || byte(packet, 2) & 0x80) return drop
    const code = byte(packet, 2) & 0x78
    if (code !== opcode.query) return code === opcode.update || code === opcode.notify ? dispatched : rcode.notImp
    // One question (RFC 9619), at most an OPT and a signature (RFC 8945), and the SOA of an IXFR.
    if (word(packet, 4) !== 1 || word(packet, 6) !== 0 || word(packet, 8) > 1 || word(packet, 10) > 2)
      return rcode.formErr
    if (!this.parseQuestion(packet)) return rcode.formErr
    const authorityEnd = this.parseAuthority(packet, word(packet, 8))
    if (authorityEnd < 0 || !this.parseAdditional(packet, authorityEnd, word(packet, 10))) return rcode.formErr
    if (this.signatures > 0) return dispatched
    if (this.version > 0) return rcode.badVers
    if (word(packet, this.questionEnd - 2) !== classIn) return rcode.refused
    return this.type === typeCode.AXFR || this.type === typeCode.IXFR ? dispatched : rcode.noError
  }

  private parseQuestion(packet: Buffer): boolean {
    let at = headerSize
    let length = byte(packet, at)
    while (length !== 0) {
      // A larger value is a pointer, which has no earlier name to point to, or an unassigned label type.
      if (length > labelMax) return false
      const end = at + length + 1
      if (end - headerSize >= nameMax || end >= packet.length) return false
      lowerCaseName[at - headerSize] = length
      for (let from = at + 1; from < end; from++) {
        const octet = byte(packet, from)
        // Names are compared without regard to case, in ASCII only (RFC 4343).
        lowerCaseName[from - headerSize] = octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet
      }
      at = end
      length = byte(packet, at)
    }
    if (at + 5 > packet.length) return false
    this.key = lowerCaseName.toString('latin1', 0, at - headerSize)
    this.type = word(packet, at + 1)
    this.questionEnd = at + 5
    return true
  }

  /**
   * Skips the authority section: the client's SOA in an IXFR (RFC 1995, section 3), empty in other queries.
   * @returns the offset after it; -1 if malformed
   */
  private parseAuthority(packet: Buffer, count: number): number {
    if (count === 0) return this.questionEnd
    if (this.type !== typeCode.IXFR) return -1
    const at = skipName(packet, this.questionEnd)
    const rdata = at + 10
    if (at < 0 || rdata > packet.length || word(packet, at) !== typeCode.SOA) return -1
    const end = rdata + word(packet, rdata - 2)
    return end > packet.length ? -1 : end
  }

  /**
   * Reads the OPT, of which there may be one (RFC 6891, section 6.1.1), and skips other records.
   * @returns false if the section is malformed, or octets follow it
   */
  private parseAdditional(packet: Buffer, from: number, count: number): boolean {
    let at = from
    for (let left = count; left > 0; left--) {
      const isRoot = byte(packet, at) === 0
      at = skipName(packet, at)
      const rdata = at + 10
      if (at < 0 || rdata > packet.length) return false
      const end = rdata + word(packet, rdata - 2)
      if (end > packet.length) return false
      if (word(packet, at) === typeCode.OPT) {
        if (this.edns || !isRoot || !hasWholeOptions(packet, rdata, end)) return false
        this.edns = true
        this.udpSize = word(packet, at + 2)
        this.version = byte(packet, at + 5)
        this.dnssecOk = (byte(packet, at + 6) & 0x80) !== 0
      } else if (word(packet, at) === typeCode.TSIG) this.signatures++
      at = end
    }
    return at === packet.length
  }
}

/** @returns the offset after the name; -1 if it is malformed */
function skipName(packet: Buffer, from: number): number {
  let at = from
  for (;;) {
    if (at >= packet.length || at - from >= nameMax) return -1
    const length = byte(packet, at)
    if (length === 0) return at + 1
    if (length >= 0xc0) return at + 2
    if (length > labelMax) return -1
    at += length + 1
  }
}

/** Whether the RDATA of an OPT consists of whole options (RFC 6891, section 6.1.2). svc uses none of them. */
function hasWholeOptions(packet: Buffer, from: number, end: number): boolean {
  let at = from
  while (at + 4 <= end) at += 4 + word(packet, at + 2)
  return at === end
}

/** Reads one octet; 0 past the end. Callers that must tell the two apart compare with the length. */
const byte = (packet: Buffer, at: number): number => packet[at] ?? 0
const word = (packet: Buffer, at: number): number => (byte(packet, at) << 8) | byte(packet, at + 1)
