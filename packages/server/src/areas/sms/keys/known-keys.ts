import { LRUCache } from 'lru-cache'
import type { DeviceKey } from '../messages/intake-store.js'
import { digest, isKey } from './key.js'

/** How long a key is used as it was found. Storing a message compares it with the database, so this saves reads only. */
const freshMs = 250

/**
 * Keys that devices have just posted to, by their SHA-256. Unknown keys are not kept, nor those with a signing key: after a rotation
 * of the master key, the former ciphertext no longer opens.
 */
export class KnownKeys {
  readonly #keys = new LRUCache<string, DeviceKey>({ max: 10_000, ttl: freshMs })

  constructor(private readonly find: (hash: Buffer) => Promise<DeviceKey | undefined>) {}

  /** @returns the key, which may have changed since; undefined for an unknown or revoked key */
  async get(text: string): Promise<DeviceKey | undefined> {
    if (!isKey(text)) return undefined
    const hash = digest(text)
    return this.#keys.get(hash.toString('latin1')) ?? this.#load(hash)
  }

  /** The same from the database. */
  getAnew = (text: string): Promise<DeviceKey | undefined> => this.#load(digest(text))

  async #load(hash: Buffer): Promise<DeviceKey | undefined> {
    const key = await this.find(hash)
    const name = hash.toString('latin1')
    if (key?.sealed === null) this.#keys.set(name, key)
    else this.#keys.delete(name)
    return key
  }
}
