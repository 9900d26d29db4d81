import { Readable } from 'node:stream'
import type { Database } from '../../../db/port.js'
import {
  recycle,
  StorageError,
  type BlobKey,
  type Blobs,
  type ByteRange,
  type Content,
  type RecyclingStream,
} from '../../../ports/blobs/port.js'
import { partsOf, smallContentOf, type FilePart } from './content-store.js'

/**
 * Up to this size in bytes, the contents of an uploaded file are in the database: faster than an object, which needs two fsyncs.
 * A small file that was uploaded in parts has objects.
 */
export const smallFileMax = 8 * 1024

/** Opens a part of a file. @throws StorageError, also for a file that has been deleted */
export type OpenFile = (file: { readonly id: number; readonly size: number }, range: ByteRange) => Promise<Content>

export const openFile =
  (db: Database, blobs: Blobs): OpenFile =>
  async (file, range) => {
    const small = file.size <= smallFileMax ? await smallContentOf(db, file.id) : undefined
    return (
      small?.subarray(range.first, range.last + 1) ??
      joinedStream(
        blobs,
        piecesOf((rest) => partsOf(db, file.id, rest), range),
      )
    )
  }

/** A range of the bytes of one object. */
export interface Piece {
  readonly key: BlobKey
  readonly range: ByteRange
  /** Whether it ends the range of the file. */
  readonly isLast: boolean
}

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
