import { createHash } from 'node:crypto'
import type { Bytes, Stored } from './port.js'

/** Passes bytes on, counts and hashes them, and remembers whether their source failed. Read once. */
export class MeasuredBytes implements Bytes {
  readonly #hash = createHash('sha256')
  #size = 0
  #failure: { readonly error: unknown } | undefined

  constructor(private readonly source: Bytes) {}

  /** The error of the source, in contrast to an error of the store. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.source) {
        this.#hash.update(chunk)
        this.#size += chunk.length
        yield chunk
      }
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }

  /** Called once, when all bytes have been read. */
  stored(): Stored {
    return { size: this.#size, sha256: this.#hash.digest('hex') }
  }
}
