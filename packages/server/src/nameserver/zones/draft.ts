import { typeCode } from '../../ports/dns/embedded/codes.js'
import { ofType, type Placed, type Stored } from '../../ports/dns/embedded/stored.js'
import type { ZoneMap } from '../../ports/dns/embedded/zone-map.js'
import type { WireRecord } from '../wire/records.js'
import { RefusedAnswer } from '../wire/refused-answer.js'
import { isSoa } from '../wire/soa.js'
import { DraftSet, scratch } from './draft-set.js'

/** A changed RRset, as it is stored. */
type Change = Placed

/** Octets of one RRset. It is encoded in one turn of the event loop, and a message has 65,535. */
const rrsetMax = 65_535

/** Types of the records of one name, which are a list: real names have a few. */
const typesMax = 256

/** What a transfer has sent of a zone: all of it, or the RRsets that change. */
export class Draft {
  /** By name, then by type. */
  private readonly names = new Map<string, Map<number, DraftSet>>()
  private soa: WireRecord | undefined
  /** The number of RRsets. */
  size = 0

  /** @param base the zone before the change; undefined for a whole zone */
  constructor(private readonly base?: ZoneMap) {}

  /** @throws RefusedAnswer if the transfer had no SOA */
  get soaRecord(): WireRecord {
    if (this.soa === undefined) throw new RefusedAnswer('The transfer has no SOA.')
    return this.soa
  }

  add(record: WireRecord): void {
    if (isSoa(record)) this.soa = record
    // Only the apex has an SOA.
    else if (record.type !== typeCode.SOA) this.addTo(this.setOf(record), record)
  }

  private addTo(set: DraftSet, { rdata, ttl }: WireRecord): void {
    set.add(rdata.toString('latin1'), ttl)
    if (set.octets > rrsetMax)
      throw new RefusedAnswer(`An RRset has more than ${rrsetMax} octets: no answer has room for it.`)
  }

  /** @throws RefusedAnswer for a record that is not there: the change does not fit this zone */
  remove(record: WireRecord): void {
    if (record.type === typeCode.SOA) return
    if (!this.setOf(record).delete(record.rdata.toString('latin1')))
      throw new RefusedAnswer('The incremental transfer removes a record that is not in the zone.')
  }

  private setOf({ key, type }: WireRecord): DraftSet {
    let types = this.names.get(key)
    if (types === undefined) this.names.set(key, (types = new Map<number, DraftSet>()))
    let set = types.get(type)
    if (set === undefined) {
      if (types.size + countSets(this.base?.exact(key)) >= typesMax)
        throw new RefusedAnswer(`A name has records of more than ${typesMax} types.`)
      const existing = this.existing(key, type)
      set = existing === undefined ? new DraftSet() : DraftSet.of(existing)
      types.set(type, set)
      this.size++
    }
    return set
  }

  private existing(key: string, type: number): Stored | undefined {
    const { base } = this
    if (base === undefined) return undefined
    return key === '' && type === typeCode.NS ? base.apex?.ns : ofType(base.exact(key), type)
  }

  /** Encodes the RRsets in groups, each of which takes a part of a turn of the event loop. */
  *groups(serial: number): Generator<Change[], void> {
    let spans: { key: string; type: number; start: number; end: number }[] = []
    for (const [key, types] of this.names)
      for (const [type, set] of types) {
        const start = scratch.length
        // Only the first alias counts: a name has one (RFC 1034, section 3.6.2).
        set.write(type, type === typeCode.CNAME ? 1 : Infinity)
        spans.push({ key, type, start, end: scratch.length })
        if (spans.length < setsPerGroup && scratch.length < bytesPerGroup) continue
        yield storedOf(spans, serial)
        spans = []
      }
    if (spans.length > 0) yield storedOf(spans, serial)
  }

  /** The SOA, encoded. @throws RefusedAnswer if the transfer had none */
  encodedSoa(serial: number): Stored {
    const { rdata, ttl } = this.soaRecord
    const set = new DraftSet()
    set.add(rdata.toString('latin1'), ttl)
    set.write(typeCode.SOA)
    const bytes = scratch.take()
    return { type: typeCode.SOA, serial: serial | 0, bytes, start: 0, end: bytes.length, next: undefined }
  }
}

function countSets(first: Stored | undefined): number {
  let count = 0
  for (let set = first; set !== undefined; set = set.next) count++
  return count
}

const setsPerGroup = 500
const bytesPerGroup = 256 * 1024

function storedOf(
  spans: readonly { key: string; type: number; start: number; end: number }[],
  serial: number,
): Change[] {
  const bytes = scratch.take()
  return spans.map(({ key, type, start, end }) => ({
    key,
    type,
    set: start === end ? undefined : { type, serial: serial | 0, bytes, start, end, next: undefined },
  }))
}
