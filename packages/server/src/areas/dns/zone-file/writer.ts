import { recordTypes } from '@svc/contract'
import { apex, rnameOf, type ApexSettings } from '../../../ports/dns/apex.js'
import type { CanonicalRecord } from '../records/record.js'

export interface PrintedZone extends ApexSettings {
  readonly zone: string
  readonly serial: number
  readonly records: readonly CanonicalRecord[]
}

/** A zone as a master file (RFC 1035, section 5), with its required SOA and NS records (section 5.2). The text does not depend on the order of the records. */
export function printZone({ zone, serial, records, ...settings }: PrintedZone): string {
  const { nameservers } = settings
  const figures = [serial, apex.refresh, apex.retry, apex.expire, apex.minimum].join(' ')
  const soa = `${nameservers[0] ?? ''}. ${rnameOf(settings, zone)}. ${figures}`
  return [
    `$ORIGIN ${zone}.`,
    `$TTL ${apex.soaTtl}`,
    line('@', apex.soaTtl, 'SOA', soa),
    ...nameservers.map((name) => line('@', apex.nsTtl, 'NS', `${name}.`)),
    ...[...records].sort(inOrder).map(printRecord),
    '',
  ].join('\n')
}

export const printRecord = (record: CanonicalRecord): string =>
  line(record.host, record.ttl, record.type, dataOf(record))

const line = (host: string, ttl: number, type: string, data: string): string => `${host}\t${ttl}\tIN\t${type}\t${data}`

/** Absolute: the file means the same whatever origin it is read with. */
const absolute = (name: string): string => (name === '.' ? name : `${name}.`)

function dataOf({ type, value, priority }: CanonicalRecord): string {
  switch (type) {
    case 'A':
    case 'AAAA':
    case 'CAA':
      return value
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return absolute(value)
    case 'MX':
      return `${priority ?? 0} ${absolute(value)}`
    case 'SRV': {
      const target = value.lastIndexOf(' ') + 1
      return `${priority ?? 0} ${value.slice(0, target)}${absolute(value.slice(target))}`
    }
    case 'TXT':
    case 'SPF':
      return strings(value)
  }
}

/** Strings of at most 255 bytes (RFC 1035, section 3.3), in ASCII: other bytes as `\DDD`. */
function strings(text: string): string {
  const bytes = Buffer.from(text).toString('latin1')
  return (bytes.match(/[^]{1,255}/g) ?? []).map((part) => `"${part.replaceAll(/["\\]|[^ -~]/g, escaped)}"`).join(' ')
}

const escaped = (byte: string): string =>
  byte === '"' || byte === '\\' ? `\\${byte}` : `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`

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
