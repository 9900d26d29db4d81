import { uploadPartsMax } from '@svc/contract'

const mebibyte = 2 ** 20

/** Short enough to be sent again on a bad line, long enough that a request for each costs little. */
const defaultPartBytes = 8 * mebibyte

/** Each lane holds one part in memory. */
const largestPartBytes = 64 * mebibyte

/** In bytes. */
export const largestFileBytes = largestPartBytes * uploadPartsMax

/** The part size for input of unknown length: the whole is limited by the number of parts. */
export const pipePartBytes = 16 * mebibyte

/** The largest input of unknown length, in bytes. */
export const pipeMaxBytes = pipePartBytes * uploadPartsMax

/** The length of each part but the last, in bytes; undefined for a file that is too large for any length. */
export function partBytesOf(size: number): number | undefined {
  const least = Math.ceil(size / uploadPartsMax / mebibyte) * mebibyte
  return least > largestPartBytes ? undefined : Math.max(defaultPartBytes, least)
}

/** The number of parts. An empty file has one, which is empty. */
export const partCountOf = (size: number, partBytes: number): number => Math.max(1, Math.ceil(size / partBytes))

/** The length of one part in bytes. */
export const partLengthOf = (size: number, partBytes: number, index: number): number =>
  Math.max(0, Math.min(partBytes, size - index * partBytes))

/** Divides a stream into parts of equal length; the last may be shorter. An empty stream has one empty part. */
export async function* inParts(stream: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Buffer> {
  let part = Buffer.allocUnsafe(partBytes)
  let filled = 0
  let count = 0
  for await (const chunk of stream)
    for (let taken = 0; taken < chunk.length;) {
      // A part is sent only when more follows, so that no empty part is sent after it.
      if (filled === partBytes) {
        yield part
        count++
        part = Buffer.allocUnsafe(partBytes)
        filled = 0
      }
      const piece = chunk.subarray(taken, taken + partBytes - filled)
      part.set(piece, filled)
      taken += piece.length
      filled += piece.length
    }
  if (filled > 0 || count === 0) yield part.subarray(0, filled)
}
