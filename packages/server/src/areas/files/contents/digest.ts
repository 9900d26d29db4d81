import { createHash } from 'node:crypto'
import { addAbortSignal, type Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { recycle, StorageError, type Blobs } from '../../../ports/blobs/port.js'
import { KeyedSlots } from '../../../shared/slots.js'
import { turns } from '../../../shared/turns.js'
import type { Part } from './content-store.js'

/** How many files are hashed at the same time, and how many more may wait. Each blocks the event loop for the hash of a chunk. */
const files = { running: 4, waiting: 1_000 }
const filesOfAccount = { running: 1, waiting: 1_000 }
const defaultWaitMs = 60_000

/** How many digests are remembered, for requests that are repeated. */
const rememberedMax = 1_000

/** Stored bytes to hash. */
export interface Hashed {
  readonly blobs: Blobs
  /** Identifies the parts (`fingerprintOf`). */
  readonly fingerprint: string
  /** Reads the parts when their turn has come, so that calls in the queue hold no lists. @returns undefined if they have changed */
  readonly parts: () => Promise<readonly Part[] | undefined>
}

/**
 * Hashes stored bytes. One file of an account at a time, so that an account with large uploads does not keep the others
 * waiting. Parts that are being hashed, or have been, are not hashed again: an object never changes.
 */
export class Digests {
  /** By the id of the account. */
  readonly #slots = new KeyedSlots<number>({ all: files, each: filesOfAccount, busy })
  /** By the fingerprint of the parts, like those that are remembered. */
  readonly #running = new Map<string, Promise<string | undefined>>()
  readonly #remembered = new LRUCache<string, string>({ max: rememberedMax })
  readonly #oneEachTurn = turns()
  readonly #stopping = new AbortController()

  /** @param waitMs the longest wait for other files; tests use a shorter one */
  constructor(private readonly waitMs = defaultWaitMs) {}

  /**
   * Computes the SHA-256 of parts that follow one another, in lower-case hexadecimal. The parts are read chunk by chunk, so
   * other requests run in between.
   * @returns undefined if the parts have changed before their turn
   * @throws StorageError also if too many files are being hashed
   */
  async of(accountId: number, hashed: Hashed): Promise<string | undefined> {
    const { fingerprint } = hashed
    const remembered = this.#remembered.get(fingerprint)
    if (remembered !== undefined) return remembered
    const digest = this.#running.get(fingerprint) ?? this.#start(accountId, hashed)
    this.#running.set(fingerprint, digest)
    await Promise.allSettled([digest])
    // Hundreds of callers may share it. If all continued in one turn, they would block the event loop.
    return this.#oneEachTurn(() => digest)
  }

  /** Ends all running calls with a StorageError, for the stop of the server: a large file takes minutes. */
  close(): void {
    this.#stopping.abort()
  }

  async #start(accountId: number, hashed: Hashed): Promise<string | undefined> {
    try {
      const digest = await this.#slots.run(accountId, performance.now() + this.waitMs, () => this.#hash(hashed))
      if (digest !== undefined) this.#remembered.set(hashed.fingerprint, digest)
      return digest
    } finally {
      this.#running.delete(hashed.fingerprint)
    }
  }

  async #hash({ blobs, parts }: Hashed): Promise<string | undefined> {
    const { signal } = this.#stopping
    try {
      signal.throwIfAborted()
      const current = await parts()
      return current && (await hash(blobs, current, signal))
    } catch (error) {
      throw signal.aborted ? new StorageError('The server is stopping. Repeat the request.') : error
    }
  }
}

async function hash(blobs: Blobs, parts: readonly Part[], signal: AbortSignal): Promise<string> {
  const sha256 = createHash('sha256')
  for (const { key, size } of parts) {
    if (size === 0) continue
    const stored = addAbortSignal(signal, await blobs.open(key, { first: 0, last: size - 1 }))
    for await (const chunk of readable(stored)) {
      sha256.update(chunk)
      recycle(stored, chunk)
    }
  }
  return sha256.digest('hex')
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
