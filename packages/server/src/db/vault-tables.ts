/** The tables of encrypted secrets and of their master key (see `Tables`). */
export interface VaultTables {
  master_key: MasterKeyTable
  master_key_handover: MasterKeyHandoverTable
}

/** The master key that wraps new data keys; one row from the first start on. */
export interface MasterKeyTable {
  /** Always 1. */
  id: number
  /** Not the key: its id (`shared/master-key.ts`). */
  key_id: string
}

/** A rotation of the master key that has begun and not ended; at most one row. Either key opens the other one. */
export interface MasterKeyHandoverTable {
  /** Always 1. */
  id: number
  old_key_id: string
  new_key_id: string
  /** The new key, wrapped with the old one. */
  new_key: Buffer
  /** The old key, wrapped with the new one. */
  old_key: Buffer
}

/** The columns of a row with an encrypted secret. `master_key_id` is before `sealed`, so that a search by key reads no ciphertext. */
export interface SealedColumns {
  id: number
  /** The master key that wraps the data key in `sealed`. */
  master_key_id: string
  /** In the format of `ports/vault/envelope.ts`. */
  sealed: Buffer
}
