import type { SecretIdentity } from '../../shared/secret-identity.js'

export type { SecretIdentity }

/** Encrypts secrets before they reach the database (docs/security.md). */
export interface Vault {
  /**
   * Encrypts a text and stores it. A unit that stores `sealed` first calls `isCurrentKey` in its transaction; if that is false, it
   * changes nothing and its result makes `store` resolve to `staleKey`: then the text is encrypted with the new master key, and
   * `store` is called again.
   */
  readonly seal: <R>(
    text: string,
    identity: SecretIdentity,
    store: (sealed: Sealed) => Promise<R | StaleKey>,
  ) => Promise<R>

  /** Decrypts one text. @throws Error if it was changed, or belongs to another identity */
  readonly open: (sealed: Uint8Array, identity: SecretIdentity) => Promise<string>

  /**
   * Decrypts texts, in one turn of the event loop: the caller splits long lists. The order is kept; a text that was changed, or belongs
   * to another identity, is undefined.
   */
  readonly openAll: (
    entries: readonly { readonly sealed: Uint8Array; readonly identity: SecretIdentity }[],
  ) => Promise<readonly (string | undefined)[]>
}

export interface Sealed {
  /** Id of the master key that wraps the data key; stored beside the bytes, so that `svc key rotate` finds the row. */
  readonly masterKeyId: string
  readonly bytes: Uint8Array
}

/** The result of a unit that found another current master key than that of its `Sealed`. */
export const staleKey = 'stale key'
export type StaleKey = typeof staleKey
