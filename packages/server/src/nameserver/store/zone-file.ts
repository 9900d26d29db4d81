import { createHash } from 'node:crypto'
import { typeCode } from '../../ports/dns/embedded/codes.js'
import type { Stored } from '../../ports/dns/embedded/stored.js'
import { ZoneMap } from '../../ports/dns/embedded/zone-map.js'
import { soaNumbers } from '../wire/soa.js'

/**
 * The file of a copy. RRsets have the form in which they are in memory, so that a start reads 10,000 files in a second:
 *
 *     "svc zone 1\n"  SHA-256 of the rest  name  member  (key  type  length  records)*
 *
 * name, member and key: their length in 16 bits, and Latin-1. type: 16 bits. length: 32 bits.
 */
const magic = Buffer.from('svc zone 1\n')
const hashSize = 32
const bodyStart = magic.length + hashSize

export interface ZoneFile {
  readonly name: string
  readonly member: string
  readonly map: ZoneMap
}

/** The file is not a copy of this format, or was changed. */
class DamagedFile extends Error {}

/** The parts of a file, to be written one after another. The zone may change afterwards. */
export function* zoneFileParts({ name, member, map }: ZoneFile): Generator<Buffer, void> {
  const { apex } = map
  if (apex === undefined) throw new Error(`The zone ${name} has no SOA.`)
  const { keys, sets: others } = map.snapshot()
  const ns = apex.ns === undefined ? [] : [apex.ns]
  const sets = [apex.soa, ...ns, ...others]
  const keyAt = (at: number): string => keys[at - 1 - ns.length] ?? ''
  yield Buffer.concat([text(name), text(member)])
  for (let at = 0; at < sets.length; at += setsPerPart)
    yield Buffer.concat(sets.slice(at, at + setsPerPart).flatMap((set, n) => setParts(keyAt(at + n), set)))
}

const setsPerPart = 1000

function setParts(key: string, { type, bytes, start, end }: Stored): Buffer[] {
  const head = Buffer.alloc(6)
  head.writeUInt16BE(type, 0)
  head.writeUInt32BE(end - start, 2)
  return [text(key), head, bytes.subarray(start, end)]
}

function text(value: string): Buffer {
  const octets = Buffer.alloc(2 + value.length)
  octets.writeUInt16BE(value.length, 0)
  octets.write(value, 2, 'latin1')
  return octets
}

/** The octets before the parts. */
export const fileHead = (hash: Buffer): Buffer => Buffer.concat([magic, hash])

export const emptyHead = (): Buffer => fileHead(Buffer.alloc(hashSize))

/** @param file not changed afterwards: the zone refers to it @throws DamagedFile */
export function parseZoneFile(file: Buffer): ZoneFile {
  const hash = createHash('sha256').update(file.subarray(bodyStart)).digest()
  if (!file.subarray(0, bodyStart).equals(fileHead(hash))) throw new DamagedFile('The file is damaged.')
  const reader = new Reader(file)
  const name = reader.text()
  const member = reader.text()
  const soa = reader.set()
  if (soa?.key !== '' || soa.set.type !== typeCode.SOA) throw new DamagedFile('The file has no SOA.')
  const { serial } = soaNumbers(file, soa.set.end)
  const map = new ZoneMap(name, serial)
  map.apex = { soa: soa.set, ns: undefined }
  for (let next = reader.set(); next !== undefined; next = reader.set()) {
    const { key, set } = next
    if (key === '' && set.type === typeCode.NS) map.apex = { soa: soa.set, ns: set }
    else map.update(serial, [{ key, type: set.type, set }])
  }
  return { name, member, map }
}

class Reader {
  private at = bodyStart

  constructor(private readonly file: Buffer) {}

  text(): string {
    const from = this.skip(2) + 2
    const length = this.file.readUInt16BE(from - 2)
    return this.file.toString('latin1', this.skip(length), this.at)
  }

  set(): { readonly key: string; readonly set: Stored } | undefined {
    if (this.at === this.file.length) return undefined
    const key = this.text()
    const head = this.skip(6)
    const type = this.file.readUInt16BE(head)
    const start = this.skip(this.file.readUInt32BE(head + 2))
    return { key, set: { type, serial: 0, bytes: this.file, start, end: this.at, next: undefined } }
  }

  /** @returns the offset before the octets */
  private skip(count: number): number {
    const from = this.at
    this.at += count
    if (this.at > this.file.length) throw new DamagedFile('The file is cut off.')
    return from
  }
}
