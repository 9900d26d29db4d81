import { parseExtraFields } from 'yauzl'
import { refuseEntry } from './archive-error.js'
import { extraBytesMax } from './directory.js'
import type { FileEntry } from './entry.js'
import type { ArchiveWindow } from './window.js'

/** The local header of an entry (APPNOTE 4.3.7). */
const signature = 0x04034b50
const fixedBytes = 30

/** Flag: the CRC-32 and the sizes follow the data, and are 0 here. */
const hasDescriptor = 0x08
const isEncrypted = 0x01

/** In place of a size that is in the extra field of zip64. */
const inExtraField = 0xffffffff

/**
 * Finds the data of a file. Programs that read local headers and those that read the central directory must see the same file.
 * @param end where the central directory begins
 * @returns the position of the first byte
 * @throws ApiError `bad_request` for a local header that differs from the central directory; StorageError
 */
export async function locateData(window: ArchiveWindow, entry: FileEntry, end: number): Promise<number> {
  const { path, offset, nameBytes } = entry
  await window.load(offset, fixedBytes)
  const fixed = window.bytes(offset, fixedBytes)
  if (offset + fixedBytes > end || fixed.readUInt32LE() !== signature)
    throw refuseEntry(path, 'has no local header where the central directory says')
  const nameLength = fixed.readUInt16LE(26)
  const extraLength = fixed.readUInt16LE(28)
  if (extraLength > extraBytesMax) throw refuseEntry(path, `has more than ${extraBytesMax} bytes of extra fields`)
  const start = offset + fixedBytes + nameLength + extraLength
  if (start + entry.compressedSize > end) throw refuseEntry(path, 'continues beyond the end of the data')
  await window.load(offset + fixedBytes, nameLength + extraLength)
  const name = window.bytes(offset + fixedBytes, nameLength)
  const extra = window.bytes(offset + fixedBytes + nameLength, extraLength)
  const differs = (what: string) => refuseEntry(path, `has another ${what} in its local header`)
  if (name.toString('latin1') !== nameBytes) throw differs('name')
  if (fixed.readUInt16LE(8) !== entry.method) throw differs('compression method')
  const flags = fixed.readUInt16LE(6)
  if ((flags & isEncrypted) !== 0) throw refuseEntry(path, 'is encrypted according to its local header')
  const isZeroAllowed = (flags & hasDescriptor) !== 0
  const agrees = (given: number, expected: number) => given === expected || (given === 0 && isZeroAllowed)
  if (!agrees(fixed.readUInt32LE(14), entry.crc32)) throw differs('CRC-32')
  const sizes = localSizes(fixed, extra)
  if (sizes === undefined) throw refuseEntry(path, 'has damaged extra fields in its local header')
  if (!agrees(sizes.compressed, entry.compressedSize) || !agrees(sizes.unpacked, entry.size)) throw differs('size')
  return start
}

/** @returns undefined if the extra fields are damaged */
function localSizes(fixed: Buffer, extra: Buffer): { compressed: number; unpacked: number } | undefined {
  const compressed = fixed.readUInt32LE(18)
  const unpacked = fixed.readUInt32LE(22)
  if (compressed !== inExtraField && unpacked !== inExtraField) return { compressed, unpacked }
  try {
    // Both sizes, the unpacked one first (APPNOTE 4.5.3).
    const zip64 = parseExtraFields(extra).find(({ id }) => id === 1)?.data
    if (zip64 === undefined) return undefined
    return { unpacked: Number(zip64.readBigUInt64LE(0)), compressed: Number(zip64.readBigUInt64LE(8)) }
  } catch {
    return undefined
  }
}
