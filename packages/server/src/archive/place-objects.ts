import { buffer } from 'node:stream/consumers'
import { OperatorError } from '../operator-error.js'
import type { Blobs } from '../ports/blobs/port.js'
import { KeySet } from './key-set.js'
import type { ArchiveItem, ArchiveReader } from './reader.js'

/** Small objects are stored at the same time: a round trip to a provider takes longer than their bytes. */
const putsAtOnce = 8
const smallBytes = 1024 * 1024

/**
 * Stores the objects of an archive. An object that exists with the same size is kept, so that an interrupted restore can be repeated.
 * `close` ends it in any case.
 */
export class ObjectPlacement {
  /** The objects of the archive that no row refers to so far. */
  readonly #unreferred = new KeySet()
  /** Stored by this process, and not verified yet. */
  readonly #fresh = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  #failure: { readonly error: unknown } | undefined

  constructor(private readonly blobs: Blobs) {}

  /** Takes the store for this installation. @throws OperatorError if it belongs to another one */
  async takeStore(installation: string): Promise<void> {
    await this.blobs.createMark('owner', installation)
    const owner = await this.blobs.readMark('owner')
    if (owner !== installation)
      throw new OperatorError(
        `The blob store belongs to the installation ${String(owner)} of svc, and the archive is one of ${installation}: set SVC_BLOBS to an empty store.`,
      )
  }

  /** @param reader says which objects are verified */
  async add({ key, size, bytes }: ArchiveItem & { kind: 'object' }, reader: ArchiveReader): Promise<void> {
    // Only this object is not verified.
    if (reader.unverified.size === 1) this.#fresh.clear()
    this.#unreferred.add(key, size)
    if ((await this.blobs.sizeOf(key)) === size) return
    // An object of another size is the rest of an interrupted write.
    await this.blobs.remove(key)
    this.#fresh.add(key)
    if (size > smallBytes) await this.blobs.put(key, bytes)
    else await this.#putSoon(key, await buffer(bytes))
  }

  /** Removes objects that are not whole in the archive. Those that existed before stay: they may be whole. */
  async drop(keys: readonly string[]): Promise<void> {
    await this.settle()
    for (const key of keys) if (this.#fresh.has(key)) await this.blobs.remove(key)
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

  /** Removes the objects that no row refers to: they were deleted while the archive was made. */
  async dropUnreferred(): Promise<void> {
    for (const { key } of this.#unreferred) await this.blobs.remove(key)
  }

  /** After an error: removes the objects that were not verified, which a repeated restore would keep. */
  async undo(reader: ArchiveReader): Promise<void> {
    await Promise.allSettled(this.#running)
    for (const key of reader.unverified.keys()) if (this.#fresh.has(key)) await this.blobs.remove(key)
  }

  close(): void {
    this.#unreferred.close()
  }

  async #putSoon(key: string, bytes: Buffer): Promise<void> {
    const put = this.blobs.put(key, oneChunk(bytes)).then(
      () => undefined,
      (error: unknown) => {
        this.#failure ??= { error }
      },
    )
    const running = put.finally(() => this.#running.delete(running))
    this.#running.add(running)
    if (this.#running.size >= putsAtOnce) await Promise.race(this.#running)
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}
