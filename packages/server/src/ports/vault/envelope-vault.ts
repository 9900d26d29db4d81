import type { Database } from '../../db/port.js'
import type { Job } from '../../shared/job.js'
import { keysFrom, readConfiguredKey, requireCurrentKey, type VaultConfig } from './configured-key.js'
import { DamagedSecret, decrypt, encrypt, keyIdOf } from './envelope.js'
import { readKeyFile } from './key-file.js'
import { keyStore } from './key-store.js'
import { Keyring } from './keyring.js'
import { rotationEnd, type SealedRows } from './rotation.js'
import { staleKey, type Sealed, type SecretIdentity, type StaleKey, type Vault } from './port.js'

/** How often a text is encrypted again because the master key was rotated in the meantime. */
const attemptsMax = 3

/**
 * Opens the vault with the configured master key. The first start on a database creates the key file, if no key is configured.
 * @throws OperatorError for a missing or malformed key, and for one that is not the key of the database
 */
export async function openVault(config: VaultConfig, db: Database): Promise<EnvelopeVault> {
  const store = keyStore(db)
  const before = await store.state()
  const own = await readConfiguredKey(config, before)
  const state = before ?? (await store.begin(own.id))
  const keys = keysFrom(own, state.handover)
  const current = requireCurrentKey(keys, own, state, config)
  const readAgain = async () => (config.kind === 'setting' ? config.key : readKeyFile(config.file))
  const keyring = new Keyring({ store, keys, current, readConfiguredKey: readAgain })
  return new EnvelopeVault(keyring, (secrets) => [keyring.job, rotationEnd(db, own, secrets)])
}

/** Encrypts each text under a data key, and wraps that key with the master key (`envelope.ts`). */
export class EnvelopeVault implements Vault {
  constructor(
    private readonly keyring: Keyring,
    readonly jobs: (secrets: SealedRows) => readonly Job[],
  ) {}

  async seal<R>(text: string, identity: SecretIdentity, store: (sealed: Sealed) => Promise<R | StaleKey>): Promise<R> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const result = await store(encrypt(text, identity, this.keyring.current))
      if (result !== staleKey) return result
      await this.keyring.refresh()
    }
    throw new Error('The master key was rotated again at each attempt to store a secret.')
  }

  async open(sealed: Uint8Array, identity: SecretIdentity): Promise<string> {
    const keyId = keyIdOf(sealed, identity)
    const key = this.keyring.get(keyId) ?? (await this.keyring.find(keyId))
    if (key === undefined) throw unknownKey(keyId, identity)
    return decrypt(sealed, identity, key)
  }

  async openAll(
    entries: readonly { readonly sealed: Uint8Array; readonly identity: SecretIdentity }[],
  ): Promise<readonly (string | undefined)[]> {
    const texts: (string | undefined)[] = []
    for (const { sealed, identity } of entries) texts.push(await this.#openUndamaged(sealed, identity))
    return texts
  }

  async #openUndamaged(sealed: Uint8Array, identity: SecretIdentity): Promise<string | undefined> {
    try {
      return await this.open(sealed, identity)
    } catch (error) {
      if (error instanceof DamagedSecret) return undefined
      throw error
    }
  }
}

/** The process has the current key, and no rotation is under way: no row that svc wrote has another key. */
const unknownKey = (keyId: string, [table, accountId]: SecretIdentity) =>
  new DamagedSecret(
    `A secret in the table ${table} of the account ${accountId} names the master key ${keyId}, which is not the key of this database.`,
  )
