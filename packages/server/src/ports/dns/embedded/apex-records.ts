import { apex, mailboxOf, type ApexSettings, type Mailbox } from '../apex.js'
import { Bytes } from '../wire/bytes.js'
import { pointerToApex } from '../wire/rdata-names.js'
import { classIn, typeCode } from './codes.js'
import { headerSize } from './query.js'
import type { Reply, Section } from './reply.js'
import type { Stored } from './stored.js'
import type { ZoneMap } from './zone-map.js'

/** The SOA and NS records of every zone: they differ in little but the zone's name and serial, and are kept once. */
export class ApexRecords {
  readonly ns: Stored
  /** Its mailbox is at the zone: the RNAME ends in a pointer to the zone's name. */
  private readonly ownSoa: Stored | undefined
  private fixedSoa: Stored | undefined

  constructor(private readonly settings: ApexSettings) {
    const { nameservers, hostmaster } = settings
    if (nameservers.length === 0) throw new RangeError('A zone needs at least one nameserver.')
    const bytes = new Bytes()
    for (const name of nameservers) {
      record(bytes, typeCode.NS, apex.nsTtl, () => bytes.name(name))
    }
    this.ns = stored(typeCode.NS, bytes.take())
    this.ownSoa = hostmaster === undefined ? this.soa(mailboxOf(settings, '').local) : undefined
  }

  /** @returns where it was written; -1 when it does not fit */
  putSoa(reply: Reply, section: Section, at: number, { name, serial, isReverse }: ZoneMap): number {
    const own = isReverse ? undefined : this.ownSoa
    // All reverse zones have one mailbox, or all zones.
    const soa = own ?? (this.fixedSoa ??= this.soa(mailboxOf(this.settings, name)))
    const from = reply.put(section, soa, at, at)
    if (from < 0) return from
    const rnameEnd = from + soa.end - figuresLength
    if (own !== undefined) reply.patchPointer(rnameEnd - 2, at)
    reply.patch32(rnameEnd, serial)
    // In the authority section its TTL is how long the answer may be remembered (RFC 2308, section 3).
    if (section === 'authority') reply.patch32(from + 6, Math.min(apex.soaTtl, apex.minimum))
    return from
  }

  /** @param mailbox its local part alone where the domain is the zone */
  private soa(mailbox: Mailbox | string): Stored {
    const [first = ''] = this.settings.nameservers
    const { local, domain } = typeof mailbox === 'string' ? { local: mailbox, domain: undefined } : mailbox
    const bytes = new Bytes()
    record(bytes, typeCode.SOA, apex.soaTtl, () => {
      bytes.name(first)
      // One label, also with dots (RFC 1035, section 8).
      bytes.u8(local.length)
      bytes.raw(Buffer.from(local, 'latin1'))
      if (domain === undefined) bytes.u16(pointerToApex)
      else bytes.name(domain)
      for (const figure of [0, apex.refresh, apex.retry, apex.expire, apex.minimum]) bytes.u32(figure)
    })
    return stored(typeCode.SOA, bytes.take())
  }
}

/** Octets of an SOA after its names. */
const figuresLength = 20

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
