import type { Logger } from 'pino'
import type { Database } from '../../db/port.js'
import type { Job } from '../../shared/job.js'
import { newBlobKey, writerOf, type BlobKey, type Blobs, type Bytes, type Stored } from './port.js'
import { writerStore, type WriterStore } from './writer-store.js'

const minuteMs = 60_000

/** A process that does not renew its lease for this long counts as gone. */
const leaseMs = 15 * minuteMs

/** A process takes a new writer id once a day, so that the sweep can also find what a long-lived process left behind. */
const writerMs = 24 * 60 * minuteMs

/** How many keys are looked up at a time. */
const sweepBatch = 500

/** An object in the blob store that no row refers to yet. */
export interface NewBlob extends Stored {
  readonly key: BlobKey
}

interface Writer {
  readonly id: number
  readonly startedAt: number
  /** Objects that are being stored, or stored and not yet committed or discarded. */
  open: number
}

/**
 * Stores new objects and removes those that nothing refers to. Every object that `put` has returned must be given to `settle` or
 * `discard`.
 */
export class BlobIntake {
  readonly #store: WriterStore
  /** The newest is last. Those before it only wait for their open objects. */
  #writers: Writer[] = []
  #starting: Promise<Writer> | undefined

  constructor(
    database: Database,
    private readonly blobs: Blobs,
    private readonly log: Logger,
  ) {
    this.#store = writerStore(database)
  }

  /** @throws the error of `bytes`, and keeps nothing; StorageError */
  async put(bytes: Bytes): Promise<NewBlob> {
    const writer = await this.#current()
    writer.open++
    try {
      const key = newBlobKey(writer.id)
      return { key, ...(await this.blobs.put(key, bytes)) }
    } catch (error) {
      writer.open--
      throw error
    }
  }

  /** Ends the care for an object whose row has been committed. */
  settle(key: BlobKey): void {
    const writer = this.#writers.find(({ id }) => id === writerOf(key))
    if (writer) writer.open--
  }

  /** Removes an object of `put` that no row refers to. Does not reject: what cannot be removed now is left to the sweep. */
  async discard(key: BlobKey): Promise<void> {
    await this.remove([key])
    this.settle(key)
  }

  /** Removes objects whose rows have been deleted. Does not reject: what cannot be removed now is left to the sweep. */
  async remove(keys: readonly BlobKey[]): Promise<void> {
    for (const key of keys)
      await this.blobs.remove(key).catch((error: unknown) => {
        this.log.warn({ err: error, key }, 'an object that is not needed could not be removed; the sweep will try again')
      })
  }

  readonly jobs: readonly Job[] = [
    {
      name: 'blobs.lease',
      everyMs: minuteMs,
      runsIn: 'every process',
      failureMessage: 'the lease of the blob store could not be renewed',
      run: () => this.#renew(),
    },
    {
      name: 'blobs.sweep',
      everyMs: 60 * minuteMs,
      runsIn: 'one process',
      failureMessage: 'objects that are not needed could not be removed from the blob store',
      run: (signal) => this.sweep(signal),
    },
  ]

  /** Removes the objects that no row refers to and that no living process is about to commit. */
  async sweep(signal: AbortSignal): Promise<void> {
    for await (const keys of this.#orphans(signal)) {
      for (const key of keys) await this.blobs.remove(key)
      if (keys.length > 0) this.log.info({ objects: keys.length }, 'removed objects that nothing refers to')
    }
  }

  /** Ends the leases. No `put` may be running. */
  async close(): Promise<void> {
    const writers = this.#writers
    this.#writers = []
    for (const { id } of writers) await this.#store.end(id)
  }

  async *#orphans(signal: AbortSignal): AsyncGenerator<BlobKey[]> {
    await this.#store.endExpired(Date.now())
    let batch: BlobKey[] = []
    for await (const { key } of this.blobs.list()) {
      if (signal.aborted) return
      // A name that svc did not make is not svc's to remove.
      if (writerOf(key) !== undefined) batch.push(key)
      if (batch.length < sweepBatch) continue
      yield await this.#unused(batch)
      batch = []
    }
    yield await this.#unused(batch)
  }

  /** Reads the writers first: a row of a writer that is gone by then was committed before, so the second read sees it. */
  async #unused(keys: readonly BlobKey[]): Promise<BlobKey[]> {
    const writers = await this.#store.all()
    const gone = keys.filter((key) => !writers.has(writerOf(key) ?? 0))
    if (gone.length === 0) return []
    const used = await this.#store.inUse(gone)
    return gone.filter((key) => !used.has(key))
  }

  async #current(): Promise<Writer> {
    const newest = this.#writers.at(-1)
    if (newest && Date.now() - newest.startedAt < writerMs) return newest
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined))
    return this.#starting
  }

  async #start(): Promise<Writer> {
    const startedAt = Date.now()
    const writer = { id: await this.#store.start(startedAt + leaseMs), startedAt, open: 0 }
    this.#writers.push(writer)
    return writer
  }

  async #renew(): Promise<void> {
    const newest = this.#writers.at(-1)
    for (const writer of [...this.#writers]) {
      const isDone = writer !== newest && writer.open === 0
      const isGone = isDone ? (await this.#store.end(writer.id), true) : !(await this.#lives(writer))
      // The commits of its open objects will be rejected.
      if (isGone) this.#writers = this.#writers.filter((other) => other !== writer)
    }
  }

  #lives = ({ id }: Writer): Promise<boolean> => this.#store.renew(id, Date.now() + leaseMs)
}
