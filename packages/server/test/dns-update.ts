import dnsPacket, { type Answer } from 'dns-packet'

/** UPDATE messages (RFC 2136), written independently of svc's own reader. */

export const classes = { IN: 1, CH: 3, NONE: 254, ANY: 255 } as const
const types = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  DHCID: 49,
  SPF: 99,
}
const moreTypes = {
  TKEY: 249,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  MAILB: 253,
  MAILA: 254,
  ANY: 255,
  CAA: 257,
  TYPE65400: 65_400,
}

/** A record of a message. Hosts are relative to the zone; a name with a dot at its end is absolute. */
export interface WireRecord {
  readonly name: string
  readonly class: keyof typeof classes
  readonly type: string
  readonly ttl: number
  readonly rdata: Buffer
}

export interface UpdateParts {
  readonly id?: number
  readonly zone: string
  readonly zoneType?: string
  readonly zoneClass?: keyof typeof classes
  readonly prerequisites?: readonly WireRecord[]
  readonly updates?: readonly WireRecord[]
  readonly additional?: readonly WireRecord[]
}

const none = Buffer.alloc(0)

/** Octets of a packet before the data of its only record, whose name is the root. */
const beforeData = 12 + 1 + 10

/** The data of a record, in the notation of dns-packet. */
function rdata(type: string, data: unknown): Buffer {
  const packet = dnsPacket.encode({ type: 'response', answers: [{ name: '.', type, ttl: 0, data } as Answer] })
  return Buffer.from(packet.subarray(beforeData))
}

const record = (
  name: string,
  ofClass: keyof typeof classes,
  type: string,
  ttl = 0,
  data: Buffer = none,
): WireRecord => ({ name, class: ofClass, type, ttl, rdata: data })

/** Prerequisites (RFC 2136, section 2.4), by their names in nsupdate. */
export const prereq = {
  yxdomain: (host: string) => record(host, 'ANY', 'ANY'),
  nxdomain: (host: string) => record(host, 'NONE', 'ANY'),
  yxrrset: (host: string, type: string) => record(host, 'ANY', type),
  nxrrset: (host: string, type: string) => record(host, 'NONE', type),
  equal: (host: string, type: string, data: unknown) => record(host, 'IN', type, 0, rdata(type, data)),
}

/** Changes (RFC 2136, section 2.5). */
export const change = {
  add: (host: string, ttl: number, type: string, data: unknown) => record(host, 'IN', type, ttl, rdata(type, data)),
  remove: (host: string, type: string, data: unknown) => record(host, 'NONE', type, 0, rdata(type, data)),
  removeRRset: (host: string, type: string) => record(host, 'ANY', type),
  removeName: (host: string) => record(host, 'ANY', 'ANY'),
  /** Any record, also a malformed one. */
  record,
}

const allTypes: Readonly<Record<string, number>> = { ...types, ...moreTypes }

function nameBytes(name: string): Buffer {
  const labels = name
    .replace(/\.$/, '')
    .split('.')
    .filter((label) => label !== '')
  return Buffer.concat([
    ...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')])),
    Buffer.of(0),
  ])
}

const absolute = (zone: string, name: string): string =>
  name.endsWith('.') ? name : name === '@' ? zone : `${name}.${zone}`

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index)
  return bytes
}

function recordBytes(zone: string, { name, type, class: ofClass, ttl, rdata: data }: WireRecord): Buffer {
  const head = Buffer.concat([u16(allTypes[type] ?? 0, classes[ofClass]), Buffer.alloc(4), u16(data.length)])
  head.writeUInt32BE(ttl, 4)
  return Buffer.concat([nameBytes(absolute(zone, name)), head, data])
}

export function updatePacket(parts: UpdateParts): Buffer {
  const {
    id = 4711,
    zone,
    zoneType = 'SOA',
    zoneClass = 'IN',
    prerequisites = [],
    updates = [],
    additional = [],
  } = parts
  return Buffer.concat([
    u16(id, 5 << 11, 1, prerequisites.length, updates.length, additional.length),
    nameBytes(zone),
    u16(allTypes[zoneType] ?? 0, classes[zoneClass]),
    ...[...prerequisites, ...updates, ...additional].map((one) => recordBytes(zone, one)),
  ])
}
