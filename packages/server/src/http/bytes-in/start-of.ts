import type { Bytes } from '../../ports/blobs/port.js'

/**
 * Reads the first bytes.
 * @returns all of them if there are at most `max`; otherwise the bytes from their beginning, to be read once
 * @throws the error of `bytes`
 */
export async function startOf(bytes: Bytes, max: number): Promise<Buffer | Bytes> {
  const source = bytes[Symbol.asyncIterator]()
  const start: Uint8Array[] = []
  for (let size = 0; size <= max;) {
    const next = await source.next()
    if (next.done === true) return Buffer.concat(start)
    start.push(next.value)
    size += next.value.length
  }
  return joined(start, source)
}

async function* joined(start: readonly Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* start
  yield* { [Symbol.asyncIterator]: () => source }
}
