import { pipeline, Readable } from 'node:stream'
import { createInflateRaw, inflateRawSync, type InflateRaw } from 'node:zlib'
import { refuseEntry } from './archive-error.js'
import { deflated, type FileEntry } from './entry.js'
import type { ArchiveWindow } from './window.js'

/** A file whose data has been found. */
export interface LocatedFile extends FileEntry {
  /** The position of its data in the archive. */
  readonly start: number
}

/** Up to this size, a file is unpacked at once, which takes about a millisecond. */
export const smallFileMax = 256 * 1024

/** How much of the data of a large file is read at a time, in bytes. */
const pieceBytes = 256 * 1024

/** The data of a small file as it is in the archive. @throws StorageError */
export async function readData(window: ArchiveWindow, { start, compressedSize }: LocatedFile): Promise<Buffer> {
  await window.load(start, compressedSize)
  return window.bytes(start, compressedSize)
}

/** The same of any file, in pieces. @throws StorageError */
export async function* dataPieces(
  window: ArchiveWindow,
  { start, compressedSize }: LocatedFile,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < compressedSize; at += pieceBytes) {
    const length = Math.min(pieceBytes, compressedSize - at)
    await window.load(start + at, length)
    yield window.bytes(start + at, length)
  }
}

/** Unpacks a small file. @throws ApiError `bad_request` if its data is damaged or has another size */
export function unpack(file: LocatedFile, data: Buffer): Buffer {
  if (file.method !== deflated) return data
  const { buffer, engine } = inflate(file, data)
  if (buffer.length !== file.size || engine.bytesWritten !== data.length) throw otherSize(file)
  return buffer
}

/** With the `info` option, the result has the engine, which tells how much of the data was used. @types/node does not have it. */
interface Inflated {
  readonly buffer: Buffer
  readonly engine: InflateRaw
}

function inflate(file: LocatedFile, data: Buffer): Inflated {
  // One more byte than declared, so that a longer file is noticed. zlib's smallest chunk is 64 bytes.
  const options = { info: true, maxOutputLength: file.size + 1, chunkSize: Math.max(file.size + 1, 64) }
  try {
    return inflateRawSync(data, options) as unknown as Inflated
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? otherSize(file) : damaged(file)
  }
}

/** Unpacks a file of any size. @throws ApiError `bad_request` if its data is damaged or has another size; StorageError */
export async function* unpackPieces(window: ArchiveWindow, file: LocatedFile): AsyncGenerator<Buffer> {
  const data = dataPieces(window, file)
  if (file.method !== deflated) {
    yield* data
    return
  }
  const inflater = createInflateRaw({ chunkSize: 64 * 1024 })
  // An error of the source destroys the inflater, whose reader throws it.
  pipeline(Readable.from(data), inflater, () => undefined)
  let size = 0
  try {
    for await (const piece of inflater as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > file.size) throw otherSize(file)
      yield piece
    }
  } catch (error) {
    throw isZlibError(error) ? damaged(file) : error
  } finally {
    inflater.destroy()
  }
  if (size !== file.size || inflater.bytesWritten !== file.compressedSize) throw otherSize(file)
}

const isZlibError = (error: unknown): boolean => String((error as NodeJS.ErrnoException).code).startsWith('Z_')

const damaged = ({ path }: LocatedFile) => refuseEntry(path, 'cannot be unpacked: its data is damaged')

const otherSize = ({ path }: LocatedFile) => refuseEntry(path, 'has another size than the archive declares')
