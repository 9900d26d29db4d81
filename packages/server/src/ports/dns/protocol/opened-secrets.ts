import { LRUCache } from 'lru-cache'
import type { SecretIdentity, Vault } from '../../vault/port.js'

/** Secrets that are kept in memory, so that a message does not wait for their decryption. */
const openedMax = 1_000

/** The secrets of keys, by their ciphertexts: a ciphertext never gets another secret. */
export class OpenedSecrets {
  readonly #opened = new LRUCache<string, Buffer>({ max: openedMax })

  constructor(private readonly vault: Pick<Vault, 'openAll'>) {}

  /** The secrets in their order; undefined for a ciphertext that was changed, or belongs to another row. */
  async open(
    keys: readonly { readonly sealed: Buffer; readonly identity: SecretIdentity }[],
  ): Promise<readonly (Buffer | undefined)[]> {
    const texts = keys.map(({ sealed }) => sealed.toString('latin1'))
    const unknown = keys.flatMap((key, at) => (this.#opened.has(texts[at] ?? '') ? [] : [{ ...key, at }]))
    const secrets = unknown.length === 0 ? [] : await this.vault.openAll(unknown)
    const fresh = new Map<number, Buffer>()
    for (const [index, { at }] of unknown.entries()) {
      const secret = secrets[index]
      if (secret === undefined) continue
      fresh.set(at, Buffer.from(secret, 'base64'))
      this.#opened.set(texts[at] ?? '', Buffer.from(secret, 'base64'))
    }
    return texts.map((text, at) => fresh.get(at) ?? this.#opened.get(text))
  }
}
