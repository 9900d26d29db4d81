import { writerOf, type BlobKey } from './port.js'
import type { WriterStore } from './writer-store.js'

const minuteMs = 60_000

/** A process that does not renew its lease for this long counts as gone. */
export const leaseMs = 15 * minuteMs

/** A process takes a new writer id once a day, so that the sweep can also find what a long-lived process left behind. */
export const writerMs = 24 * 60 * minuteMs

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

  constructor(private readonly store: WriterStore) {}

  /** @returns the id for a new object. `open` must follow in the same turn of the event loop. */
  async current(): Promise<number> {
    const newest = this.#writers.at(-1)
    const now = Date.now()
    // A lease can expire unnoticed: the process was suspended, or the database is away.
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

  /** Renews all leases, and ends those of earlier days whose objects are all committed or discarded. */
  async renew(): Promise<void> {
    const newest = this.#writers.at(-1)
    for (const writer of [...this.#writers]) {
      if (writer !== newest && writer.open.size === 0) await this.#end(writer)
      else await this.#renew(writer)
    }
  }

  /** Ends all leases. */
  async end(): Promise<void> {
    for (const writer of [...this.#writers]) await this.#end(writer)
  }

  async #start(): Promise<Writer> {
    const startedAt = Date.now()
    const expiresAt = startedAt + leaseMs
    const writer = { id: await this.store.start(expiresAt), startedAt, expiresAt, open: new Set<BlobKey>() }
    this.#writers.push(writer)
    return writer
  }

  async #renew(writer: Writer): Promise<void> {
    const expiresAt = Date.now() + leaseMs
    if (await this.store.renew(writer.id, expiresAt)) writer.expiresAt = expiresAt
    // Another process has ended it. The commits of its open objects will be rejected.
    else this.#forget(writer)
  }

  async #end(writer: Writer): Promise<void> {
    await this.store.end(writer.id)
    this.#forget(writer)
  }

  #forget(writer: Writer): void {
    this.#writers = this.#writers.filter((other) => other !== writer)
  }

  #writerOf(key: BlobKey): Writer | undefined {
    const id = writerOf(key)
    return this.#writers.find((writer) => writer.id === id)
  }
}
