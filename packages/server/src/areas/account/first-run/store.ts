import { sql } from 'kysely'
import { ApiError } from '@svc/contract/errors'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordOperatorEvent } from '../../../journal/event-store.js'

/** The state of an installation before its first account, for all processes on the database. */

export const anyAccount = prepared((db, _: object) => db.selectFrom('account').select('id').limit(1))

/**
 * Locks until the transaction ends, so that of an account and a code, both see the one that came first. No-op on SQLite, which has one
 * writer at a time.
 */
export const lockFirst = prepared((db, _: object, dialect) =>
  db.selectNoFrom(
    (dialect === 'postgres' ? sql`pg_advisory_xact_lock(hashtextextended('account first', 0))` : sql`1`).as('held'),
  ),
)

/** What the database has of setup codes. */
export interface StoredCode {
  /** Counts the codes of `svc setup-code` and the new accounts: each of them ends all codes before it. 0 at first. */
  readonly version: number
  /** The hash of the last code of `svc setup-code`; null without one. */
  readonly hash: Uint8Array | null
}

const select = prepared((db, _: object) => db.selectFrom('setup_code').where('id', '=', 1).select(['version', 'hash']))

const upsert = prepared((db, p: { hash: Uint8Array | null }) =>
  db
    .insertInto('setup_code')
    .values({ id: 1, version: 1, hash: p.hash })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ eb }) => ({ version: eb('setup_code.version', '+', 1), hash: p.hash })),
    ),
)

/** Ends all setup codes, in the transaction that creates an account. */
export const endSetupCodes = (tx: Transaction): void => {
  tx.send(upsert, { hash: null })
}

const replaceSetupCode = unit(import.meta, 'replaceSetupCode', async (tx, hash: Uint8Array) => {
  tx.send(lockFirst, {})
  if ((await tx.one(anyAccount, {})) !== undefined)
    throw new ApiError('forbidden', 'There is an account already, so no setup code is accepted.')
  tx.send(upsert, { hash })
  recordOperatorEvent(tx, { at: Date.now(), command: 'svc setup-code', object: '', accountId: null })
})

export type SetupCodeStore = ReturnType<typeof setupCodeStore>

export const setupCodeStore = (db: Database) => ({
  current: async (): Promise<StoredCode> => (await db.one(select, {})) ?? { version: 0, hash: null },

  /** Stores the hash of a new code; the one before is no longer accepted. @throws ApiError `forbidden` if there is an account */
  replace: (hash: Uint8Array): Promise<void> => db.write(replaceSetupCode, hash),
})
