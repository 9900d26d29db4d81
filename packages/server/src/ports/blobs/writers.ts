import { setTimeout as sleep } from 'node:timers/promises'
import { StorageError, writerOf, type BlobKey, type Blobs } from './port.js'
import { writeRenewals } from './writer-marks.js'
import type { WriterLease, WriterStore } from './writer-store.js'

const minuteMs = 60_000

/** A process that does not renew its lease for this long counts as gone. */
export const leaseMs = 15 * minuteMs

/** A process takes a new writer id once a day, so that the sweep can also find what a long-lived process left behind. */
export const writerMs = 24 * 60 * minuteMs

/** A blob store that hangs must not hold up the stop of the server. */
const markMs = 5_000

interface Writer {
  readonly id: number
  readonly startedAt: number
  expiresAt: number
  /** Objects that are being stored, or stored and not yet committed or discarded. */
  readonly open: Set<BlobKey>
}

/** The writer ids of this process. */
export class Writers {
  /** The newest is last. Those before it only wait for their open objects. */
  #writers: Writer[] = []
  #starting: Promise<Writer> | undefined

  constructor(
    private readonly store: WriterStore,
    private readonly blobs: Blobs,
  ) {}

  /** @returns the id for a new object. `open` must follow in the same turn of the event loop. */
  async current(): Promise<number> {
    const newest = this.#writers.at(-1)
    const now = Date.now()
    // A lease can expire unnoticed: the process was suspended, or the database is unreachable.
    if (newest !== undefined && now < newest.startedAt + writerMs && now < newest.expiresAt) return newest.id
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
    })
    return (await this.#starting).id
  }

  open(key: BlobKey): void {
    this.#writerOf(key)?.open.add(key)
  }

  /** Does nothing if the object is not open. */
  close(key: BlobKey): void {
    this.#writerOf(key)?.open.delete(key)
  }

  /**
   * Renews all leases, and ends those of earlier days whose objects are all committed or discarded.
   * @throws StorageError if the marks cannot be written; the leases are renewed
   */
  async renew(): Promise<void> {
    const newest = this.#writers.at(-1)
    const renewed: (WriterLease | undefined)[] = []
    for (const writer of [...this.#writers]) {
      const isOver = writer !== newest && writer.open.size === 0
      renewed.push(await (isOver ? this.#end(writer) : this.#renew(writer)))
    }
    await this.#mark(renewed)
  }

  /** Ends all leases. @throws StorageError if the marks cannot be written; the leases are ended */
  async end(): Promise<void> {
    const ended: (WriterLease | undefined)[] = []
    for (const writer of [...this.#writers]) ended.push(await this.#end(writer))
    await this.#mark(ended)
  }

  async #start(): Promise<Writer> {
    const startedAt = Date.now()
    const expiresAt = startedAt + leaseMs
    const id = await this.store.start(expiresAt)
    const writer = { id, startedAt, expiresAt, open: new Set<BlobKey>() }
    this.#writers.push(writer)
    return writer
  }

  async #renew(writer: Writer): Promise<WriterLease | undefined> {
    const expiresAt = Date.now() + leaseMs
    const renewed = await this.store.renew(writer.id, expiresAt)
    if (renewed !== undefined) writer.expiresAt = expiresAt
    // Another process has ended it. The commits of its open objects will be rejected.
    else this.#forget(writer)
    return renewed
  }

  async #end(writer: Writer): Promise<WriterLease | undefined> {
    const ended = await this.store.end(writer.id)
    this.#forget(writer)
    return ended
  }

  /** After the commits: a mark that counts more renewals than the row means that the database has gone back to an earlier state. */
  async #mark(leases: readonly (WriterLease | undefined)[]): Promise<void> {
    const waiting = new AbortController()
    const late = sleep(markMs, undefined, { signal: waiting.signal }).then(() => {
      throw new StorageError('The blob store does not answer.')
    })
    const known = leases.filter((lease) => lease !== undefined)
    const marks = known.map((lease) => writeRenewals(this.blobs, lease))
    try {
      await Promise.race([Promise.all(marks), late])
    } finally {
      waiting.abort()
    }
  }

  #forget(writer: Writer): void {
    this.#writers = this.#writers.filter((other) => other !== writer)
  }

  #writerOf(key: BlobKey): Writer | undefined {
    const id = writerOf(key)
    return this.#writers.find((writer) => writer.id === id)
  }
}
