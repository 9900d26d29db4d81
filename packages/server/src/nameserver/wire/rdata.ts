import { hasCompressibleName } from '../../ports/dns/types/rdata.js'
import { pointerToApex } from '../../ports/dns/wire/rdata-names.js'
import type { NameReader } from './name-reader.js'
import { RefusedAnswer } from './refused-answer.js'

/** Converts the data of records from messages, where names may be compressed, to the form in which the nameserver stores it. */

/** A part of the data: a number of octets, a name, a character-string, or the rest. */
type Part = number | 'name' | 'string' | 'rest'

/**
 * Types whose data has names that a nameserver may compress (RFC 3597, section 4), and those whose data has a fixed size. All others are
 * stored as they are.
 */
const layouts = new Map<number, readonly Part[]>([
  [1, [4]], // A
  [2, ['name']], // NS
  [3, ['name']], // MD
  [4, ['name']], // MF
  [5, ['name']], // CNAME
  [6, ['name', 'name', 20]], // SOA
  [7, ['name']], // MB
  [8, ['name']], // MG
  [9, ['name']], // MR
  [12, ['name']], // PTR
  [14, ['name', 'name']], // MINFO
  [15, [2, 'name']], // MX
  [17, ['name', 'name']], // RP
  [18, [2, 'name']], // AFSDB
  [21, [2, 'name']], // RT
  [24, [18, 'name', 'rest']], // SIG
  [26, [2, 'name', 'name']], // PX
  [28, [16]], // AAAA
  [30, ['name', 'rest']], // NXT
  [33, [6, 'name']], // SRV
  [35, [4, 'string', 'string', 'string', 'name']], // NAPTR
  [36, [2, 'name']], // KX
  [39, ['name']], // DNAME
])

const raw: readonly Part[] = ['rest']

/** Octets of the data of a record, whose length has 16 bits. */
const lengthMax = 65_535

/** Octets before the data of a record: type, class, ttl, length. */
export const fieldsSize = 10

/**
 * @param zone the key of the zone; names in it that may be compressed end in `pointerToApex`
 * @returns a copy
 * @throws RefusedAnswer for data that does not fit its type
 */
export function storedRdata(
  packet: Buffer,
  { type, from, end, zone, names }: { type: number; from: number; end: number; zone: string; names: NameReader },
): Buffer {
  const parts: Buffer[] = []
  let at = from
  for (const part of layouts.get(type) ?? raw) {
    const start = at
    if (part === 'name') {
      at = names.read(packet, at, end)
      parts.push(hasCompressibleName(type) ? shortened(names, zone) : names.wire())
      continue
    }
    at = part === 'rest' ? end : start + (part === 'string' ? 1 + (packet[start] ?? 0) : part)
    if (at > end) throw misfit(type)
    parts.push(packet.subarray(start, at))
  }
  const rdata = Buffer.concat(parts)
  if (at !== end || rdata.length > lengthMax) throw misfit(type)
  return rdata
}

const misfit = (type: number) => new RefusedAnswer(`The data of a record of type ${type} does not fit the type.`)

function shortened(names: NameReader, zone: string): Buffer {
  const key = names.keyWithin(zone)
  if (key === undefined) return names.wire()
  const short = Buffer.alloc(key.length + 2)
  short.write(key, 'latin1')
  short.writeUInt16BE(pointerToApex, key.length)
  return short
}
