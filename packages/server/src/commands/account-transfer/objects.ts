import type { BlobIntake } from '../../ports/blobs/intake.js'
import type { BlobKey } from '../../ports/blobs/port.js'
import type { AccountItems } from './archive.js'
import type { Contents } from './contents.js'

/** Small objects are stored some at a time: a round trip to a provider takes longer than their bytes. */
const smallBytes = 1024 * 1024
const storesAtOnce = 8

/** How often the lease of the objects is renewed, in milliseconds. */
const renewEveryMs = 60_000

/** Stores the objects of an archive under new keys. */
export class ObjectImport {
  readonly #keys = new Map<BlobKey, BlobKey>()
  readonly #stored: BlobKey[] = []

  constructor(
    private readonly intake: BlobIntake,
    private readonly contents: Contents,
  ) {}

  /** The new keys by those of the archive. */
  get keys(): ReadonlyMap<BlobKey, BlobKey> {
    return this.#keys
  }

  /** @returns how many objects the archive does not have: empty ones take their place @throws StorageError */
  async store(items: AccountItems): Promise<number> {
    const failures: unknown[] = []
    const renewals = setInterval(() => {
      this.intake.renew().catch((error: unknown) => failures.push(error))
    }, renewEveryMs)
    try {
      await this.#storeAll(items)
      if (failures.length > 0) throw new Error('The lease of the objects could not be renewed.', { cause: failures[0] })
      return await this.#storeMissing()
    } finally {
      clearInterval(renewals)
    }
  }

  /** After the commit of the rows. */
  settle(): void {
    for (const key of this.#stored) this.intake.settle(key)
  }

  /** Removes the objects that no row refers to. */
  async discard(): Promise<void> {
    await this.intake.discard(...this.#stored)
  }

  async #storeAll(items: AccountItems): Promise<void> {
    const small: (() => Promise<void>)[] = []
    const storeSmall = async () => {
      const stored = await Promise.allSettled(small.splice(0).map((store) => store()))
      for (const result of stored) if (result.status === 'rejected') throw result.reason as Error
    }
    for await (const item of items.objects()) {
      if (item.kind === 'void') {
        await storeSmall()
        for (const key of item.keys) this.#keys.delete(key)
      } else if (this.contents.objects.get(item.key) === item.size) {
        const { key, bytes } = item
        if (item.size > smallBytes) await this.#put(key, bytes)
        else {
          const chunks: Uint8Array[] = []
          for await (const chunk of bytes) chunks.push(chunk)
          small.push(() => this.#put(key, iterate(chunks)))
        }
        if (small.length === storesAtOnce) await storeSmall()
      }
    }
    await storeSmall()
  }

  /** Rows refer to objects that were lost before the export. svc doctor finds them here too. */
  async #storeMissing(): Promise<number> {
    const missing = [...this.contents.objects.keys()].filter((key) => !this.#keys.has(key))
    for (const key of missing) await this.#put(key, iterate([]))
    return missing.length
  }

  async #put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const blob = await this.intake.put(bytes)
    this.#stored.push(blob.key)
    this.#keys.set(key, blob.key)
  }
}

async function* iterate(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
