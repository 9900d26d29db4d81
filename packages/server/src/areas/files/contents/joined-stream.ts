import { Readable } from 'node:stream'
import { recycle, StorageError, type Blobs, type RecyclingStream } from '../../../ports/blobs/port.js'
import type { Piece } from './pieces.js'

/** The pieces of a range, at least one. */
type Pieces = AsyncIterator<Piece, undefined>

/**
 * Reads pieces one after another as one stream. One object at a time is open. Destroying the stream closes it.
 * @throws StorageError if the first piece cannot be opened. If a later one fails, so does the stream.
 */
export async function joinedStream(blobs: Blobs, pieces: Pieces): Promise<Readable> {
  const { key, range, isLast } = (await pieces.next()).value as Piece
  const first = await blobs.open(key, range)
  return isLast ? first : new JoinedStream(first, pieces, blobs)
}

/** Not one `pipeline` for each object: each leaves listeners on the target, and a file may have 10,000 parts. */
class JoinedStream extends Readable implements RecyclingStream {
  #source: Readable

  constructor(
    first: Readable,
    private readonly rest: Pieces,
    private readonly blobs: Blobs,
  ) {
    // One chunk waits for the reader. The stream of the object reads ahead.
    super({ highWaterMark: 1 })
    this.#source = first
    this.#follow(first)
  }

  recycle(chunk: Buffer): void {
    recycle(this.#source, chunk)
  }

  override _read(): void {
    this.#source.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source.destroy()
    done(error)
  }

  #follow(source: Readable): void {
    source.pause()
    source.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) source.pause()
    })
    source.on('error', (error) => this.destroy(error))
    source.once('close', () => {
      if (!source.readableEnded) this.destroy(new StorageError('A stored file ended before its last byte.'))
    })
    source.once('end', () => void this.#openNext())
  }

  async #openNext(): Promise<void> {
    try {
      const { value: next } = await this.rest.next()
      if (next === undefined) {
        this.push(null)
        return
      }
      const source = await this.blobs.open(next.key, next.range)
      this.#source = source
      this.#follow(source)
      if (this.destroyed) source.destroy()
      else source.resume()
    } catch (error) {
      this.destroy(error as Error)
    }
  }
}
