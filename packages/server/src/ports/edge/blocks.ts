import type { Readable } from 'node:stream'
import { asStream, StorageError, type ByteRange } from '../blobs/port.js'
import type { EdgeObject } from './port.js'

/** The size of all blocks of an object but the last, in bytes. An answer that a client reads slowly keeps only a block in memory. */
export const blockBytes = 64 * 1024

const unreadable = 'A stored file could not be read.'

/**
 * Reads a whole object from the blob store.
 * @param deadlineMs for opening and reading
 * @returns its bytes in blocks of `blockBytes`
 * @throws StorageError, also at the deadline and for an object of another size
 */
export function readWhole({ size, fetch }: EdgeObject, deadlineMs: number): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    let source: Readable | undefined
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      source?.destroy()
      reject(new StorageError('A stored file could not be read in time.'))
    }, deadlineMs)
    const read = async () => {
      source = asStream(await fetch({ first: 0, last: size - 1 }))
      // An error while a late stream closes has no other listener.
      source.on('error', () => source?.destroy())
      if (isLate) source.destroy()
      return intoBlocks(source, size)
    }
    read()
      .then(resolve, (error: unknown) => {
        reject(error instanceof StorageError ? error : new StorageError(unreadable, { cause: error }))
      })
      .finally(() => {
        clearTimeout(timer)
      })
  })
}

async function intoBlocks(source: AsyncIterable<Buffer>, size: number): Promise<Buffer[]> {
  const blocks: Buffer[] = []
  let block = Buffer.alloc(0)
  let filled = 0
  for await (const chunk of source) {
    if (filled + chunk.length > size) throw new StorageError('A stored file is longer than it should be.')
    for (let read = 0; read < chunk.length;) {
      const offset = filled % blockBytes
      if (offset === 0) {
        // Not from Node's pool: a small block would keep the whole pool in memory.
        block = Buffer.allocUnsafeSlow(Math.min(blockBytes, size - filled))
        blocks.push(block)
      }
      const copied = chunk.copy(block, offset, read)
      read += copied
      filled += copied
    }
  }
  if (filled < size) throw new StorageError('A stored file is shorter than it should be.')
  return blocks
}

/** The bytes from `first` to `last`, or to the end of the first of their blocks. */
export function partOf(blocks: readonly Buffer[], { first, last }: ByteRange): Buffer {
  const index = Math.floor(first / blockBytes)
  const block = blocks[index]
  if (block === undefined)
    throw new RangeError(`An object of ${String(blocks.length)} blocks has no byte ${String(first)}.`)
  const start = index * blockBytes
  return block.subarray(first - start, last + 1 - start)
}
