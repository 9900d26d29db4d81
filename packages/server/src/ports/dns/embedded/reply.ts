import { hasCompressibleName } from '../types/rdata.js'
import { rcode, typeCode } from './codes.js'
import { headerSize, type Query } from './query.js'
import { recordHead, type Stored } from './stored.js'

/** Maximum size of a UDP answer in octets, which avoids fragmentation (RFC 9715, section 3.1). */
export const udpMax = 1232

/** Size of an OPT without options, in octets (RFC 6891, section 6.1.2). */
const optSize = 11

/** The largest offset that a pointer can hold (RFC 1035, section 4.1.4). */
export const pointerMax = 0x3fff

/** Bits of the third octet of the header: authoritative answer, truncation. */
const aaBit = 0x04
const tcBit = 0x02

/** Whether an answer refuses the question. @param base the offset of the answer */
export const isRefused = (out: Buffer, base: number): boolean => ((out[base + 3] as number) & 0x0f) === rcode.refused

export type Section = 'answers' | 'authority' | 'additional'

/** Writes one answer. One object is used for all answers. Offsets are relative to the start of the message. */
export class Reply {
  rcode = 0
  authoritative = false
  truncated = false

  private out: Buffer = Buffer.alloc(0)
  private base = 0
  private at = 0
  private limit = 0
  private readonly counts = { answers: 0, authority: 0, additional: 0 }

  get hasAnswers(): boolean {
    return this.counts.answers > 0
  }

  /** Begins an answer with a copy of the question: clients compare it, also its letter case (draft-vixie-dnsext-dns0x20). */
  begin(query: Query, packet: Buffer, out: Buffer, base: number, limit: number): void {
    this.out = out
    this.base = base
    this.limit = query.edns ? limit - optSize : limit
    this.rcode = 0
    this.authoritative = false
    this.truncated = false
    this.counts.answers = this.counts.authority = this.counts.additional = 0
    const end = Math.max(query.questionEnd, headerSize)
    copy(packet, 0, end, out, base)
    this.at = end
  }

  /**
   * Writes a whole RRset, or nothing if it does not fit.
   * @param owner offset of its name in the message
   * @param apex offset of the zone's name in the message
   * @returns the offset of the RRset in the message; -1 if it does not fit
   */
  put(section: Section, set: Stored, owner: number, apex: number): number {
    const from = this.at
    const length = set.end - set.start
    if (from + length > this.limit || owner > pointerMax) return -1
    copy(set.bytes, set.start, set.end, this.out, this.base + from)
    this.at = from + length
    const named = apex !== headerSize && hasCompressibleName(set.type)
    this.counts[section] += this.point(from, owner, named ? apex : 0)
    return from
  }

  /** Sets the pointers of the records from the offset `from` on. @returns the number of records */
  private point(from: number, owner: number, apex: number): number {
    const { out } = this
    const end = this.base + this.at
    let count = 0
    for (let at = this.base + from; at < end; count++) {
      out[at] = 0xc0 | (owner >> 8)
      out[at + 1] = owner & 0xff
      at += recordHead + (((out[at + 10] as number) << 8) | (out[at + 11] as number))
      // A name that is written out ends in a zero octet. Otherwise its last two octets are a pointer to the apex.
      if (apex !== 0 && out[at - 1] !== 0) {
        out[at - 2] = 0xc0 | (apex >> 8)
        out[at - 1] = apex & 0xff
      }
    }
    return count
  }

  /** Overwrites 32 bits of a record that `put` has written. */
  patch32(at: number, value: number): void {
    this.out.writeInt32BE(value, this.base + at)
  }

  /** Overwrites a pointer in a record that `put` has written. */
  patchPointer(at: number, to: number): void {
    this.out.writeUInt16BE(0xc000 | to, this.base + at)
  }

  /** Writes the OPT and the header. @returns the length of the message in octets */
  finish(query: Query, udpPayload: number): number {
    const { out, base, counts } = this
    if (query.edns) this.writeOpt(query, udpPayload)
    // The opcode and RD are copied from the query. CD and AD are cleared (RFC 4035, section 3.1.6).
    out[base + 2] =
      0x80 | ((out[base + 2] as number) & 0x79) | (this.authoritative ? aaBit : 0) | (this.truncated ? tcBit : 0)
    out[base + 3] = this.rcode & 0x0f
    this.word(4, query.questionEnd > 0 ? 1 : 0)
    this.word(6, counts.answers)
    this.word(8, counts.authority)
    this.word(10, counts.additional + (query.edns ? 1 : 0))
    return this.at
  }

  private writeOpt({ dnssecOk }: Query, udpPayload: number): void {
    const { out } = this
    let at = this.base + this.at
    out[at++] = 0
    out[at++] = 0
    out[at++] = typeCode.OPT
    out[at++] = udpPayload >> 8
    out[at++] = udpPayload & 0xff
    out[at++] = this.rcode >> 4
    out[at++] = 0
    // DO is copied from the query (RFC 3225, section 3).
    out[at++] = dnssecOk ? 0x80 : 0
    out[at++] = 0
    out[at++] = 0
    out[at++] = 0
    this.at += optSize
  }

  private word(at: number, value: number): void {
    this.out[this.base + at] = value >> 8
    this.out[this.base + at + 1] = value & 0xff
  }
}

/** Few bytes are copied faster here than by a call that leaves JavaScript. */
function copy(from: Buffer, start: number, end: number, to: Buffer, at: number): void {
  if (end - start > 96) {
    from.copy(to, at, start, end)
    return
  }
  for (let n = start, into = at; n < end; n++, into++) to[into] = from[n] as number
}
