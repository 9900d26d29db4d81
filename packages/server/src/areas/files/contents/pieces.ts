import type { BlobKey, ByteRange } from '../../../ports/blobs/port.js'

/** An object that holds some of the bytes of a file. */
export interface Part {
  readonly key: BlobKey
  /** In bytes. */
  readonly size: number
}

/** A range of the bytes of one object. */
export interface Piece {
  readonly key: BlobKey
  readonly range: ByteRange
}

/**
 * The ranges of the parts that together are a range of the whole.
 * @param parts in the order of their bytes
 */
export function piecesOf(parts: readonly Part[], { first, last }: ByteRange): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  for (const { key, size } of parts) {
    const range = { first: Math.max(first - start, 0), last: Math.min(last - start, size - 1) }
    if (range.first <= range.last) pieces.push({ key, range })
    start += size
    if (start > last) break
  }
  return pieces
}
