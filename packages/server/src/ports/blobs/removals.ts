import type { Logger } from 'pino'
import type { BlobKey, Blobs } from './port.js'

/** How many objects are removed at the same time. */
const removesAtOnce = 8

/** How many objects may wait: ten files of 10,000 parts. */
const waitingMax = 100_000

/** How long `close` waits for the removals, in milliseconds. */
const closeMs = 500

/** Removes objects in the background. What cannot be removed now is left to the sweep. */
export class Removals {
  readonly #waiting = new Set<BlobKey>()
  readonly #workers = new Set<Promise<void>>()

  constructor(
    private readonly blobs: Blobs,
    private readonly log: Logger,
  ) {}

  add(keys: readonly BlobKey[]): void {
    const room = waitingMax - this.#waiting.size
    for (const key of keys.slice(0, room)) this.#waiting.add(key)
    if (keys.length > room)
      this.log.warn(
        { objects: keys.length - room },
        'too many objects are being removed; the sweep will remove the others',
      )
    while (this.#waiting.size > 0 && this.#workers.size < removesAtOnce) {
      const worker = this.#removeWaiting().finally(() => this.#workers.delete(worker))
      this.#workers.add(worker)
    }
  }

  /** Ends the removals. No `add` may follow. */
  async close(): Promise<void> {
    const timer = setTimeout(() => {
      this.#waiting.clear()
    }, closeMs)
    await Promise.all(this.#workers)
    clearTimeout(timer)
  }

  async #removeWaiting(): Promise<void> {
    // The workers share the set: each takes the first key that is still there.
    for (const key of this.#waiting) {
      this.#waiting.delete(key)
      await this.blobs.remove(key).catch((error: unknown) => {
        logKept(this.log, key, error)
      })
    }
  }
}

/** Logs that an object could not be removed. */
export function logKept(log: Logger, key: BlobKey, error: unknown): void {
  log.warn({ err: error, key }, 'an orphaned object could not be removed; the sweep will try again')
}
