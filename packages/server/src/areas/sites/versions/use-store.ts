import { sql } from 'kysely'
import type { Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'

/**
 * What the sites of an account store. Every unit of work of this area that writes locks this row first: so the limits hold between
 * processes, and no two units wait for each other.
 */

/** Creates the row if it is missing, and locks it until the transaction ends. */
const lock = prepared((db, p: { accountId: number }) =>
  db
    .insertInto('site_use')
    .values({ account_id: p.accountId, bytes: 0 })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((row) => ({ bytes: row.ref('site_use.bytes') })),
    )
    .returning('bytes'),
)

const add = prepared((db, p: { accountId: number; bytes: number }) =>
  db
    .updateTable('site_use')
    .set((row) => ({ bytes: row('bytes', '+', p.bytes) }))
    .where('account_id', '=', p.accountId),
)

const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('site_use').where('account_id', '=', p.accountId).select('bytes'),
)

/** The lock key of units that lock the row of the account (see `Unit.lockKey`). */
export const accountLockKey = (accountId: number): string => `sites of ${accountId}`

/** Locks what the sites of the account store until the transaction ends. @returns the bytes of all contents */
export const lockUse = async (tx: Transaction, accountId: number): Promise<number> =>
  (await tx.only(lock, { accountId })).bytes

/** @param bytes negative for contents that are removed */
export function addUse(tx: Transaction, accountId: number, bytes: number): void {
  tx.send(add, { accountId, bytes })
}

/** The bytes of all contents of the account's sites, with their compressed forms. */
export const readUse = async (reader: Reader, accountId: number): Promise<number> =>
  (await reader.one(ofAccount, { accountId }))?.bytes ?? 0

/**
 * What an imported account uses: its archive also counts unused contents, which it does not have. Served by site_content_once (account_id, sha256).
 */
export const countStorage = prepared((db, p: { accountId: number }) => ({
  compile: () =>
    sql<never>`insert into site_use (account_id, bytes)
      select cast(${p.accountId} as bigint), cast(coalesce(sum(size + coalesce(gzip_size, 0) + coalesce(br_size, 0)), 0) as bigint)
      from site_content where account_id = ${p.accountId}`.compile(db),
}))
