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
    // Not read from the cache afterwards: the secrets that are decrypted now may displace them there.
    const opened = texts.map((text) => this.#opened.get(text))
    const unknown = keys.flatMap((key, at) => (opened[at] === undefined ? [{ ...key, at }] : []))
    const secrets = unknown.length === 0 ? [] : await this.vault.openAll(unknown)
    for (const [index, { at }] of unknown.entries()) {
      const secret = secrets[index]
      if (secret === undefined) continue
      opened[at] = Buffer.from(secret, 'base64')
      this.#opened.set(texts[at] ?? '', opened[at])
    }
    return opened
  }
}
