import { createHash } from 'node:crypto'

/** The size of all parts but the last: at least 5 MiB at AWS, equal at Cloudflare R2. */
export const partBytes = 8 * 1024 * 1024

/** Most uploads are small: their part grows only to this size. */
export const smallPartBytes = 256 * 1024

/** A part that is filled piece by piece. Small pieces are copied, because each Buffer occupies more than 100 bytes. */
export class Part {
  readonly #hash = createHash('sha256')
  #bytes = Buffer.allocUnsafeSlow(16 * 1024)
  #size = 0

  get size(): number {
    return this.#size
  }

  get isFull(): boolean {
    return this.#size === partBytes
  }

  /** The bytes so far; valid until the next `fill`. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }

  /** Takes what fits. @returns the rest */
  fill(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, partBytes - this.#size)
    this.#reserve(this.#size + taken.length)
    this.#bytes.set(taken, this.#size)
    this.#size += taken.length
    this.#hash.update(taken)
    return chunk.subarray(taken.length)
  }

  /** Called once, when the part is complete. @returns the SHA-256 in lower-case hexadecimal */
  digest(): string {
    return this.#hash.digest('hex')
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return
    const grown = Buffer.allocUnsafeSlow(size > smallPartBytes ? partBytes : smallPartBytes)
    grown.set(this.bytes)
    this.#bytes = grown
  }
}
