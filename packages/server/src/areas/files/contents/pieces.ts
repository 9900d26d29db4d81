import { createHash } from 'node:crypto'
import { StorageError, type BlobKey, type ByteRange } from '../../../ports/blobs/port.js'

/** An object that holds some of the bytes of a file. */
export interface Part {
  readonly key: BlobKey
  /** In bytes. */
  readonly size: number
}

export interface FilePart extends Part {
  /** The position of its first byte in the file. */
  readonly start: number
}

/** A range of the bytes of one object. */
export interface Piece {
  readonly key: BlobKey
  readonly range: ByteRange
  /** Whether it ends the range of the file. */
  readonly isLast: boolean
}

/** Equal only for the same parts in the same order. A key names one object, which never changes. */
export const fingerprintOf = (parts: readonly Part[]): string =>
  createHash('sha256')
    .update(parts.map(({ key }) => key).join('\n'))
    .digest('base64url')

/**
 * The pieces of a range of a file. Parts are read when the reader gets to them.
 * @param read the first parts that hold bytes of a range, in their order
 * @throws StorageError if the file has been deleted, also while it is being read
 */
export async function* piecesOf(
  read: (range: ByteRange) => Promise<readonly FilePart[]>,
  { first, last }: ByteRange,
): AsyncGenerator<Piece, undefined> {
  for (let next = first; next <= last;) {
    const parts = await read({ first: next, last })
    if (parts.length === 0) throw new StorageError('The file has been deleted.')
    for (const { key, size, start } of parts) {
      const end = start + size - 1
      if (next < start || next > end) throw new StorageError('A part of a stored file is missing.')
      yield { key, range: { first: next - start, last: Math.min(last, end) - start }, isLast: end >= last }
      next = end + 1
    }
  }
  return undefined
}
