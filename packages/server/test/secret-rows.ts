import { expect } from 'vitest'
import type { Database, Transaction } from '../src/db/port.js'
import { prepared } from '../src/db/prepared.js'
import { unit } from '../src/db/unit.js'
import { isCurrentKey } from '../src/ports/vault/key-store.js'
import { staleKey, type Sealed, type SecretIdentity, type Vault } from '../src/ports/vault/port.js'

/** Encrypted texts of an account, without an area. */
export interface SecretRows {
  /** Stores the texts 0 to `count` - 1. */
  readonly store: (vault: Vault, count: number) => Promise<void>
  /** Checks that the vault opens all of them. */
  readonly expectAll: (vault: Vault, count: number) => Promise<void>
}

const insert = prepared((db, p: { accountId: number; label: string; masterKeyId: string; sealed: Buffer }) =>
  db
    .insertInto('credential')
    .values({
      account_id: p.accountId,
      platform: 'test',
      label: p.label,
      created_at: 1,
      updated_at: 1,
      master_key_id: p.masterKeyId,
      sealed: p.sealed,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'platform', 'label'])
        .doUpdateSet({ master_key_id: p.masterKeyId, sealed: p.sealed }),
    ),
)

const all = prepared((db, p: { accountId: number }) =>
  db.selectFrom('credential').where('account_id', '=', p.accountId).select(['label', 'sealed']),
)

const storeSecret = unit(
  import.meta,
  'storeSecret',
  async (tx: Transaction, accountId: number, label: string, { masterKeyId, bytes }: Sealed) => {
    if (!(await isCurrentKey(tx, masterKeyId))) return staleKey
    await tx.run(insert, { accountId, label, masterKeyId, sealed: Buffer.from(bytes) })
    return 'stored'
  },
)

export function secretRows(db: Database, accountId: number): SecretRows {
  const identityOf = (label: string): SecretIdentity => ['credential', accountId, 'test', label]
  return {
    store: async (vault, count) => {
      await Promise.all(
        Array.from({ length: count }, (_, i) => String(i)).map((label) =>
          vault.seal(`secret ${label}`, identityOf(label), (sealed) => db.write(storeSecret, accountId, label, sealed)),
        ),
      )
    },
    expectAll: async (vault, count) => {
      const rows = await db.all(all, { accountId })
      const texts = await vault.openAll(rows.map(({ label, sealed }) => ({ sealed, identity: identityOf(label) })))
      expect([...texts].sort()).toEqual(Array.from({ length: count }, (_, i) => `secret ${i}`).sort())
    },
  }
}
