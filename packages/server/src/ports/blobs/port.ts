import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'

/**
 * Names one object: 32 random hexadecimal digits, a hyphen, and the id of the writer (`writer-store.ts`) that made it. A key is
 * used once and never again, so an object never changes.
 */
export type BlobKey = string

export const newBlobKey = (writer: number): BlobKey => `${randomBytes(16).toString('hex')}-${String(writer)}`

/** The writer's id in a key; undefined for a name that svc did not make. */
export function writerOf(key: string): number | undefined {
  const found = /^[0-9a-f]{32}-([1-9]\d{0,15})$/.exec(key)
  return found ? Number(found[1]) : undefined
}

/** The writers of keys, each once. */
export const writersOf = (keys: readonly string[]): ReadonlySet<number> =>
  new Set(keys.map(writerOf).filter((writer) => writer !== undefined))

/** Bytes as they arrive. Leaving the loop over them ends their source. */
export type Bytes = AsyncIterable<Uint8Array>

/** Bytes to read: a few in memory, or a stream, which the reader reads to its end or destroys. */
export type Content = Buffer | Readable

/** A stream that takes the memory of a chunk back. The reader gives each chunk back once, and does not use it afterwards. */
export interface RecyclingStream extends Readable {
  recycle(chunk: Buffer): void
}

/** Gives the memory of a chunk back to its stream, if that uses it again. */
export function recycle(stream: Readable, chunk: Buffer): void {
  if ('recycle' in stream) (stream as RecyclingStream).recycle(chunk)
}

export const asStream = (content: Content): Readable =>
  Buffer.isBuffer(content) ? Readable.from(content, { objectMode: false }) : content

/** Both ends are inclusive, as in a Range header: `{ first: 0, last: 0 }` is one byte. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

export interface Stored {
  /** In bytes. */
  readonly size: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** What `list` finds. */
export interface Listed {
  readonly key: BlobKey
  /** False for the remains of a `put` that was interrupted. */
  readonly isWhole: boolean
}

/**
 * Names a mark: a text of at most 64 characters about the store itself, such as its owner. Marks are not objects: `list` does not
 * return them.
 */
export type MarkName = 'owner' | `writer-${number}`

/**
 * Where the bytes of files are. The rows that refer to them are in the database (`writer-store.ts`). A store belongs to one
 * installation (`ownership.ts`).
 *
 * - `put` is atomic and durable: after a crash an object is whole or absent, and an object whose `put` has resolved is whole.
 * - A read returns all bytes of its range or fails. It never ends early without an error.
 * - An adapter that uses the network fails a call in which no byte moves for 30 seconds.
 */
export interface Blobs {
  /**
   * Stores bytes under a new key. Memory does not grow with their number.
   * @throws the error of `bytes`, and keeps nothing; StorageError
   */
  put(key: BlobKey, bytes: Bytes): Promise<Stored>

  /**
   * Opens a part of an object. The caller reads the stream to its end or destroys it.
   * @throws StorageError, also for an object that does not exist or is shorter
   */
  open(key: BlobKey, range: ByteRange): Promise<Readable>

  /** The size of an object in bytes; undefined if it does not exist. @throws StorageError */
  sizeOf(key: BlobKey): Promise<number | undefined>

  /** Removes an object, or what an interrupted `put` has left of it. A missing object is a no-op. @throws StorageError */
  remove(key: BlobKey): Promise<void>

  /** Every object and every remainder of an interrupted `put`, in no order. @throws StorageError */
  list(): AsyncIterable<Listed>

  /** The text of a mark; undefined if it does not exist. @throws StorageError */
  readMark(name: MarkName): Promise<string | undefined>

  /** Creates or replaces a mark, atomically and durably. @throws StorageError */
  writeMark(name: MarkName, text: string): Promise<void>

  /**
   * Creates a mark unless it exists. If several processes create one at the same time, all of them read the same text afterwards.
   * @throws StorageError
   */
  createMark(name: MarkName, text: string): Promise<void>

  /** Resolves when objects can be read. @throws StorageError if the store does not answer within two seconds */
  ping(): Promise<void>

  close(): Promise<void>
}

/** The store of bytes failed: a full or broken disk, an unreachable provider. `message` is safe to show to the caller. */
export class StorageError extends Error {}
