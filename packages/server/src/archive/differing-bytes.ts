import { buffer } from 'node:stream/consumers'
import type { BlobKey, Blobs } from '../ports/blobs/port.js'

/** How many bytes are compared at a time: each comparison is a request to the provider. */
const pieceBytes = 8 * 1024 * 1024

/**
 * Compares an object with bytes of the same number.
 * @returns undefined if they are equal; otherwise all the bytes: the equal ones are read from the object again
 * @throws StorageError if the object cannot be read
 */
export async function differingBytes(
  blobs: Pick<Blobs, 'open'>,
  key: BlobKey,
  bytes: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const rest = bytes[Symbol.asyncIterator]()
  for (let first = 0; ;) {
    const piece = await nextPiece(rest)
    if (piece.length === 0) return undefined
    const last = first + piece.length - 1
    if (!piece.equals(await buffer(await blobs.open(key, { first, last })))) {
      const equal = first
      return (async function* () {
        if (equal > 0) yield* await blobs.open(key, { first: 0, last: equal - 1 })
        yield piece
        yield* { [Symbol.asyncIterator]: () => rest }
      })()
    }
    first += piece.length
  }
}

/** @returns empty after the last byte */
async function nextPiece(bytes: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  while (size < pieceBytes) {
    const next = await bytes.next()
    if (next.done === true) break
    chunks.push(next.value)
    size += next.value.length
  }
  return Buffer.concat(chunks, size)
}
