import type { RecordType } from '@svc/contract'
import type { RRsetRecord } from '../port.js'
import { recordTypeRules } from '../types/index.js'
import { formatRdata, parseRdata } from '../types/rdata.js'

/**
 * Contents of PowerDNS: presentation format with every name absolute and priorities in front
 * (https://doc.powerdns.com/authoritative/appendices/types.html).
 */

/** The content of a canonical record. */
export function contentOf(type: RecordType, record: RRsetRecord): string {
  const { format, formatForPowerdns = format } = recordTypeRules[type]
  return formatRdata(type, record, formatForPowerdns)
}

/** The record of a content. One that cannot be parsed becomes the value unchanged, and so differs from all canonical records. */
export const recordOf = (type: RecordType, content: string): RRsetRecord =>
  parseRdata(type, content) ?? { value: content, priority: null }

/** The canonical spelling of a content; one that cannot be parsed stays unchanged. */
export function canonicalContent(type: RecordType, content: string): string {
  const record = parseRdata(type, content)
  return record === undefined ? content : contentOf(type, record)
}
