import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

const keyBytes = 32

/** RFC 3394, section 2.2.3.1. */
const initialValue = Buffer.alloc(8, 0xa6)

/** A key of 256 bits and the eight bytes that AES Key Wrap adds to it. */
export const wrappedKeyBytes = keyBytes + initialValue.length

/** A random key of 256 bits. */
export const randomKey = (): Buffer => randomBytes(keyBytes)

/** The text form of a master key: 64 hexadecimal digits. */
const keyText = /^[\da-f]{64}$/i

/**
 * Wraps data keys. AES Key Wrap (RFC 3394) takes no nonce, so it cannot repeat one.
 * The bytes are private fields: neither a log nor an error shows them.
 */
export class MasterKey {
  readonly #bytes: Buffer
  /** 16 hexadecimal digits that identify the key and do not disclose it. */
  readonly id: string

  /** @param bytes 32 bytes */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes)
    this.id = createHmac('sha256', this.#bytes).update('svc master key id').digest('hex').slice(0, 16)
  }

  /** @returns undefined for a text that is not 64 hexadecimal digits */
  static parse(text: string): MasterKey | undefined {
    return keyText.test(text) ? new MasterKey(Buffer.from(text, 'hex')) : undefined
  }

  static random(): MasterKey {
    return new MasterKey(randomKey())
  }

  /** The form that `parse` reads. */
  format(): string {
    return this.#bytes.toString('hex')
  }

  /** @param key 32 bytes @returns `wrappedKeyBytes` */
  wrap(key: Uint8Array): Buffer {
    const cipher = createCipheriv('id-aes256-wrap', this.#bytes, initialValue)
    return Buffer.concat([cipher.update(key), cipher.final()])
  }

  /** @throws Error if the bytes were changed, or wrapped with another key */
  unwrap(wrapped: Uint8Array): Buffer {
    const decipher = createDecipheriv('id-aes256-wrap', this.#bytes, initialValue)
    return Buffer.concat([decipher.update(wrapped), decipher.final()])
  }

  /** This key, wrapped with another one. */
  wrapWith(other: MasterKey): Buffer {
    return other.wrap(this.#bytes)
  }

  /** The master key that `wrapWith` has wrapped. @throws Error as `unwrap` */
  unwrapMasterKey(wrapped: Uint8Array): MasterKey {
    return new MasterKey(this.unwrap(wrapped))
  }
}
