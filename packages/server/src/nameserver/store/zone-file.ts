import { hash } from 'node:crypto'
import { CopiedZone } from '../zones/copied-zone.js'
import type { OpenZones } from '../zones/open-zones.js'
import { DamagedCopy, packedText, PackedReader } from '../zones/packed.js'

/**
 * The file of a copy. It has the form in which the copy is in memory, so that a start reads 10,000 files in a second:
 *
 *     "svc zone 1\n"  SHA-256 of the rest  name  member  RRsets (zones/packed.ts)
 *
 * name and member: their length in 16 bits, and Latin-1.
 */
const magic = Buffer.from('svc zone 1\n')
const hashSize = 32
const bodyStart = magic.length + hashSize

export interface ZoneFile {
  readonly name: string
  readonly member: string
  readonly map: CopiedZone
}

/** The parts of a file, to be written one after another. The zone may change afterwards. */
export function* zoneFileParts({ name, member, map }: ZoneFile): Generator<Buffer, void> {
  const parts = map.parts()
  yield Buffer.concat([packedText(name), packedText(member)])
  yield* parts
}

/** The octets before the parts. */
export const fileHead = (sum: Buffer): Buffer => Buffer.concat([magic, sum])

export const emptyHead = (): Buffer => fileHead(Buffer.alloc(hashSize))

/** @param file not changed afterwards: the zone refers to it @throws DamagedCopy */
export function parseZoneFile(file: Buffer, openZones: OpenZones): ZoneFile {
  // Without an object, whose memory would be freed only with the garbage of 10,000 files.
  const sum = hash('sha256', file.subarray(bodyStart), 'buffer')
  if (!file.subarray(0, bodyStart).equals(fileHead(sum))) throw new DamagedCopy('The file is damaged.')
  const reader = new PackedReader(file, bodyStart)
  const name = reader.text()
  const member = reader.text()
  return { name, member, map: CopiedZone.fromPacked(name, file.subarray(reader.at), openZones) }
}
