import type { CanonicalRecord } from '../records/record.js'

/**
 * How much one RRset may hold. A DNS message has at most 65535 bytes (RFC 1035, section 4.2.2), and an RRset is answered
 * whole or not at all; what is kept back is for the header, the question, EDNS and a few aliases that lead to it.
 */
export const rrsetMaxBytes = 64_000

/** Beside its data: a compressed name, type, class, ttl and length (RFC 1035, sections 3.2.1 and 4.1.4). */
const overhead = 12

/** @param bytes the length of a text in UTF-8: a length byte comes before every 255 (RFC 1035, section 3.3) */
const asStrings = (bytes: number): number => bytes + Math.ceil(bytes / 255)

/** The longest text that fits, alone in its RRset. */
export const textMaxBytes = Math.floor(((rrsetMaxBytes - overhead) * 255) / 256)

/** The longest spelling that can come to a value that fits: four characters for a byte, and quotation marks. */
export const valueMaxLength = 5 * rrsetMaxBytes

/** The size of a record in its zone's content: the UTF-8 bytes of its value and its host. */
export const contentBytes = ({ value, host }: Pick<CanonicalRecord, 'value' | 'host'>): number =>
  Buffer.byteLength(value) + Buffer.byteLength(host)

/** Of a name without its trailing dot; the root is `.`. Names are ASCII. */
const nameBytes = (name: string): number => (name === '.' ? 1 : name.length + 2)

/** What the records of one RRset take up in an answer, names in the data not compressed. */
export const rrsetBytes = (records: readonly CanonicalRecord[]): number =>
  records.reduce((sum, record) => sum + overhead + dataBytes(record), 0)

function dataBytes({ type, value }: CanonicalRecord): number {
  switch (type) {
    case 'A':
      return 4
    case 'AAAA':
      return 16
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return nameBytes(value)
    case 'MX':
      return 2 + nameBytes(value)
    case 'SRV':
      return 6 + nameBytes(value.slice(value.lastIndexOf(' ') + 1))
    case 'TXT':
    case 'SPF':
      return asStrings(Buffer.byteLength(value))
    case 'CAA':
      // Not less than it is: the flags, spaces, quotes and escapes of the text outweigh the two bytes before the tag.
      return value.length
  }
}
