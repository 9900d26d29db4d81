import type { RecordType } from '@svc/contract'
import type { RRsetRecord } from '../../../ports/dns/port.js'
import { recordTypeByCode } from '../../../ports/dns/types/index.js'
import { isPrintableKey, readRdata } from '../../../ports/dns/types/read-rdata.js'
import { textOf } from '../../../ports/dns/wire/names.js'
import type { WireRecord } from '../../../ports/dns/wire/read-records.js'
import { readSoa, type Soa } from './apex-records.js'
import { wireClass, wireType, type UpdateMessage } from './message.js'

/** A record of an update, its name and data read. */
export interface NamedRecord {
  readonly wire: WireRecord
  /** Relative to the zone, `@` for the apex; null for a name that no record of svc can have. Undefined for a name outside of the zone. */
  readonly host: string | null | undefined
  /** Undefined for a type that svc does not manage. */
  readonly type: RecordType | undefined
  /** Null for data that no record of svc can have; undefined for a record without data, and of other types. */
  readonly data: RRsetRecord | null | undefined
  /** The data of an SOA. */
  readonly soa: Soa | undefined
}

/** Hosts of records: see `hostName`. PostgreSQL rejects some other octets, even in a comparison. */
const storable = /^(\*|[\w-]+)(\.[\w-]+)*$/

/**
 * Reads the names and data of the records of a section.
 * @returns undefined if the data of a type that svc reads are malformed
 */
export function nameRecords(message: UpdateMessage, records: readonly WireRecord[]): NamedRecord[] | undefined {
  const { packet, zone } = message
  const named: NamedRecord[] = []
  for (const wire of records) {
    const type = recordTypeByCode.get(wire.type)
    const hasData = wire.class !== wireClass.any && (wire.class === wireClass.in || wire.start !== wire.end)
    const data = type && hasData ? readRdata(packet, wire.start, wire.end, type) : undefined
    const soa = wire.type === wireType.soa && hasData ? readSoa(packet, wire) : undefined
    if (data?.kind === 'malformed' || (wire.type === wireType.soa && hasData && soa === undefined)) return undefined
    named.push({ wire, type, data: data?.kind === 'foreign' ? null : data?.record, soa, host: hostOf(zone, wire.name) })
  }
  return named
}

function hostOf(zone: string, name: string): NamedRecord['host'] {
  if (name === zone) return '@'
  if (!isBelow(name, zone)) return undefined
  const key = name.slice(0, -zone.length)
  const host = isPrintableKey(key) ? textOf(key) : ''
  return storable.test(host) ? host : null
}

/** Whether the key of a name ends in that of a zone, at the boundary of a label. */
function isBelow(name: string, zone: string): boolean {
  if (zone === '' || !name.endsWith(zone)) return false
  let at = 0
  while (at < name.length - zone.length) at += 1 + name.charCodeAt(at)
  return at === name.length - zone.length
}
