import type { Readable } from 'node:stream'
import { RandomAccessReader } from 'yauzl'
import { recycle, type ByteRange } from '../../../ports/blobs/port.js'

/** How much is read at a time, in bytes: many small entries cost one read. */
const windowBytes = 1024 * 1024

/** The bytes of an archive, in the blob store or in memory. */
export interface ArchiveBytes {
  /** In bytes. */
  readonly size: number
  readonly open: (range: ByteRange) => Promise<Readable>
}

/** The part of an archive that is in memory. Reads in the order of the positions cost few reads of the store. */
export class ArchiveWindow {
  #start = 0
  #bytes: Buffer = Buffer.alloc(0)

  constructor(private readonly archive: ArchiveBytes) {}

  get size(): number {
    return this.archive.size
  }

  /** Whether these bytes, or those up to the end of the archive, are in memory. */
  has(position: number, length: number): boolean {
    const end = Math.min(position + length, this.size)
    return position >= this.size || (position >= this.#start && end <= this.#start + this.#bytes.length)
  }

  /** Loads bytes, or those up to the end of the archive, unless they are in memory. @throws StorageError */
  async load(position: number, length: number): Promise<void> {
    if (this.has(position, length)) return
    const end = Math.min(position + Math.max(length, windowBytes), this.size)
    // New memory: what was loaded before may still be in use.
    const bytes = Buffer.allocUnsafeSlow(end - position)
    let at = 0
    const stored = await this.archive.open({ first: position, last: end - 1 })
    for await (const chunk of stored as AsyncIterable<Buffer>) {
      at += chunk.copy(bytes, at)
      recycle(stored, chunk)
    }
    this.#start = position
    this.#bytes = bytes
  }

  /** Bytes that are loaded. They do not change. @returns fewer only at the end of the archive */
  bytes(position: number, length: number): Buffer {
    return this.#bytes.subarray(position - this.#start, position - this.#start + length)
  }
}

/** Reads loaded bytes for yauzl, and calls back at once: an exception of its parser reaches the caller, not the event loop. */
export class WindowReader extends RandomAccessReader {
  constructor(private readonly window: ArchiveWindow) {
    super()
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    if (position + length > this.window.size) callback(new Error('it ends too early'))
    else if (!this.window.has(position, length)) callback(new Error('its records are not where they should be'))
    else {
      this.window.bytes(position, length).copy(buffer, offset)
      callback(null)
    }
  }
}
