import { recordTypes } from '@svc/contract/limits'
import { apex, rnameOf, type ApexSettings } from '../../../ports/dns/apex.js'
import { formatRdata } from '../../../ports/dns/types/rdata.js'
import type { CanonicalRecord } from '../records/record.js'

export interface WritableZone extends ApexSettings {
  readonly zone: string
  readonly serial: number
  readonly records: readonly CanonicalRecord[]
}

/**
 * A zone as a zone file (RFC 1035, section 5), with its required SOA and NS records (section 5.2). The text does not depend
 * on the order of the records.
 */
export const writeZoneFile = (zone: WritableZone): string => [...zoneFilePieces(zone)].join('')

/** How many records are written in one piece. */
const recordsPerPiece = 500

/** The same in pieces that take a few milliseconds each. */
export function* zoneFilePieces({ zone, serial, records, ...settings }: WritableZone): Generator<string> {
  const { nameservers } = settings
  const figures = [serial, apex.refresh, apex.retry, apex.expire, apex.minimum].join(' ')
  const soa = `${nameservers[0] ?? ''}. ${rnameOf(settings, zone)}. ${figures}`
  yield [
    `$ORIGIN ${zone}.`,
    `$TTL ${apex.soaTtl}`,
    line('@', apex.soaTtl, 'SOA', soa),
    ...nameservers.map((name) => line('@', apex.nsTtl, 'NS', `${name}.`)),
    '',
  ].join('\n')
  const sorted = records.map((record) => ({ record, key: hostKey(record.host) })).sort(inOrder)
  for (let first = 0; first < sorted.length; first += recordsPerPiece)
    yield sorted
      .slice(first, first + recordsPerPiece)
      .map(({ record }) => `${writeRecord(record)}\n`)
      .join('')
}

/** One line. Its names are absolute: it has the same meaning with any origin. */
export const writeRecord = (record: CanonicalRecord): string =>
  line(record.host, record.ttl, record.type, formatRdata(record.type, record))

const line = (host: string, ttl: number, type: string, data: string): string => `${host}\t${ttl}\tIN\t${type}\t${data}`

interface KeyedRecord {
  readonly record: CanonicalRecord
  readonly key: string
}

/** Names in the order of their labels from the right, the apex first; then types as the contract lists them. */
function inOrder({ record: a, key: hostOfA }: KeyedRecord, { record: b, key: hostOfB }: KeyedRecord): number {
  return (
    compare(hostOfA, hostOfB) ||
    recordTypes.indexOf(a.type) - recordTypes.indexOf(b.type) ||
    (a.priority ?? 0) - (b.priority ?? 0) ||
    compare(a.value, b.value)
  )
}

const hostKey = (host: string): string => (host === '@' ? '' : host.split('.').reverse().join(' '))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
