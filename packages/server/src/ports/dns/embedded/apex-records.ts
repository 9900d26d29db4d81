import { apex, mailboxOf, type ApexSettings, type Mailbox } from '../apex.js'
import { Bytes } from '../wire/bytes.js'
import { pointerToApex } from '../wire/rdata-names.js'
import { typeCode } from './codes.js'
import type { Reply, Section } from './reply.js'
import { writeRecord, type Stored } from './stored.js'
import type { ZoneMap } from './zone-map.js'

/** The SOA and NS records at the apex of zones, which are not among the other RRsets. */
export interface Apex {
  /** The NS records of a zone; undefined if it has none. */
  nsOf(zone: ZoneMap): Stored | undefined

  /**
   * Writes the SOA of a zone.
   * @param at the offset of the zone's name in the message
   * @returns the offset of the record; -1 if it does not fit
   */
  putSoa(reply: Reply, section: Section, at: number, zone: ZoneMap): number
}

/** The records at the apex of every zone that follow the settings. They are encoded once: zones differ only in name, serial and mailbox. */
export class ApexRecords implements Apex {
  readonly ns: Stored
  /** With a mailbox at the zone: the RNAME ends in a pointer to the zone's name. */
  private readonly soaWithZoneMailbox: Stored | undefined
  /** With a mailbox elsewhere, which all reverse zones share, or all zones. */
  private soaWithSharedMailbox: Stored | undefined

  constructor(private readonly settings: ApexSettings) {
    const { nameservers, hostmaster } = settings
    if (nameservers.length === 0) throw new RangeError('A zone needs at least one nameserver.')
    const bytes = new Bytes()
    for (const name of nameservers) {
      writeRecord(bytes, typeCode.NS, apex.nsTtl, () => bytes.name(name))
    }
    this.ns = toStored(typeCode.NS, bytes.take())
    this.soaWithZoneMailbox = hostmaster === undefined ? this.encodeSoa(mailboxOf(settings, '').local) : undefined
  }

  nsOf(): Stored {
    return this.ns
  }

  putSoa(reply: Reply, section: Section, at: number, zone: ZoneMap): number {
    const { serial } = zone
    const withZoneMailbox = zone.isReverse ? undefined : this.soaWithZoneMailbox
    const soa = this.soaWithoutSerial(zone)
    const from = reply.put(section, soa, at, at)
    if (from < 0) return from
    const rnameEnd = from + soa.end - soaNumbersLength
    if (withZoneMailbox !== undefined) reply.patchPointer(rnameEnd - 2, at)
    reply.patch32(rnameEnd, serial)
    // In the authority section, its TTL is how long the negative answer may be cached (RFC 2308, section 3).
    if (section === 'authority') reply.patch32(from + 6, Math.min(apex.soaTtl, apex.minimum))
    return from
  }

  /** The SOA of a zone at a serial, as it is stored. */
  soaOf(zone: ZoneMap, serial: number): Stored {
    const { bytes } = this.soaWithoutSerial(zone)
    const copy = Buffer.from(bytes)
    copy.writeInt32BE(serial, copy.length - soaNumbersLength)
    return toStored(typeCode.SOA, copy)
  }

  private soaWithoutSerial({ isReverse, name }: ZoneMap): Stored {
    const withZoneMailbox = isReverse ? undefined : this.soaWithZoneMailbox
    return withZoneMailbox ?? (this.soaWithSharedMailbox ??= this.encodeSoa(mailboxOf(this.settings, name)))
  }

  /** @param mailbox only the local part if the domain is the zone itself */
  private encodeSoa(mailbox: Mailbox | string): Stored {
    const [first = ''] = this.settings.nameservers
    const { local, domain } = typeof mailbox === 'string' ? { local: mailbox, domain: undefined } : mailbox
    const bytes = new Bytes()
    writeRecord(bytes, typeCode.SOA, apex.soaTtl, () => {
      bytes.name(first)
      // The local part is one label, even if it contains dots (RFC 1035, section 8).
      bytes.u8(local.length)
      bytes.raw(Buffer.from(local, 'latin1'))
      if (domain === undefined) bytes.u16(pointerToApex)
      else bytes.name(domain)
      for (const number of [0, apex.refresh, apex.retry, apex.expire, apex.minimum]) bytes.u32(number)
    })
    return toStored(typeCode.SOA, bytes.take())
  }
}

/** Octets of the five numbers at the end of an SOA, the serial first (RFC 1035, section 3.3.13). */
const soaNumbersLength = 20

const toStored = (type: number, bytes: Buffer): Stored => ({
  type,
  serial: 0,
  bytes,
  start: 0,
  end: bytes.length,
  next: undefined,
})
