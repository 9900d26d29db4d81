import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { StorageError, type ByteRange, type RecyclingStream } from '../port.js'
import { diskError } from './errors.js'

/**
 * The sizes of reads, in bytes. Each read is a task of the thread pool, so large ones cost half as much for a byte. A client that
 * stops reading holds up to three reads in memory, so only some readers at a time have large ones.
 */
const large = 1024 * 1024
const usual = 64 * 1024
const largeAtOnce = 16

let largeReaders = 0

/** The memory of all readers. Other memory may be a part of a larger buffer, such as the pool of Node.js. */
const readerMemory = new WeakSet<ArrayBufferLike>()

const readError = (error: unknown) => diskError('A stored file cannot be read', error)

/** Reads a range of a file, and closes the file at the end. */
export class FileReader extends Readable implements RecyclingStream {
  #at: number
  readonly #readBytes: number
  /** Memory for the next reads. New memory for each would make the garbage collector run many times a second. */
  readonly #free: Buffer[] = []

  constructor(
    private readonly file: FileHandle,
    private readonly range: ByteRange,
  ) {
    const isLarge = range.last - range.first >= large && largeReaders < largeAtOnce
    const readBytes = isLarge ? large : usual
    super({ highWaterMark: readBytes })
    this.#at = range.first
    this.#readBytes = readBytes
    if (!isLarge) return
    largeReaders += 1
    this.once('close', () => {
      largeReaders -= 1
    })
  }

  recycle(chunk: Buffer): void {
    const { buffer } = chunk
    if (readerMemory.has(buffer) && buffer.byteLength === this.#readBytes) this.#free.push(Buffer.from(buffer))
  }

  override _read(): void {
    const left = this.range.last + 1 - this.#at
    if (left === 0) {
      this.push(null)
      return
    }
    const length = Math.min(left, this.#readBytes)
    const buffer = this.#free.pop() ?? newMemory(length)
    this.file.read(buffer, 0, length, this.#at).then(
      ({ bytesRead }) => {
        this.#at += bytesRead
        if (bytesRead > 0) this.push(buffer.subarray(0, bytesRead))
        else this.destroy(new StorageError('A stored file is shorter than it should be.'))
      },
      (error: unknown) => this.destroy(readError(error)),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#free.length = 0
    // Waits for a read that is under way.
    this.file.close().then(
      () => done(error),
      (closeError: unknown) => done(error ?? readError(closeError)),
    )
  }
}

function newMemory(bytes: number): Buffer {
  const memory = Buffer.allocUnsafeSlow(bytes)
  readerMemory.add(memory.buffer)
  return memory
}
