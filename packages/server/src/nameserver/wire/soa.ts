import type { WireRecord } from './records.js'
import { RefusedAnswer } from './refused-answer.js'

/** What the SOA of a zone says about its copies (RFC 1035, section 3.3.13). */
export interface SoaNumbers {
  /** As a signed 32-bit integer. */
  readonly serial: number
  /** Seconds. */
  readonly refresh: number
  readonly retry: number
  readonly expire: number
}

/** Octets of the numbers at the end of an SOA. */
const numbersSize = 20

/** @param end the offset after the SOA */
export const soaNumbers = (bytes: Buffer, end: number = bytes.length): SoaNumbers => ({
  serial: bytes.readInt32BE(end - numbersSize),
  refresh: bytes.readUInt32BE(end - 16),
  retry: bytes.readUInt32BE(end - 12),
  expire: bytes.readUInt32BE(end - 8),
})

const soaType = 6

export const isSoa = ({ key, type }: Pick<WireRecord, 'key' | 'type'>): boolean => type === soaType && key === ''

/** The serial of a record that must be the SOA of the zone. @throws RefusedAnswer */
export function serialOf(record: WireRecord | undefined): number {
  if (record === undefined || !isSoa(record))
    throw new RefusedAnswer('The answer does not begin with the SOA of the zone.')
  return soaNumbers(record.rdata).serial
}
