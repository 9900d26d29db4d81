import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { keyedMutex, LockTimeout } from '../../../db/keyed-mutex.js'
import { recycle, StorageError, type Blobs } from '../../../ports/blobs/port.js'
import { Slots } from '../../../shared/slots.js'
import type { Part } from './pieces.js'

/** How many files are hashed at the same time. Each holds the event loop for the hash of a chunk. */
const runningMax = 4
const waitingMax = 1_000
const usualWaitMs = 60_000

/**
 * Hashes stored bytes. One file of an account at a time, so that an account with large uploads does not keep the others
 * waiting.
 */
export class Digests {
  readonly #slots = new Slots(runningMax, waitingMax)
  readonly #ofAccount = keyedMutex()
  #isClosed = false

  /** @param waitMs the longest wait for other files; tests use a shorter one */
  constructor(private readonly waitMs = usualWaitMs) {}

  /**
   * Computes the SHA-256 of parts that follow one another, in lower-case hexadecimal. The parts are read chunk by chunk, so
   * other requests run in between.
   * @throws StorageError also if too many files are being hashed
   */
  async of(accountId: number, blobs: Blobs, parts: readonly Part[]): Promise<string> {
    try {
      return await this.#ofAccount(String(accountId), () => this.#withSlot(blobs, parts), this.waitMs)
    } catch (error) {
      throw error instanceof LockTimeout ? busy() : error
    }
  }

  /** Ends all running calls with a StorageError, for the stop of the server: a large file takes minutes. */
  close(): void {
    this.#isClosed = true
  }

  async #withSlot(blobs: Blobs, parts: readonly Part[]): Promise<string> {
    if (!(await this.#slots.take(performance.now() + this.waitMs))) throw busy()
    try {
      return await this.#hash(blobs, parts)
    } finally {
      this.#slots.release()
    }
  }

  async #hash(blobs: Blobs, parts: readonly Part[]): Promise<string> {
    const hash = createHash('sha256')
    for (const { key, size } of parts) {
      if (size === 0) continue
      const stored = await blobs.open(key, { first: 0, last: size - 1 })
      for await (const chunk of readable(stored)) {
        if (this.#isClosed) throw new StorageError('The server is stopping. Repeat the request.')
        hash.update(chunk)
        recycle(stored, chunk)
      }
    }
    return hash.digest('hex')
  }
}

/** @throws StorageError if the disk or the provider fails in the middle of an object */
async function* readable(stored: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stored as AsyncIterable<Buffer>
  } catch (error) {
    throw error instanceof StorageError
      ? error
      : new StorageError('A stored file cannot be read to its end. Repeat the request.', { cause: error })
  }
}

const busy = () =>
  new StorageError('The server is assembling too many uploads at the moment. Repeat the request; the parts are kept.')
