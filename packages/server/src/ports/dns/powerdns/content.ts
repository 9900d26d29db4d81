import type { RecordType } from '@svc/contract'
import type { RRsetRecord } from '../port.js'
import { formatFullIpv6, parseIpv6Groups } from '../presentation/ipv6.js'
import { formatRdata, parseRdata } from '../types/rdata.js'

/**
 * Contents of PowerDNS: presentation format with every name absolute and priorities in front
 * (https://doc.powerdns.com/authoritative/appendices/types.html).
 */

/** The content of a canonical record. */
export function contentOf(type: RecordType, record: RRsetRecord): string {
  // In full: PowerDNS 4.7 rejects addresses with dots in them (RFC 4291, section 2.2).
  const groups = type === 'AAAA' ? parseIpv6Groups(record.value) : undefined
  return groups === undefined ? formatRdata(type, record) : formatFullIpv6(groups)
}

/** The record of a content. One that cannot be parsed becomes the value unchanged, and so differs from all canonical records. */
export const recordOf = (type: RecordType, content: string): RRsetRecord =>
  parseRdata(type, content) ?? { value: content, priority: null }

/** The canonical spelling of a content; one that cannot be parsed stays unchanged. */
export function canonicalContent(type: RecordType, content: string): string {
  const record = parseRdata(type, content)
  return record === undefined ? content : contentOf(type, record)
}
