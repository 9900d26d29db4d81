import { classIn, rcode, typeCode } from './codes.js'
import { nameMax } from '../wire/names.js'

/** Octets of the header (RFC 1035, section 4.1.1). */
export const headerSize = 12

/** What parse() says of a packet that gets no answer. */
export const drop = -1

const labelMax = 63
const folded = Buffer.alloc(nameMax)

/** One query, taken apart by hand. The same object serves them all: what it says holds until the next parse(). */
export class Query {
  /** The name that is asked for, as a key (see names.ts). */
  key = ''
  type = 0
  /** Where the question ends; 0 while none was understood. */
  questionEnd = 0
  edns = false
  /** What the client takes by UDP, as it says itself (RFC 6891, section 6.2.3). */
  udpSize = 512
  /** DNSSEC OK (RFC 3225). */
  dnssecOk = false

  private version = 0

  /**
   * Checks the header's counts before anything is read by them.
   * @returns the response code that the packet by itself asks for, 0 to go on, `drop` to say nothing
   */
  parse(packet: Buffer): number {
    this.questionEnd = 0
    this.edns = false
    this.dnssecOk = false
    this.udpSize = 512
    this.version = 0
    // What is no query gets no answer, or two servers could keep each other busy for ever.
    if (packet.length < headerSize || byte(packet, 2) & 0x80) return drop
    if (byte(packet, 2) & 0x78) return rcode.notImp
    // One question, nothing else but an OPT and perhaps a signature (RFC 9619; RFC 8945), and the SOA of an IXFR.
    if (word(packet, 4) !== 1 || word(packet, 6) !== 0 || word(packet, 8) > 1 || word(packet, 10) > 2)
      return rcode.formErr
    if (!this.parseQuestion(packet)) return rcode.formErr
    const authorityEnd = this.parseAuthority(packet, word(packet, 8))
    if (authorityEnd < 0 || !this.parseAdditional(packet, authorityEnd, word(packet, 10))) return rcode.formErr
    if (this.version > 0) return rcode.badVers
    if (word(packet, this.questionEnd - 2) !== classIn) return rcode.refused
    // There are no zone transfers: secondaries are what the PowerDNS adapter is for.
    return this.type === typeCode.AXFR || this.type === typeCode.IXFR ? rcode.refused : rcode.noError
  }

  private parseQuestion(packet: Buffer): boolean {
    let at = headerSize
    let length = byte(packet, at)
    while (length !== 0) {
      // Longer ones are pointers, with nothing before them to point to, or of kinds that nobody uses.
      if (length > labelMax) return false
      const end = at + length + 1
      if (end - headerSize >= nameMax || end >= packet.length) return false
      folded[at - headerSize] = length
      for (let from = at + 1; from < end; from++) {
        const octet = byte(packet, from)
        // Names are compared without regard to case, in ASCII only (RFC 4343).
        folded[from - headerSize] = octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet
      }
      at = end
      length = byte(packet, at)
    }
    if (at + 5 > packet.length) return false
    this.key = folded.toString('latin1', 0, at - headerSize)
    this.type = word(packet, at + 1)
    this.questionEnd = at + 5
    return true
  }

  /** An IXFR has the client's SOA there (RFC 1995, section 3), no other query has a record. @returns its end; -1 if malformed */
  private parseAuthority(packet: Buffer, count: number): number {
    if (count === 0) return this.questionEnd
    if (this.type !== typeCode.IXFR) return -1
    const at = skipName(packet, this.questionEnd)
    const rdata = at + 10
    if (at < 0 || rdata > packet.length || word(packet, at) !== typeCode.SOA) return -1
    const end = rdata + word(packet, rdata - 2)
    return end > packet.length ? -1 : end
  }

  /** Only the OPT is looked into; it may be there once (RFC 6891, section 6.1.1). Nothing may follow. */
  private parseAdditional(packet: Buffer, from: number, count: number): boolean {
    let at = from
    for (let left = count; left > 0; left--) {
      const root = byte(packet, at) === 0
      at = skipName(packet, at)
      const rdata = at + 10
      if (at < 0 || rdata > packet.length) return false
      const end = rdata + word(packet, rdata - 2)
      if (end > packet.length) return false
      if (word(packet, at) === typeCode.OPT) {
        if (this.edns || !root || !optionsFit(packet, rdata, end)) return false
        this.edns = true
        this.udpSize = word(packet, at + 2)
        this.version = byte(packet, at + 5)
        this.dnssecOk = (byte(packet, at + 6) & 0x80) !== 0
      }
      at = end
    }
    return at === packet.length
  }
}

/** @returns where it ends; -1 for what is no name */
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

/** Whether the options fill the OPT. What they say is nothing to us (RFC 6891, section 6.1.2). */
function optionsFit(packet: Buffer, from: number, end: number): boolean {
  let at = from
  while (at + 4 <= end) at += 4 + word(packet, at + 2)
  return at === end
}

/** Past the end reads as 0: whoever needs to know compares with the length. */
const byte = (packet: Buffer, at: number): number => packet[at] ?? 0
const word = (packet: Buffer, at: number): number => (byte(packet, at) << 8) | byte(packet, at + 1)
