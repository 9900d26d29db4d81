import type { OwnApex, ZoneSnapshot } from '../../ports/dns/embedded/zone-map.js'
import type { Stored } from '../../ports/dns/embedded/stored.js'

/**
 * The octets of a zone, in memory and in its file. RRsets have the form in which questions are answered from them:
 *
 *     (key  type  length  records)*
 *
 * The first RRset is the SOA. key: its length in 16 bits, and Latin-1. type: 16 bits. length: 32 bits.
 */
export function* packedParts(apex: OwnApex, { keys, sets: others }: ZoneSnapshot): Generator<Buffer, void> {
  const ns = apex.ns === undefined ? [] : [apex.ns]
  const sets = [apex.soa, ...ns, ...others]
  const keyAt = (at: number): string => keys[at - 1 - ns.length] ?? ''
  for (let at = 0; at < sets.length; at += setsPerPart)
    yield Buffer.concat(sets.slice(at, at + setsPerPart).flatMap((set, n) => setParts(keyAt(at + n), set)))
}

const setsPerPart = 1000

function setParts(key: string, { type, bytes, start, end }: Stored): Buffer[] {
  const head = Buffer.alloc(6)
  head.writeUInt16BE(type, 0)
  head.writeUInt32BE(end - start, 2)
  return [packedText(key), head, bytes.subarray(start, end)]
}

export function packedText(value: string): Buffer {
  const octets = Buffer.alloc(2 + value.length)
  octets.writeUInt16BE(value.length, 0)
  octets.write(value, 2, 'latin1')
  return octets
}

/** The octets are not of this format. */
export class DamagedCopy extends Error {}

/** Reads packed texts and RRsets. Every method throws DamagedCopy. */
export class PackedReader {
  /** @param bytes not changed afterwards: the RRsets refer to them */
  constructor(
    private readonly bytes: Buffer,
    public at = 0,
  ) {}

  text(): string {
    const from = this.skip(2) + 2
    const length = this.bytes.readUInt16BE(from - 2)
    return this.bytes.toString('latin1', this.skip(length), this.at)
  }

  /** @returns undefined at the end */
  set(): { readonly key: string; readonly set: Stored } | undefined {
    if (this.at === this.bytes.length) return undefined
    const key = this.text()
    const head = this.skip(6)
    const type = this.bytes.readUInt16BE(head)
    const start = this.skip(this.bytes.readUInt32BE(head + 2))
    return { key, set: { type, serial: 0, bytes: this.bytes, start, end: this.at, next: undefined } }
  }

  /** @returns the offset before the octets */
  private skip(count: number): number {
    const from = this.at
    this.at += count
    if (this.at > this.bytes.length) throw new DamagedCopy('The copy is cut off.')
    return from
  }
}
