import type { Bytes } from '../../ports/blobs/port.js'

/** Bytes to be read once. `return` ends their source, also before the first is read: a generator would not. */
type Rest = AsyncIterableIterator<Uint8Array> & Required<Pick<AsyncIterator<Uint8Array>, 'return'>>

/**
 * Reads the first bytes.
 * @returns all of them if there are at most `max`; otherwise the bytes from their beginning
 * @throws the error of `bytes`
 */
export async function startOf(bytes: Bytes, max: number): Promise<Buffer | Rest> {
  const source = bytes[Symbol.asyncIterator]()
  const start: Uint8Array[] = []
  for (let size = 0; size <= max;) {
    const next = await source.next()
    if (next.done === true) return Buffer.concat(start)
    start.push(next.value)
    size += next.value.length
  }
  start.reverse()
  const rest: Rest = {
    [Symbol.asyncIterator]: () => rest,
    next: async () => {
      const value = start.pop()
      return value ? { done: false, value } : source.next()
    },
    return: async () => {
      await source.return?.()
      return { done: true, value: undefined }
    },
  }
  return rest
}
