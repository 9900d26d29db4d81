import { buffer } from 'node:stream/consumers'
import { OperatorError } from '../shared/operator-error.js'
import { hasObjects } from '../ports/blobs/ownership.js'
import { asStream, newBlobKey, writerOf, type BlobKey, type Blobs } from '../ports/blobs/port.js'
import { KeySet } from './key-set.js'
import type { ArchiveItem, ArchiveReader } from './reader.js'

/** Small objects are stored at the same time: a round trip to a provider takes longer than their bytes. */
const placedAtOnce = 8
const smallBytes = 1024 * 1024

/** How many bytes are compared at a time: each comparison is a request to the provider. */
const pieceBytes = 8 * 1024 * 1024

/**
 * Stores the objects of an archive. An object that exists with the same bytes is kept, so that an interrupted restore can be repeated.
 * One with other bytes is replaced when the checksum of the archive has shown which bytes are right. `close` ends it in any case.
 */
export class ObjectPlacement {
  /** The objects of the archive that no row refers to so far. */
  readonly #unreferred = new KeySet()
  /** Stored by this process, and not verified yet. */
  readonly #fresh = new Set<BlobKey>()
  /** Objects that differ from the archive, and where the bytes of the archive are until they are verified. */
  readonly #spares = new Map<BlobKey, BlobKey>()
  readonly #running = new Set<Promise<void>>()
  #failure: { readonly error: unknown } | undefined

  constructor(private readonly blobs: Blobs) {}

  /**
   * Takes the store for the installation of the archive. A server that was started once on a new machine has taken the empty store for
   * an installation that the restore replaces.
   * @throws OperatorError if the store has objects of another installation
   */
  async takeStore(installation: string): Promise<void> {
    await this.blobs.createMark('owner', installation)
    const owner = await this.blobs.readMark('owner')
    if (owner === installation) return
    if (await hasObjects(this.blobs))
      throw new OperatorError(
        `The blob store belongs to the installation ${String(owner)} of svc, and the archive is one of ${installation}: set SVC_BLOBS to an empty store.`,
      )
    await this.blobs.writeMark('owner', installation)
  }

  /** @param reader says which objects are verified */
  async add({ key, size, bytes }: ArchiveItem & { kind: 'object' }, reader: ArchiveReader): Promise<void> {
    // Only this object is not verified.
    if (reader.unverified.size === 1) await this.#acceptVerified()
    this.#unreferred.add(key, size)
    if (size > smallBytes) await this.#place(key, size, bytes)
    else await this.#placeSoon(key, await buffer(bytes))
  }

  /** Removes objects that are not whole in the archive. Those that existed before stay: they may be whole. */
  async drop(keys: readonly BlobKey[]): Promise<void> {
    await this.settle()
    for (const key of keys) await this.#forget(key)
  }

  /** After the last object has been verified: all objects have the bytes of the archive. */
  async finish(): Promise<void> {
    await this.#acceptVerified()
    await this.#dropUnreferred()
  }

  /** Waits until all objects are stored. @throws the first error */
  async settle(): Promise<void> {
    await Promise.all(this.#running)
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Notes that a row refers to an object. */
  keep(key: string): void {
    this.#unreferred.delete(key)
  }

  /** After an error: removes the objects that were not verified. */
  async undo(reader: ArchiveReader): Promise<void> {
    await Promise.allSettled(this.#running)
    for (const key of [...reader.unverified.keys(), ...this.#spares.keys()]) await this.#forget(key)
  }

  close(): void {
    this.#unreferred.close()
  }

  /** Puts the bytes of the archive in the place of the objects that differ. */
  async #acceptVerified(): Promise<void> {
    await this.settle()
    this.#fresh.clear()
    for (const [key, spare] of this.#spares) {
      const size = await this.blobs.sizeOf(spare)
      if (size === undefined) throw new Error('The blob store has lost an object that it has just stored.')
      await this.blobs.remove(key)
      await this.blobs.put(key, await this.blobs.open(spare, { first: 0, last: size - 1 }))
      await this.#forget(key)
    }
  }

  /** Removes what this process has stored for an object that is not verified, or whose bytes are in its place. */
  async #forget(key: BlobKey): Promise<void> {
    const spare = this.#spares.get(key)
    if (spare !== undefined) await this.blobs.remove(spare)
    else if (this.#fresh.has(key)) await this.blobs.remove(key)
    this.#spares.delete(key)
    this.#fresh.delete(key)
  }

  /** Removes the objects that no row refers to: they were deleted while the archive was made. */
  async #dropUnreferred(): Promise<void> {
    for (const { key } of this.#unreferred) await this.blobs.remove(key)
  }

  async #place(key: BlobKey, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    if ((await this.blobs.sizeOf(key)) !== size) {
      // An object of another size is the rest of an interrupted write.
      await this.blobs.remove(key)
      this.#fresh.add(key)
      await this.blobs.put(key, bytes)
      return
    }
    const others = await differingBytes(this.blobs, key, bytes)
    if (others === undefined) return
    const spare = newBlobKey(writerOf(key) ?? 0)
    this.#spares.set(key, spare)
    await this.blobs.put(spare, others)
  }

  async #placeSoon(key: BlobKey, bytes: Buffer): Promise<void> {
    const placed = this.#place(key, bytes.length, asStream(bytes)).catch((error: unknown) => {
      this.#failure ??= { error }
    })
    const running = placed.finally(() => this.#running.delete(running))
    this.#running.add(running)
    if (this.#running.size >= placedAtOnce) await Promise.race(this.#running)
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

/**
 * Compares an object with bytes of the same number.
 * @returns undefined if they are equal; otherwise all the bytes: the equal ones are read from the object again
 * @throws StorageError if the object cannot be read
 */
async function differingBytes(
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
