import { apex, mailboxOf, type ApexSettings } from '../../../ports/dns/apex.js'
import { keyOf } from '../../../ports/dns/wire/names.js'
import { readName } from '../../../ports/dns/wire/read-name.js'
import type { WireRecord } from '../../../ports/dns/wire/read-records.js'

/** The data of an SOA (RFC 1035, section 3.3.13). */
export interface Soa {
  /** Keys of names: see names.ts. */
  readonly mname: string
  readonly rname: string
  readonly serial: number
  /** Refresh, retry, expire, minimum: seconds. */
  readonly timers: readonly number[]
}

/** Octets of the five numbers at the end of an SOA. */
const numbersSize = 20

/** @returns undefined for malformed data */
export function readSoa(packet: Buffer, { start, end }: WireRecord): Soa | undefined {
  const mname = readName(packet, start, end)
  const rname = mname && readName(packet, mname.end, end)
  if (rname === undefined || rname.end + numbersSize !== end) return undefined
  const [serial = 0, ...timers] = Array.from({ length: 5 }, (_, index) => packet.readUInt32BE(rname.end + 4 * index))
  return { mname: mname?.key ?? '', rname: rname.key, serial, timers }
}

/** The SOA and NS records of a zone's apex, which svc serves and an update cannot change. */
export interface ApexView {
  readonly hasNs: (target: string) => boolean
  /** How many NS records it has. */
  readonly nsCount: number
  /** Whether an SOA is the served one, its serial left out. */
  readonly isSoa: (soa: Soa) => boolean
}

/** @param zone canonical */
export function apexView(settings: ApexSettings, zone: string): ApexView {
  const targets = new Set(settings.nameservers.map((name) => name.toLowerCase()))
  const [first = ''] = targets
  return {
    hasNs: (target) => targets.has(target),
    nsCount: targets.size,
    isSoa: ({ mname, rname, timers }) =>
      mname === keyOf(first) && rname === mailboxKey(settings, zone) && timers.join() === served,
  }
}

const served = [apex.refresh, apex.retry, apex.expire, apex.minimum].join()

/** The local part is one label, even if it contains dots (RFC 1035, section 8). */
function mailboxKey(settings: ApexSettings, zone: string): string {
  const { local, domain } = mailboxOf(settings, zone)
  return `${String.fromCharCode(local.length)}${local.toLowerCase()}${keyOf(domain)}`
}
