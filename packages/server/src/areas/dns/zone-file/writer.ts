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
export function writeZoneFile({ zone, serial, records, ...settings }: WritableZone): string {
  const { nameservers } = settings
  const figures = [serial, apex.refresh, apex.retry, apex.expire, apex.minimum].join(' ')
  const soa = `${nameservers[0] ?? ''}. ${rnameOf(settings, zone)}. ${figures}`
  return [
    `$ORIGIN ${zone}.`,
    `$TTL ${apex.soaTtl}`,
    line('@', apex.soaTtl, 'SOA', soa),
    ...nameservers.map((name) => line('@', apex.nsTtl, 'NS', `${name}.`)),
    ...[...records].sort(inOrder).map(writeRecord),
    '',
  ].join('\n')
}

/** One line. Its names are absolute: it has the same meaning with any origin. */
export const writeRecord = (record: CanonicalRecord): string =>
  line(record.host, record.ttl, record.type, formatRdata(record.type, record))

const line = (host: string, ttl: number, type: string, data: string): string => `${host}\t${ttl}\tIN\t${type}\t${data}`

/** Names in the order of their labels from the right, the apex first; then types as the contract lists them. */
function inOrder(a: CanonicalRecord, b: CanonicalRecord): number {
  return (
    compare(hostKey(a.host), hostKey(b.host)) ||
    recordTypes.indexOf(a.type) - recordTypes.indexOf(b.type) ||
    (a.priority ?? 0) - (b.priority ?? 0) ||
    compare(a.value, b.value)
  )
}

const hostKey = (host: string): string => (host === '@' ? '' : host.split('.').reverse().join(' '))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
