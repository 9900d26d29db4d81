import type { Logger } from 'pino'
import type { Database } from '../../db/port.js'
import type { Job } from '../../shared/job.js'
import { unlimitedSpace, type DiskSpace } from '../space/port.js'
import { newBlobKey, StorageError, type BlobKey, type Blobs, type Bytes, type Stored } from './port.js'
import { isOwner, takeOwnership } from './ownership.js'
import { logKept, Removals } from './removals.js'
import { endExpired, sweep } from './sweep.js'
import { writerStore, type WriterStore } from './writer-store.js'
import { Writers } from './writers.js'

const minuteMs = 60_000

const laterState =
  'the blob store has objects of a later state of the database, for example from before a restore: the sweep leaves them alone, and svc doctor lists them'

/** An object in the blob store that no row refers to yet. */
export interface NewBlob extends Stored {
  readonly key: BlobKey
}

/**
 * Stores new objects and removes those that nothing refers to. Every object that `put` has returned must be given to `settle` or
 * `discard`.
 */
export class BlobIntake {
  readonly #store: WriterStore
  readonly #writers: Writers
  readonly #removals: Removals
  #ownership: Promise<void> | undefined

  constructor(
    private readonly database: Database,
    private readonly blobs: Blobs,
    private readonly log: Logger,
    private readonly space: DiskSpace = unlimitedSpace,
  ) {
    this.#store = writerStore(database)
    this.#writers = new Writers(this.#store, blobs)
    this.#removals = new Removals(blobs, log)
  }

  /** Called before so many bytes arrive. @throws LowDiskSpace if there is no room for them */
  requireSpace(bytes: number): void {
    this.space.require(bytes)
  }

  /** @throws the error of `bytes`, and keeps nothing; StorageError; the error of the database */
  async put(bytes: Bytes): Promise<NewBlob> {
    await this.#takeOwnership()
    const key = newBlobKey(await this.#writers.current())
    this.#writers.open(key)
    try {
      return { key, ...(await this.blobs.put(key, this.#counted(bytes))) }
    } catch (error) {
      this.#writers.close(key)
      throw error
    }
  }

  /** Stops tracking an object whose row has been committed. */
  settle(key: BlobKey): void {
    this.#writers.close(key)
  }

  /**
   * Removes objects of `put` unless a row refers to them: a unit can fail although its commit has succeeded. Called after that
   * unit has ended. Does not reject: what cannot be removed now is left to the sweep.
   */
  async discard(...keys: readonly BlobKey[]): Promise<void> {
    const [first] = keys
    if (first === undefined) return
    const unused = await this.#store.findUnused(keys).catch((error: unknown) => {
      logKept(this.log, first, error)
      return []
    })
    await Promise.all(unused.map((key) => this.#removeOrLog(key)))
    for (const key of keys) this.#writers.close(key)
  }

  async *#counted(bytes: Bytes): Bytes {
    for await (const chunk of bytes) {
      this.space.take(chunk.length)
      yield chunk
    }
  }

  async #removeOrLog(key: BlobKey): Promise<void> {
    await this.blobs.remove(key).catch((error: unknown) => {
      logKept(this.log, key, error)
    })
  }

  /** Removes objects whose rows have been deleted, in the background. What cannot be removed now is left to the sweep. */
  remove(keys: readonly BlobKey[]): void {
    this.#removals.add(keys)
  }

  readonly jobs: readonly Job[] = [
    {
      name: 'blobs.lease',
      everyMs: minuteMs,
      runsIn: 'every process',
      failureMessage: 'the lease of the blob store could not be renewed, or its mark not be written',
      run: () => this.renew(),
    },
    {
      name: 'blobs.sweep',
      everyMs: 60 * minuteMs,
      runsIn: 'one process',
      failureMessage: 'orphaned objects could not be removed from the blob store',
      run: (signal) => this.sweep(signal),
    },
  ]

  /**
   * Keeps the objects that are not committed yet. A server has a job for it.
   * @throws StorageError if the marks cannot be written; the leases are renewed
   */
  renew(): Promise<void> {
    return this.#writers.renew()
  }

  /** Removes the objects that no row refers to and that no living process is about to commit. @throws StorageError */
  async sweep(signal: AbortSignal): Promise<void> {
    if (!(await isOwner(this.database, this.blobs))) return
    const forgotten = await endExpired(this.#store, this.blobs)
    if (forgotten > 0) this.log.warn({ writers: forgotten }, laterState)
    const removed = await sweep(this.#store, this.blobs, signal)
    if (removed > 0) this.log.info({ objects: removed }, 'removed orphaned objects')
  }

  /** Finishes the removals, or abandons them if they take too long, and ends the leases. No `put` may be running. */
  async close(): Promise<void> {
    await this.#removals.close()
    try {
      await this.#writers.end()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      this.log.warn({ err: error }, 'the end of the lease could not be noted in the blob store')
    }
  }

  #takeOwnership(): Promise<void> {
    this.#ownership ??= takeOwnership(this.database, this.blobs).catch((error: unknown) => {
      this.#ownership = undefined
      throw error
    })
    return this.#ownership
  }
}
