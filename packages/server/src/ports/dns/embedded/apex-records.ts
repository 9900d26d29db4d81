import { apex, hostmasterOf } from '../apex.js'
import { Bytes } from './bytes.js'
import { classIn, typeCode } from './codes.js'
import { headerSize } from './query.js'
import { pointerToApex } from './rdata.js'
import type { Reply, Section } from './reply.js'
import type { Stored } from './stored.js'

/** The SOA and NS records of every zone: they differ in nothing but the zone's name and serial, and are kept once. */
export class ApexRecords {
  readonly ns: Stored
  private readonly soa: Stored
  private readonly rnameEnd: number

  constructor(nameservers: readonly string[]) {
    const [first] = nameservers
    if (first === undefined) throw new RangeError('A zone needs at least one nameserver.')
    const bytes = new Bytes()
    for (const name of nameservers) {
      record(bytes, typeCode.NS, apex.nsTtl, () => bytes.name(name))
    }
    this.ns = stored(typeCode.NS, bytes.take())

    const label = hostmasterOf('').slice(0, -1)
    record(bytes, typeCode.SOA, apex.soaTtl, () => {
      bytes.name(first)
      bytes.labels(label)
      bytes.u16(pointerToApex)
      for (const figure of [0, apex.refresh, apex.retry, apex.expire, apex.minimum]) bytes.u32(figure)
    })
    this.soa = stored(typeCode.SOA, bytes.take())
    this.rnameEnd = this.soa.end - 20
  }

  /** @returns where it was written; -1 when it does not fit */
  putSoa(reply: Reply, section: Section, at: number, serial: number): number {
    const from = reply.put(section, this.soa, at, at)
    if (from < 0) return from
    reply.patchPointer(from + this.rnameEnd - 2, at)
    reply.patch32(from + this.rnameEnd, serial)
    // In the authority section its TTL is how long the answer may be remembered (RFC 2308, section 3).
    if (section === 'authority') reply.patch32(from + 6, Math.min(apex.soaTtl, apex.minimum))
    return from
  }
}

function record(bytes: Bytes, type: number, ttl: number, writeRdata: () => void): void {
  bytes.u16(0xc000 | headerSize)
  bytes.u16(type)
  bytes.u16(classIn)
  bytes.u32(ttl)
  bytes.u16(0)
  const start = bytes.length
  writeRdata()
  bytes.buffer.writeUInt16BE(bytes.length - start, start - 2)
}

const stored = (type: number, bytes: Buffer): Stored => ({
  type,
  serial: 0,
  bytes,
  start: 0,
  end: bytes.length,
  next: undefined,
})
